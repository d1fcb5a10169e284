"""Free ports to listen on."""

from __future__ import annotations

import os
import socket
from itertools import cycle, islice

_PLACES = range(10_100, 32_000)
"""Below the ephemeral ports, which the system gives to any process that opens a connection; above 10080, the last port
that browsers refuse to open."""

_STRIDE = 8_365
"""How far apart processes with consecutive ids begin: the golden section of the range. So no process is given a port
that another one was given but doesn't listen on yet."""

_untried = islice(cycle(_PLACES), os.getpid() * _STRIDE % len(_PLACES), None)


def free_port() -> int:
    """A port on which nobody listens, not given to this process lately nor to its neighbour soon."""
    for port in _untried:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("ports never end")
