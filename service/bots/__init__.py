"""Computer opponents. They see what a player sees and order through the same door."""
