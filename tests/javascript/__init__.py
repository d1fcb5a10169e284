"""What needs Node.js in `make lint`: linters of JavaScript and of the document of the API, and a type checker."""
