"""What people write to us: orders, commands, and the one parser of both."""
