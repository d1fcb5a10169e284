"""The web process, for gunicorn: `worker.web:app`."""

from service.app import create_app
from worker.app import open_house

app = create_app(open_house())
