"""Emails that we send: what they say, how they are written and signed, and what receivers check."""
