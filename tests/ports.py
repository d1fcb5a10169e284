"""Ports to listen at."""

from __future__ import annotations

import os
import socket
from itertools import cycle, islice

_PLACES = range(10_100, 32_000)
"""Below those that the system assigns by itself, to any process that opens a connection meanwhile; above the last that
browsers refuse to open, 10080."""

_STRIDE = 8_365
"""How far apart two processes begin whose ids are neighbours: the golden section of all places. Neighbours stay
far apart, so that none is given a port that another one was given but does not listen to yet."""

_untried = islice(cycle(_PLACES), os.getpid() * _STRIDE % len(_PLACES), None)


def free_port() -> int:
    """A port nobody listens to at present, and none that this process was given lately or its neighbour is soon."""
    for port in _untried:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("ports never end")
