"""Records of matches as text, JSON and what each game brings."""
