"""Programs that act for a player: the tokens they have, and the bot accounts a player owns."""
