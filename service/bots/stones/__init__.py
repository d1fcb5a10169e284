"""Games of stones: a Monte Carlo tree search on one kernel for all of them."""
