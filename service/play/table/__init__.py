"""Who shares a seat, what may be said at a table, and the position on it."""
