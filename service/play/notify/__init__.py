"""Who is owed which letter, and whether they want it."""
