"""An order before it is judged."""
