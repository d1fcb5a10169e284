"""What boards and stones look like: shapes, colours and the drawing of each cell."""
