"""The operations of the API by subject, each with the structs it takes and gives beside it."""
