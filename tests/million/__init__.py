"""A site at the size of a million running matches, made of real games, and what things cost there.

`python -m tests.million make DIRECTORY` fills a PostgreSQL in a directory, `python -m tests.million figures DIRECTORY`
measures it. `service/store/SCALE.md` has the numbers.
"""
