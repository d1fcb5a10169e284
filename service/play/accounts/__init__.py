"""Who a player is: signing in, credentials, names, settings, deletion."""
