"""What people and mail programs write as a matter of course, in the languages they speak."""
