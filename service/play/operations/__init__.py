"""What runs on a schedule, and what operators look at."""
