"""Messages, remarks, blocks and reports."""
