"""What games of stones share: chains and capture, typed moves, setups, replay and scoring."""
