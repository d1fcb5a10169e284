"""The site that a command works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from service.config import Settings
    from service.play.site import Site
    from service.store.session import Store


def this_site(*, migrate: bool = True) -> Site:
    """A site with the settings in the environment. Its nudges go nowhere: the running service's sweep finds new work.

    `migrate` brings the tables up to date first. Commands that run unattended leave that to the operator.
    """
    from service.config import Settings
    from service.play.site import Site
    from service.store.session import Store

    settings = Settings.from_environment()
    store = up_to_date(settings) if migrate else Store(settings.database_url)
    return Site(settings, store, lambda _task, _subject: None)


def up_to_date(settings: Settings) -> Store:
    """The database, with its tables brought up to date. Raises SettingsError if a restore was cut off: what it left may
    be empty, or not know yet that it was restored."""
    from service.config import SettingsError
    from service.store.session import Store

    if (begun := restoring(settings)).exists():
        raise SettingsError(
            f"A restore was interrupted. Repeat it (stonepost restore DIRECTORY), or remove {begun} to do without it."
        )
    store = Store(settings.database_url)
    store.migrate()
    return store


def restoring(settings: Settings) -> Path:
    """The file that exists from when a restore begins to copy the database until the database can be used."""
    return settings.data / "restoring"
