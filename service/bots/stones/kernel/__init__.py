"""The fast board of the stone bots: flat arrays, legal moves, captures and playouts."""
