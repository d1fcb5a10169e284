"""What others do later is answered alike, whatever a player hid before: no number, name or time counts hidden acts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from hashlib import blake2b

from service.play.inbox.receive import receive
from service.play.letter_kinds import KINDS
from service.play.operations.sweep import sweep
from service.play.table import replay
from service.play.talk import messages
from service.store.tables.pulse import Pulse
from tests.conftest import luck
from tests.play.conftest import parsed
from tests.secrecy.asking import (
    ALONE_KINDS,
    CUP_KINDS,
    LATER_KINDS,
    NOTICE_KINDS,
    TEAM_KINDS,
    Answer,
    answered,
    differing,
    kinds,
)
from tests.secrecy.worlds import AT_ONCE, IN_TURN, LATER, OTHERS, World, mailed, raws

Act = Callable[[World], list[Answer]]


def form(name: str, path: str, **fields: str) -> Act:
    """Sends a form with and without the page's script, then opens the page that the answer leads to."""

    def act(world: World) -> list[Answer]:
        browser, answers = world.browsers[name].client, []
        for kind in ("application/json", "text/html"):
            nonce = blake2b(f"{path} {fields} {kind}".encode(), digest_size=9).hexdigest()
            answer = browser.post(path, data={"nonce": nonce, **fields}, headers={"Accept": kind})
            answers.append(answered(answer))
            world.town.work()
            if answer.location:
                answers.append(answered(browser.get(answer.location)))
            if answer.is_json and "order" in (told := answer.json or {}):
                match = path.rpartition("/")[0]
                answers += [answered(browser.get(f"{match}{tail}?order={told['order']}")) for tail in ("", "/news")]
        return answers if name in OTHERS else []

    return act


def look(name: str, *paths: str) -> Act:
    return lambda world: [answered(world.browsers[name].client.get(path)) for path in paths]


def mail(name: str, text: str) -> Act:
    """An email of commands about the first match."""

    def act(world: World) -> list[Answer]:
        world.town.write(f"{name}@example.org", f"match {AT_ONCE}\n{text}")
        return []

    return act


def reply(name: str, subject: str, text: str, sender: str = "", match: int = AT_ONCE) -> Act:
    """A reply to the latest email about a match whose Subject has these words."""

    def act(world: World) -> list[Answer]:
        found = [
            one
            for one in map(parsed, raws(world, name))
            if subject in one["Subject"] and f" {match}:" in one["Subject"]
        ]
        world.town.reply(found[-1], text, sender)
        return []

    return act


def unproven(name: str) -> Act:
    """An email with this player's address in From and no proof of its sender."""

    def act(world: World) -> list[Answer]:
        turn = next(one for one in map(parsed, raws(world, name)) if "your move" in one["Subject"])
        raw, recipients = world.town.written(turn, "g6", "somebody@example.net", "<held@program.example>")
        receive(world.town.site, raw, recipients, "smtp")
        world.town.work()
        return []

    return act


def later(days: float) -> Act:
    """Time goes by with the sweep at work."""

    def act(world: World) -> list[Answer]:
        luck("the sweep")  # So that the matches it begins are the same.
        world.town.now = LATER + timedelta(days=days)
        with world.town.store.writing() as session:
            session.merge(Pulse(id=1, at=world.town.now))
        sweep(world.town.site)
        world.town.work()
        return []

    return act


MATCH, OTHER = f"/match/{AT_ONCE}", f"/match/{IN_TURN}"

