"""What the HTML of an email shows its reader."""
