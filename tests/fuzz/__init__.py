"""Random changes of the stored mails, led by what they make the reader do. Not collected by pytest; see `make fuzz`."""
