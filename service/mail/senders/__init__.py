"""Who sent an email, and how that is proven."""
