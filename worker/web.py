"""The web process, for gunicorn: `worker.web:app`."""

from service.app import create_app
from worker.app import open_site
from worker.garbage import settle
from worker.logs import write_lines

write_lines("web")
app = create_app(open_site())
settle()  # Gunicorn forks next.
