"""`make mutants` changes the code in one random place at a time, and lists the changes that no test notices."""
