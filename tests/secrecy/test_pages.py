"""No page, feed, record, picture, answer or refusal shows others what a player hides.

The sites differ only in what Ada hides: nothing, these things or, with every case, others. Whatever anybody else
requests must be the same on all sites, byte for byte, with headers and numbers. A new route needs a way to request it
here.
"""

from __future__ import annotations

from service.play.match import substitutes
from service.play.table import replay
from tests.cases import cases
from tests.secrecy.asking import (
    ABOUT_NO_MATCH,
    ASK,
    ASKING,
    EMPTY,
    SEND,
    asked,
    differing,
    is_refused,
    looked,
    reached,
    sent,
)
from tests.secrecy.worlds import AT_ONCE, CUP, HIDDEN, IN_TURN, LATER, World, count_and_finish, mailed, play


def test_every_route_is_requested_here(worlds: list[World]) -> None:
    rules = [rule for rule in worlds[0].app.url_map.iter_rules() if not rule.endpoint.startswith("api.")]
    assert {rule.endpoint for rule in rules if "GET" in (rule.methods or ())} == ASK.keys()
    posts = {rule.endpoint for rule in rules if "POST" in (rule.methods or ())} - SEND.keys()
    assert {one for one in posts if not {one, one.partition(".")[0]} & ABOUT_NO_MATCH} == set()


def test_others_see_nothing_of_what_a_player_hides(worlds: list[World]) -> None:
    seen: set[str] = set()
    for name in ASKING:
        answers = [asked(world, name, routes=ASK) for world in worlds]
        assert differing(answers) == [], name
        found = ((key.partition(" ")[2], status) for key, (status, *_) in answers[0].items())
        seen |= reached(worlds[0], found, "GET")
    assert ASK.keys() - seen == EMPTY.keys(), "a page that is missing everywhere isn't compared"


def test_others_learn_nothing_from_what_they_send(worlds: list[World]) -> None:
    taken: set[str] = set()
    for world, hidden in zip(worlds, HIDDEN, strict=True):
        replay.forget()
        count_and_finish(world, hidden)
    for name in ("bruno", "emil"):
        answers = [sent(world, name) for world in worlds]
        assert differing(answers) == [], name
        took = ((key.partition(" ")[0], answer[0]) for key, answer in answers[0].items() if not is_refused(answer))
        taken |= reached(worlds[0], took, "POST")
        leads = sorted({told["Location"] for _, told, _ in answers[0].values() if "Location" in told})
        shown = [looked(world, name, leads) for world in worlds]
        assert differing(shown) == [], name
        if name == "bruno":
            looked_at = b"".join(body for _, _, body in shown[0].values())
            assert b"The computer thinks: <span" in looked_at
            assert b"Winning chances of" in looked_at
    assert all(mailed(world) == mailed(worlds[0]) for world in worlds)
    assert taken >= SEND.keys(), "what is missing or refused everywhere isn't compared"


def test_a_substitute_learns_nothing_of_what_the_former_player_hid(worlds: list[World]) -> None:
    for world in worlds:
        replay.forget()
        for match in (AT_ONCE, IN_TURN):
            substitutes.offer(world.town.site, match, world.id("ada"), "anybody")
            substitutes.join(world.town.site, match, world.id("emil"))
        world.town.work()
        world.town.now = LATER
    for name in ("emil", "bruno")[: cases(1, full=2)]:
        assert differing([asked(world, name) for world in worlds]) == [], name
    assert differing([sent(world, "emil") for world in worlds]) == []
    assert all(mailed(world) == mailed(worlds[0]) for world in worlds)
    assert "Emil (you)" in worlds[0].browsers["emil"].read("/match/1").replace("&nbsp; ", "")


def test_the_players_own_pages_show_it_all(worlds: list[World]) -> None:
    """Otherwise there would be nothing for the other tests of this file to find."""
    for world, hidden in zip(worlds, HIDDEN, strict=True):
        if hidden:
            replay.forget()
            ada, dana = world.browsers["ada"], world.browsers["dana"]
            page = ada.get(f"/match/{AT_ONCE}").text
            assert f"Sealed until all have chosen: {hidden.sealed}" in page
            assert f"note {hidden.words}" in page
            assert hidden.standing in page
            assert f"whisper {hidden.words}" in page
            assert f"Sealed until all have chosen: {hidden.sealed}" in ada.get(f"/match/{CUP}").text
            assert hidden.ahead in ada.get(f"/match/{IN_TURN}").text
            assert hidden.words in ada.get("/account/data.json").text
            assert f"whisper {hidden.words}" in dana.get(f"/match/{AT_ONCE}").text


def test_private_words_stay_private_when_the_match_is_over(worlds: list[World]) -> None:
    """A sealed move has been played by then and is in the record; the moves it replaced and the words never are."""
    world, hidden = worlds[1], HIDDEN[1]
    assert hidden is not None
    replay.forget()
    for match in (AT_ONCE, IN_TURN):
        for seat in (3, 1, 2):
            play(world, match, seat, "resign")
    for name in (*ASKING[: cases(1, full=len(ASKING))], "dana"):
        answers = asked(world, name)
        bodies = b"".join(body for _, _, body in answers.values())
        for word in ("note", "whisper") if name != "dana" else ("note",):
            assert f"{word} {hidden.words}".encode() not in bodies, (name, word)
        if name != "dana":
            records = [body for key, (_, _, body) in answers.items() if "/record.txt" in key]
            assert hidden.sealed.encode() in records[0]
            assert hidden.replaced.encode() not in b"".join(records)
