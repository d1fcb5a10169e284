"""A letter of each kind we send, and of each event and line that has words of its own."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from service.bots.pillars import reasons as pieces
from service.bots.reasons import Reason
from service.bots.stones import reasons as stones
from service.config import ROOT
from service.mail.letters.confirmations import (
    ClubNotice,
    Finished,
    FollowedNews,
    Gazette,
    Opening,
    Openings,
    Turning,
    UnknownSender,
)
from service.mail.letters.letter_types import (
    Account,
    Answer,
    Answered,
    Company,
    Confirm,
    Deadline,
    Digest,
    Event,
    EventNews,
    Kept,
    Letter,
    Limit,
    Played,
    Receipt,
    Reminder,
    Said,
    Waiting,
)
from service.mail.letters.letter_words import Words, render
from service.play.letter_kinds import KINDS
from service.play.pages import lessons
from tests.mail.letters.test_letter_types import BOARD, ENVIRONMENT, INVITATION, REFUSAL, RESULT, SIGN_IN, TURN

TITLE, LINK, MUTE = "Rosette 12", "https://play.example/match/12", "https://play.example/mute/abc"
WHEN = datetime(2026, 11, 24, 18, 30, tzinfo=UTC)
DEADLINE = Deadline(timedelta(days=2, hours=14), WHEN)
REMARK = "Good luck!\nc7 then d8 was better.\n\nresign?"


UNHEARD = {"unheard": "silent", "conditional_saved": "secret", "undone": "secret"}
QUOTED = {"declined", *(kind for kind, letter in KINDS.items() if letter.category == "agreement")}
TERMS = {"seat": ("You begin with 10 days.", "Players say nothing to each other.")}
VALUES: dict[str, Any] = {
    "offered": True,
    "dropped": False,
    "sealed": True,
    "by": "White",
    "name": "Ana",
    "who": "",
    "mate": False,
    "own": False,
    "order": "g14",
    "message": REMARK,
    "rematch": "Rosette 13",
    "open": False,
    "asked": 1,
    "deadline": DEADLINE,
    "until": WHEN,
    "waited": ("White",),
    "partners": (),
    "company": Company((("White", "Ana", False),)),
    "timed": True,
    "outside": False,
    "at_once": False,
    "can_be_tried": True,
    "worst": ((23, "Black", "g14", 31, ("h12", "g13", "h11")), (31, "White", "k7", 6, ("k8",))),
    "play": Played("White", "resign"),
    "taken": (("White", "E3-E4"), ("Black", "E9-E7")),
}
"""All the values that the templates of events name."""

EVENTS = tuple(path.stem for path in sorted((ROOT / "templates/mail/events").iterdir()))


def events(words: str) -> list[str]:
    """The names that a template of sentences distinguishes."""
    source = (ROOT / "templates" / "mail" / words).read_text()
    offered = re.findall(r'^  "([\w ]+)":', source, re.MULTILINE)
    return list(dict.fromkeys([*re.findall(r'event == "([\w-]+)"', source), *offered]))


def event(kind: str, **values: object) -> Event:
    """The letter of this event, as its template shows these values."""
    return Event(
        kind=kind,
        title=TITLE,
        side="Black",
        values=VALUES | values,
        quoted=REMARK if kind in QUOTED else "",
        unheard=UNHEARD.get(kind, ""),
        remark=REMARK,
        terms=TERMS.get(kind, ()),
        board=BOARD,
        link=LINK,
        mute_link=MUTE,
    )


def _receipt(event: str, move: str = "") -> Receipt:
    return Receipt(
        event=event, title=TITLE, side="Black", move=move, order=event, remark=REMARK, waited=("White",), board=BOARD,
        link=LINK,
    )  # fmt: skip


MOVES = ("pass", "accept", "resume", "draw", "decline", "alone", "ally white", "dead none", "dead c3 f7", "h12")


def _account(event: str) -> Account:
    valid = timedelta(days=1)
    link, new = "https://play.example/in/abc", "ana@example.net"
    return Account(
        event=event, player="Ana", name="Laptop", when=WHEN, new=new, due=WHEN + valid, link=link, valid=valid
    )


def _answered(line: str, said: str, about: dict[str, Any]) -> Answered:
    return Answered(line, said, {"board": "", **about})


ROW = {"title": TITLE, "others": ("White",), "my_turn": True, "until": DEADLINE, "state": "running", "number": 12}
LOTUS = {"game": "lotus", "step": 2, "link": LINK, "lesson": lessons.lesson("lotus")}
ANSWERS = (
    _answered("g14", "unknown", {}),
    _answered("// g14", "ignored", {}),
    _answered("e13", "refused", {"why": "e13 would leave your chain without a liberty (suicide)."}),
    _answered("h12", "ordered", {"move": "h12", "title": TITLE}),
    _answered(
        "show", "board", {"title": TITLE, "number": 7, "notes": "White played g14.", "board": BOARD, "facts": ""}
    ),
    _answered("preview g13", "preview", {"title": TITLE, "move": "g13", "board": BOARD}),
    _answered(
        "history",
        "history",
        {"title": TITLE, "entries": [{"side": "White", "move": "g14", "remark": REMARK, "undone": False}]},
    ),
    *(
        _answered("why", "why", {"title": TITLE, "name": "Daisy", "move": "g14", **reason._asdict()})
        for kind in (*stones.KINDS, *pieces.KINDS, "passes", "room from an earlier version")
        for reason in (Reason(kind, 1, "Advisor on F4"), Reason(kind, 2, "Tower on F4"))
    ),
    _answered("comment 8 Hm", "commented", {"title": TITLE, "number": 8, "link": LINK}),
    *(
        _answered("gazette", "gazette", {"on": on, "off": off, "link": LINK})
        for on in (True, False)
        for off in (True, False)
    ),
    _answered(
        "history", "history", {"title": TITLE, "entries": [], "comments": [(0, "Ana", REMARK), (8, "Ben", REMARK)]}
    ),
    *(_answered("estimate", "estimate", {"title": TITLE, "order": order}) for order in ("", "dead none", "dead g14")),
    _answered("status", "status", {"rows": [ROW]}),
    _answered("games", "games", {"games": [("rosette", "Rosette", "Go on hexagons.")], "rows": [ROW]}),
    *(
        _answered("u2" if said == "tried" else "", said, {**LOTUS, **about})
        for said, about in (
            ("tried", {"tried": None, "why": "u1 is taken."}),
            ("tried", {"tried": lessons.tried("lotus", lessons.lesson("lotus").steps[1], "u2"), "board": BOARD}),
            ("tried", {"tried": lessons.tried("lotus", lessons.lesson("lotus").steps[1], "a1"), "board": BOARD}),
            ("lesson", {"lesson": lessons.lesson("lotus"), "page": lessons.lesson("lotus").steps[1], "board": BOARD}),
            ("lesson", {"lesson": lessons.lesson("lotus"), "page": None}),
        )
    ),
    _answered("rules", "rules", {"text": "Place a stone: for example h12\n\npass\n", "link": LINK, "game": "rosette"}),
)

CLOCK = "You have 3 days for each move."
EVENT = Opening("Winter cup", "Winter cup", CLOCK, True, LINK, "join", "cup", "Lotus")
SEAT = Opening(TITLE, "Ana", CLOCK, True, LINK, "accept 1")

COMPANIES = (
    Company((), "Winter cup"),
    Company((("White", "Ana", False),), "Winter cup"),
    Company((("White", "Clover", True),), wished=True),
    Company((("White", "Clover", True), ("Red", "Ana", False), ("Blue", "Ben", False))),
)

RESULTS = ((("Ana",), ("Ben",)), (("Ana", "Ben"), ()), ((), ("Ana", "Ben")), (("Ana", "Ben"), ("Cleo",)))


def _club_notice(what: Any, winners: tuple[str, ...] = (), losers: tuple[str, ...] = ()) -> ClubNotice:
    return ClubNotice(
        what=what, games=("Rosette",), title=TITLE, who="Ana", terms="", winners=winners, losers=losers, link=LINK
    )


def _finished(winners: tuple[str, ...], turning: Turning | None = None, *, shared: bool = True) -> Any:
    players = (("Black", "Ana"), ("White", "Ben"), *(() if shared else (("Red", "Cleo"),)))
    return Finished(TITLE, players, winners, turning)


LETTERS: tuple[Letter, ...] = (
    TURN,
    *(
        Reminder(
            title=TITLE,
            number=8,
            side="Black",
            others=("White",),
            board=BOARD,
            examples=("h12",),
            deadline=DEADLINE,
            link=LINK,
            vacation=left,
        )
        for left in (None, 2, 1, 0)
    ),
    REFUSAL,
    RESULT,
    INVITATION,
    *map(event, EVENTS),
    *(event(kind, **of) for kind in ("late", "sought", "bounces") for of in ({"own": True}, {"mate": True})),
    *(event("begun", company=company) for company in COMPANIES),
    *(replace(TURN, played=(), notes=(), company=company) for company in COMPANIES),
    *(event(kind, by="Black", until=None, taken=()) for kind in EVENTS if KINDS[kind].category == "agreement"),
    *(event(kind, name="", message="", partners=("Ana", "Ben"), offered=False, sealed=False) for kind in EVENTS),
    event("extended", deadline=None),
    Openings(("Lotus",), (Opening("Lotus", "", CLOCK, True, "", "accept"),), LINK, MUTE),
    Openings(("Rosette",), (SEAT,), LINK, MUTE),
    *(
        Openings(("Lotus",), (Opening(name, name, CLOCK, True, LINK, "join", kind, "Lotus"),), LINK, MUTE)
        for name, kind in (("Winter cup", "cup"), ("Winter tour", "tour"), ("Lotus ladder", "ladder"))
    ),
    Openings(("Lotus", "Rosette"), (EVENT, SEAT), LINK, MUTE),
    Openings(("Rosette", "Lotus"), (SEAT, Opening("Lotus", "", CLOCK, False, "", "accept 2")), LINK, MUTE),
    *(
        Gazette(
            number=3,
            openings=openings,
            finished=finished,
            board=BOARD,
            match_picture="",
            match_link=LINK,
            newcomers=newcomers,
            game="Rosette",
            task="Black to move. Which move is best?",
            problem_board=BOARD,
            problem_picture="",
            link=LINK,
            stop_link=MUTE,
        )
        for openings, finished, newcomers in (
            ((), None, ()),
            ((SEAT,), _finished(()), (("Lotus", 1, "Ana", 1612),)),
            ((EVENT, SEAT), _finished(("Ana",), Turning(8, 9, "white", "g14", 23, "g13")), ()),
            ((SEAT, SEAT), _finished(("Ana", "Ben"), Turning(8, 9, "white", "pass", 23, "g13")), ()),
            ((EVENT,), _finished(("Ana", "Ben"), Turning(8, 9, "white", "g14", 23, "pass"), shared=False), ()),
            ((), _finished(("Ana",), Turning(8, 9, "white", "g14", 23, "g13", 4)), ()),
        )
    ),
    *(_club_notice(*parts) for parts in (("seat",), ("wish",), *(("result", *names) for names in RESULTS))),
    *(EventNews("Winter cup", "over", LINK, place, best) for place, best in ((1, ("Ana",)), (2, ("Ben", "Cleo")))),
    EventNews("Winter cup", "silent", LINK, days=3),
    *(
        EventNews(
            "Winter league", "over", LINK, 2, best, of_kind="league", season=2, part=part, move=move, begins=begins
        )
        for best in (("Ana",), ("Ben", "Cleo"))
        for part, move, begins in (
            (0, "stay", WHEN),
            (2, "up", WHEN),
            (1, "down", WHEN),
            (2, "stay", WHEN),
            (2, "", None),
        )
    ),
    EventNews("Winter tour", "over", LINK, 2, ("Ana",), of_kind="tour", begins=WHEN),
    EventNews("Winter league", "begins", LINK, season=2, part=1),
    EventNews("Winter cup", "begins", LINK),
    EventNews("Winter league", "barred", LINK, season=2, of=1),
    EventNews("Winter league", "barred", LINK, season=2, of=2),
    EventNews("Winter tour", "part", LINK, part=2, of=9, game="Lotus"),
    EventNews("Lotus ladder", "challenged", LINK, best=("Ana",)),
    EventNews("Lotus ladder", "off", LINK),
    EventNews("Winter cup", "ended", LINK),
    EventNews("Lotus ladder", "ended", LINK, of_kind="ladder", part=1),
    Said(title=TITLE, by="White", table=("White",), remark=REMARK, board=BOARD, link=LINK, mute_link=MUTE),
    *(_receipt("played", move) for move in MOVES),
    *map(_receipt, ("open", "order", *events("receipt/words.txt"))),
    *(
        Limit(most, own=own, hours=("8", "18"), zone="Europe/Lisbon", link=LINK)
        for most, own in ((1, True), (9, False))
    ),
    SIGN_IN,
    *map(_account, events("account/words.txt")),
    Answer(subject="h12", lines=ANSWERS, resigns=TITLE, unread=True, link=LINK),
    UnknownSender(link=LINK, valid=timedelta(days=3)),
    *(
        Confirm(sender=sender, changed=changed, sent="h12\n\n> White played g14.", link=LINK, valid=timedelta(days=1))
        for sender, changed in (("eve@example.com", False), ("eve@example.com", True), ("", False))
    ),
    Digest(matches=(), kept=(Kept("Rosette 12: message from White", REMARK, LINK),), here=True, link=LINK),
    Digest(
        matches=(Waiting(TITLE, 12, "Black", ("White played g14.",), BOARD, LINK),),
        kept=(Kept("Rosette 12: message from White", REMARK, LINK),),
        followed=tuple(
            FollowedNews(what, "Rosette 12", LINK, who) for what in ("began", "ended") for who in ("Ana", "")
        ),
        link=LINK,
    ),
)


@cache
def in_words() -> tuple[Words, ...]:
    """All these letters in words. Rendering them takes a second, so it's done only when a test asks."""
    return tuple(render(ENVIRONMENT, letter) for letter in LETTERS)
