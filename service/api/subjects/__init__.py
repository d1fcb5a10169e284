"""The operations of the API by subject, with the structs that they accept and return."""
