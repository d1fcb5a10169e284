"""Which process holds a letter, and whether that process has died: what it held needn't wait for its lease to end."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


def this_process() -> str:
    """The name of this process: no other process ever has it, on this or another machine."""
    return _name(os.getpid())


def is_dead(holder: str) -> bool:
    """Whether a process has ended. False if that can't be known, because it ran where this one sees no processes."""
    home, pid, _ = holder.split(" ")
    return home == _home() and holder != _name_now(int(pid))


@cache
def _name(pid: int) -> str:
    return _name_now(pid)


def _name_now(pid: int) -> str:
    return f"{_home()} {pid} {_started(pid)}"


def _started(pid: int) -> str:
    """When a process began, in clock ticks since the machine did; "" if there is none (proc_pid_stat(5), field 22)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The name of the program, which may contain spaces and brackets, is in brackets before the third field.
    state, *fields = stat.rpartition(")")[2].split()
    return "" if state in "XZ" else fields[18]


@cache
def _home() -> str:
    """The scope in which process ids are unique: one container of one machine, since its last start."""
    booted = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return f"{booted}-{os.stat('/proc/self/ns/pid').st_ino}"
