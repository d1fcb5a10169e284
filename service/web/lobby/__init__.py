"""Finding and starting matches."""
