"""Computer opponents. They see what a player sees, and their orders are judged like a player's."""
