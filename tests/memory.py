"""Where tests keep files that needn't survive the machine."""

from __future__ import annotations

import os
from pathlib import Path

_MEMORY = Path("/dev/shm")


def below(room: int = 1 << 30) -> Path | None:
    """A file system in memory, from which programs can be started too; None, which is the usual folder for temporary
    files, if there is none with room for this many bytes."""
    if not _MEMORY.is_dir():
        return None
    found = os.statvfs(_MEMORY)
    is_fit = found.f_bavail * found.f_frsize >= room and not found.f_flag & os.ST_NOEXEC
    return _MEMORY if is_fit else None
