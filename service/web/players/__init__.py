"""Other players: profiles, blocks and reports."""
