"""A site with a million running matches, made from real games, and the cost of pages, sweeps and moves there.

`python -m tests.million make DIRECTORY` fills a PostgreSQL database in a directory; `python -m tests.million figures
DIRECTORY` measures it. `service/store/SCALE.md` has the numbers.
"""
