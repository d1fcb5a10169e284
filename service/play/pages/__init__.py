"""What pages, feeds and records show."""
