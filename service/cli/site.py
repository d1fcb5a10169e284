"""The house a command works in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.play.site import Site


def this_site(*, migrate: bool = True) -> Site:
    """A house of our own. Its nudges go nowhere: the sweep of the running one takes up what this leaves.

    `migrate` brings the tables up to date first. What runs unattended leaves that to whoever upgrades the house.
    """
    from service.config import Settings
    from service.play.site import Site
    from service.store.session import Store

    settings = Settings.from_environment()
    store = Store(settings.database_url)
    if migrate:
        store.migrate()
    return Site(settings, store, lambda _task, _subject: None)
