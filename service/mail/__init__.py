"""Mail as data: reading it, writing it, and the signed addresses for replies. Nothing here sends or receives."""
