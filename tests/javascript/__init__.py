"""A linter and a type checker over the JavaScript of the pages, as part of `make lint`."""
