"""The web process, for gunicorn: `worker.web:app`."""

import gc

from service.app import create_app
from worker.app import open_site
from worker.logs import write_lines

write_lines("web")
app = create_app(open_site())
gc.freeze()  # Gunicorn forks next. Frozen objects stay in memory that the processes share.
