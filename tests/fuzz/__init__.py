"""Random changes of the stored emails, led by what they make the reader do. Not collected by pytest; see `make
fuzz`."""
