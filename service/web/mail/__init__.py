"""Links in emails, and the development mailbox."""
