"""From the bytes of an email to what its sender wrote."""