ACTS: tuple[Act, ...] = (
    # Dana seals a move. Then all but Bruno and perhaps Ada have: the match waits for him alone, or for both.
    form("dana", f"{MATCH}/order", text="f5", round="3"),
    look("bruno", MATCH, f"{MATCH}/news", "/", "/matches?player=bruno"),
    form("bruno", f"{MATCH}/preview", text="d6"),
    form("bruno", f"{MATCH}/preview", text="b2"),
    form("bruno", f"{MATCH}/order", text="extend 1d"),
    form("bruno", f"{MATCH}/order", text="nonsense"),
    form("bruno", f"{MATCH}/order", text="standing pass"),
    form("bruno", f"{MATCH}/order", text="prefer blue"),
    form("bruno", f"{MATCH}/order", text="pause 3d"),
    mail("cleo", "preview d6\nshow\nhistory\nwhy\nestimate\nstatus"),
    reply("cleo", "your move", "standing pass"),
    reply("cleo", "your move", "nonsense"),
    reply("cleo", "your move", "prefer white"),
    reply("cleo", "your move", "wait"),
    reply("cleo", "your move", "if a7 then pass", match=IN_TURN),
    reply("cleo", "your move", "c4\n\nA remark that nobody hears yet"),
    reply("cleo", "can the match be paused", "decline pause"),
    unproven("cleo"),
    form("bruno", f"{MATCH}/explore/4/try", at="", text="g6"),
    form("bruno", f"{MATCH}/say", text="To all", audience="all"),
    form("bruno", f"{MATCH}/say", text="To one", audience="some", reader="2"),
    reply("cleo", "message from White to you", "An answer to one"),
    reply("cleo", "message from White", "An answer"),
    form("dana", f"{MATCH}/order", text="extend 1d"),
    mail("bruno", "digest 18"),
    form("bruno", f"{MATCH}/say", text="Held for the digest", audience="all"),
    later(0.25),
    form("emil", f"{MATCH}/order", text="c3"),
    form("dana", f"{OTHER}/order", text="b7", round="3"),
    form("bruno", f"{OTHER}/order", text="if a7 then pass"),
    form("cleo", f"{OTHER}/order", text="takeback"),
    reply("bruno", "can the last 2 moves be taken back", "decline takeback", match=IN_TURN),
    form("bruno", f"{MATCH}/seat", heir="somebody", address="emil@example.org"),
    reply("emil", "a seat is offered to you", "accept"),
    look("emil", MATCH, f"{MATCH}/news", OTHER),
    form("cleo", f"{MATCH}/order", text="resign", shown="resign"),
    look("cleo", MATCH, "/", "/account/data.json"),
    look("emil", MATCH, f"{MATCH}/record.txt", f"{MATCH}/record.json", "/account/data.json"),
    look("", MATCH, f"{MATCH}/record.txt"),
)
"""What everybody but Ada does after she has hidden things, in this order, ten minutes apart."""


def run(world: World) -> dict[str, list[Answer]]:
    replay.forget()
    answers = {}
    for number, act in enumerate(ACTS):
        world.town.now = max(world.town.now, LATER + number * timedelta(minutes=10))
        answers[f"{number}"] = act(world)
    return answers


def test_others_get_the_same_answers_whatever_they_do_next(worlds: list[World]) -> None:
    answers = [run(world) for world in worlds[:2]]
    assert differing(answers) == []
    mails = [mailed(world) for world in worlds[:2]]
    assert mails[0] == mails[1]
    elsewhere = (
        LATER_KINDS | TEAM_KINDS | ALONE_KINDS | CUP_KINDS | NOTICE_KINDS | {"bounces", "departed", "unknown_sender"}
    )
    assert kinds(worlds[0]) | elsewhere == KINDS.keys()


def test_a_message_counts_as_repeated_whatever_its_writer_couldnt_hear(worlds: list[World]) -> None:
    """A whisper in between makes no difference to those who can't hear it."""
    said = []
    for world, whispers in zip(worlds[:2], (False, True), strict=True):
        bruno = form("bruno", f"{MATCH}/say", text="Hello again", audience="all")
        bruno(world)
        if whispers:
            messages.say(world.town.site, AT_ONCE, world.id("ada"), "psst", "web:psst", [3])
            world.town.work()
        world.town.now = LATER + timedelta(minutes=1)
        said.append(form("bruno", f"{MATCH}/say", text="Hello again", audience="all", nonce="again")(world))
    assert said[0] == said[1]
    assert b"so it wasn&#39;t sent again" in said[0][0][2]
