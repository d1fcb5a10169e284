"""Tables by subject; the main ones are in `models.py`."""
