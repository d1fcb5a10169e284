"""How players find company: standing wishes for opponents."""
