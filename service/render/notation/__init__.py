"""Records of matches as text, JSON, and in the notations of the games."""
