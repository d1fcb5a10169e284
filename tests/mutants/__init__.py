"""`make mutants` changes the code in one place at a time, drawn at random, and lists the changes no test notices."""
