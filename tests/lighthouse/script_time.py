"""How long a page's scripts run while it loads: CPU time of its main thread, at a quarter of the speed.

Lighthouse's own figure includes Lighthouse's scripts, and is wall-clock time on a machine that may have other work.
"""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Browser, Page

from tests.web.browsing import PHONE

SLOWED = 4
SETTLED = 500
"""Milliseconds after which a loaded page no longer does anything without input."""

CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "disabled-by-default-v8.compile"]
SCRIPTED = {"EvaluateScript", "EventDispatch", "FireAnimationFrame", "FireIdleCallback", "FunctionCall", "TimerFire"}
DRAWN = {"Layout", "UpdateLayoutTree", "ParseHTML", "PrePaint", "Paint", "Layerize", "Commit"}
"""Work of the browser that a script may cause; Lighthouse counts it separately."""


def script_time(browser: Browser, page: Page, address: str) -> float:
    """Milliseconds of script at a quarter of the speed until the page at this address has settled."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.goto(address)
    page.wait_for_timeout(SETTLED)
    return SLOWED * scripted(json.loads(browser.stop_tracing())["traceEvents"]) / 1000


def new_visit(browser: Browser, state: Any = None) -> Page:
    """A tab with a phone's screen and an empty cache; `state` has the cookies."""
    return browser.new_context(viewport=PHONE, storage_state=state).new_page()


def scripted(events: list[dict[str, Any]]) -> int:
    """Microseconds of CPU time in scripts, in the thread with the page's modules, without the drawing they caused."""
    thread = next((event["pid"], event["tid"]) for event in events if event["name"] == "v8.evaluateModule")
    timed = (event for event in events if (event["pid"], event["tid"]) == thread and "tdur" in event)
    total = 0
    open_calls: list[tuple[int, bool]] = []  # When each call on the stack ends, and whether it is script.
    for event in sorted(timed, key=lambda event: (event["tts"], -event["tdur"])):
        start, took, name = event["tts"], event["tdur"], event["name"]
        while open_calls and open_calls[-1][0] <= start:
            open_calls.pop()
        outer = bool(open_calls) and open_calls[-1][1]
        inner = name in SCRIPTED or name.lower().startswith("v8.") or (outer and name not in DRAWN)
        total += took * (inner - outer)
        open_calls.append((start + took, inner))
    return total
