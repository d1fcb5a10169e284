"""The look of boards and stones: shapes, colours and the drawing of each cell."""
