"""A match from its invitation to its result."""
