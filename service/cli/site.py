"""The site that a command works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.play.site import Site


def this_site(*, migrate: bool = True) -> Site:
    """A site with the settings in the environment. Its nudges go nowhere: the running service's sweep finds new work.

    `migrate` brings the tables up to date first. Commands that run unattended leave that to the operator.
    """
    from service.config import Settings
    from service.play.site import Site
    from service.store.session import Store

    settings = Settings.from_environment()
    store = Store(settings.database_url)
    if migrate:
        store.migrate()
    return Site(settings, store, lambda _task, _subject: None)
