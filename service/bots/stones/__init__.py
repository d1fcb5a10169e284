"""Games of stones: one Monte Carlo tree search and one kernel for all of them."""
