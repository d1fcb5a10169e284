"""Mail as data: reading it, writing it, and the signed addresses it is answered to. Nothing here sends or receives."""
