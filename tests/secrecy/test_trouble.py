"""Secret acts of a player whose mail bounces, or who has missed turns: others see them only once they're public."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from service.play.match import substitutes
from service.play.match.invitations import LobbyError
from service.play.match.substitutes import ANYBODY
from service.play.notify import bounces
from service.play.pages import match_lists
from service.play.table import replay
from service.play.talk import messages
from service.store.models import Match, Player
from tests.cases import cases
from tests.conftest import luck
from tests.play.conftest import parsed, plain
from tests.play.timekeeping.test_clocks import log, swept
from tests.secrecy.asking import FEW, Answer, answered, asked, differing, kinds
from tests.secrecy.test_later_acts import MATCH, form, later, look, mail
from tests.secrecy.worlds import AT_ONCE, IN_TURN, LATER, World, copies, mailed, play, raws

Act = Callable[[World], object]


@contextmanager
def troubled(built: Path, place: Path, number: int) -> Iterator[list[World]]:
    """Copies of the site in which Ada has hidden nothing yet. Her mail bounces, and anybody may take her seat."""
    with copies(built, place, [0] * number) as worlds:
        for world in worlds:
            with world.town.site.transaction() as tx:
                bounces.comes_back(tx, tx.session.get_one(Player, world.id("ada")))
                seat = tx.session.get_one(Match, AT_ONCE).seats[0]
                seat.missed, seat.sought = substitutes.MISSED, ANYBODY
            world.town.work()
        yield worlds


@pytest.fixture
def world(built: Path, place: Path) -> Iterator[World]:
    with troubled(built, place, 1) as (one,):
        yield one


@pytest.fixture
def sites(built: Path, place: Path) -> Iterator[tuple[World, World]]:
    with troubled(built, place, 2) as (one, other):
        yield one, other


def by_mail(text: str, match: int = AT_ONCE) -> Act:
    return lambda world: world.town.write("ada@example.org", f"match {match}\n{text}")


def answering(text: str) -> Act:
    """A reply to the email that asked for a move."""

    def act(world: World) -> None:
        turns = [one for one in map(parsed, raws(world, "ada")) if f"{AT_ONCE}: your move" in one["Subject"]]
        world.town.reply(turns[-1], text)

    return act


def on_the_web(text: str, match: int = AT_ONCE) -> Act:
    return lambda world: play(world, match, 0, text)


def noted(world: World) -> None:
    messages.keep_note(world.town.site, AT_ONCE, world.id("ada"), "a note")


def each(*acts: Act) -> Act:
    return lambda world: [act(world) for act in acts]


SECRET: dict[str, Act] = {
    "a sealed move by mail": answering("d6"),
    "a sealed move among commands": by_mail("d6\nstatus"),
    "a sealed move on the web": on_the_web("d6"),
    "a sealed move that another replaces": each(answering("d6"), on_the_web("b2")),
    "a sealed move taken back": each(answering("d6"), on_the_web("wait")),
    "a preference": by_mail("prefer red"),
    "a standing order": by_mail("standing g7"),
    "a plan": by_mail("if b6 then c6", IN_TURN),
    "a private word": by_mail("say to blue: psst"),
    "a note": noted,
}
"""What Ada does that only she, and Dana, may notice."""

THEN = (
    form("bruno", f"{MATCH}/order", text="extend 1d"),
    mail("bruno", "status\ngames"),
    mail("cleo", "show\nhistory"),
    form("bruno", f"{MATCH}/say", text="Are you there?", audience="all"),
    look("emil", "/", "/matches?player=ada"),
    later(0.2),
)


def ask_everybody(world: World) -> dict[str, object]:
    answers: dict[str, object] = {}
    for name in ("bruno", "emil"):
        answers |= {f"{name} {key}": told for key, told in asked(world, name, FEW).items()}
    for number, act in enumerate(THEN):
        world.town.now = max(world.town.now, LATER + number * timedelta(minutes=10))
        answers[f"then {number}"] = act(world)
    return answers


SCENES = {
    "all of it": each(*(act for name, act in SECRET.items() if name != "a sealed move taken back")),
    "taken back": SECRET["a sealed move taken back"],
}


@pytest.mark.parametrize("scene", SCENES)
def test_others_dont_see_early_that_a_player_is_back(sites: tuple[World, World], scene: str) -> None:
    """Neither in the note that emails bounce, nor in the seat on offer, nor later."""
    before, after = sites
    SCENES[scene](after)
    for world in sites:
        # The Message-IDs of others' emails don't count Ada's.
        world.town.now, world.town.mails = LATER, 1_000
    assert differing([ask_everybody(world) for world in sites]) == []
    assert mailed(before) == mailed(after)
    assert "bounces" in kinds(before)
    assert "Emails to Black are bouncing" in after.browsers["bruno"].read(MATCH)
    assert "Take over Black" in after.browsers["emil"].read(MATCH)


@pytest.mark.parametrize("what", SECRET)
def test_secret_acts_dont_change_what_is_shown_of_a_player(world: World, what: str) -> None:
    SECRET[what](world)
    with world.town.store.reading() as session:
        seat = session.get_one(Match, AT_ONCE).seats[0]
        assert seat.player is not None
        assert (seat.sought, seat.player.bounces_known) == (ANYBODY, True)


def test_a_substitute_gets_the_same_answer_and_the_player_hears_that_a_sealed_move_is_lost(
    sites: tuple[World, World],
) -> None:
    before, after = sites
    answering("d6")(after)
    saved = plain(parsed(raws(after, "ada")[-1])).replace("\n", " ")
    assert "your seat also stays on offer until then. To keep your seat now, reply with offer none." in saved
    answers = []
    for world in sites:
        replay.forget()
        world.town.now = LATER
        answers.append([*taking_over(world), *asked(world, "emil", FEW).values()])
    assert answers[0] == answers[1]
    assert "Emil (you)" in after.browsers["emil"].read(MATCH).replace("&nbsp; ", "")
    assert mailed(before) == mailed(after)
    lost = plain(parsed(raws(after, "ada")[-1])).replace("\n", " ")
    assert "Somebody else is now playing Black. The order that you had saved for this round is dropped." in lost


def taking_over(world: World) -> list[Answer]:
    browser = world.browsers["emil"].client
    answers = [answered(browser.post(f"{MATCH}/join", data={})), answered(browser.get(MATCH))]
    world.town.work()
    return answers


def test_a_player_who_sealed_a_move_keeps_the_seat_once_the_round_is_over(world: World) -> None:
    answering("d6")(world)
    for number, move in ((1, "a1"), (3, "g7")):
        play(world, AT_ONCE, number, move)
    with world.town.store.reading() as session:
        seat = session.get_one(Match, AT_ONCE).seats[0]
        assert (seat.sought, seat.missed, seat.match.round) == (None, 0, 3)
        assert seat.player is not None
        assert (seat.player.bounced, seat.player.bounces_known) == (None, False)
    with pytest.raises(LobbyError):
        substitutes.join(world.town.site, AT_ONCE, world.id("emil"))
    assert "bouncing" not in world.browsers["bruno"].read(MATCH)


def test_a_player_can_keep_their_seat_at_once(world: World) -> None:
    by_mail("d6\noffer none")(world)
    assert AT_ONCE not in [line.id for line in match_lists.open_matches(world.town.site)]


def test_a_move_on_the_web_doesnt_show_that_emails_arrive(world: World) -> None:
    by_mail("say to blue: psst")(world)
    for seat, move in ((0, "d6"), (1, "a1"), (3, "g7")):
        play(world, AT_ONCE, seat, move)
    assert "Emails to Black are bouncing" in world.browsers["bruno"].read(MATCH)


def test_an_address_that_bounces_again_is_reported_once(sites: tuple[World, World]) -> None:
    """The second bounce follows an email that others must not notice."""
    before, after = sites
    answering("d6")(after)
    with after.town.site.transaction() as tx:
        bounces.comes_back(tx, tx.session.get_one(Player, after.id("ada")))
    assert not after.town.queue
    assert mailed(before) == mailed(after)


TAKEN_BACK = (("d6", "prefer red", "b2", "wait"), ("wait",))


@pytest.mark.parametrize("acts", TAKEN_BACK[: cases(1, full=2)])
def test_a_turn_counts_as_missed_although_a_sealed_move_was_taken_back(
    sites: tuple[World, World], acts: tuple[str, ...]
) -> None:
    """If no substitute were sought after a third missed turn, others could tell that the player had been there."""
    _, after = sites
    for world in sites:
        with world.town.store.writing() as session:
            for seat in session.get_one(Match, AT_ONCE).seats:
                assert seat.player is not None
                seat.player.vacation = False
            session.get_one(Match, AT_ONCE).seats[0].missed = substitutes.MISSED - 1
            session.get_one(Match, AT_ONCE).seats[0].sought = None
    for number, text in enumerate(acts):
        play(after, AT_ONCE, 0, text, name=f"secret-{number}")
    for world in sites:
        world.town.now, world.town.mails = LATER, 1_000
        for number, move in ((1, "a1"), (3, "g7")):
            play(world, AT_ONCE, number, move)
        luck("the sweep")  # So that the matches it begins are the same.
        swept(world.town, timedelta(days=8))
        assert AT_ONCE in [line.id for line in match_lists.open_matches(world.town.site)]
    assert differing([ask_everybody(world) for world in sites]) == []
    assert mailed(sites[0]) == mailed(after)
    assert "sought" in kinds(after)


def test_the_search_for_a_substitute_begins_after_the_round_of_the_missed_turn(
    sites: tuple[World, World],
) -> None:
    """The clock passes for Ada, for the third time, on the site where she hasn't chosen; Bruno, who is on vacation,
    still has time to choose."""
    before, after = sites
    for world in sites:
        with world.town.store.writing() as session:
            for seat in session.get_one(Match, AT_ONCE).seats:
                assert seat.player is not None
                seat.player.vacation = seat.number == 1
            session.get_one(Match, AT_ONCE).seats[0].missed = substitutes.MISSED - 1
            session.get_one(Match, AT_ONCE).seats[0].sought = None
    play(after, AT_ONCE, 0, "d6")
    for world in sites:
        world.town.now, world.town.mails = LATER, 1_000
        play(world, AT_ONCE, 3, "g7")
        luck("the sweep")  # So that the matches it begins are the same.
        swept(world.town, timedelta(days=6, hours=1))
        assert AT_ONCE not in [line.id for line in match_lists.open_matches(world.town.site)]
    assert [log(world.town, AT_ONCE)[-1] for world in sites] == [(0, "late"), (3, "g7")]
    assert differing([ask_everybody(world) for world in sites]) == []
    assert mailed(before) == mailed(after)
    assert "sought" not in kinds(before)
    for world in sites:
        play(world, AT_ONCE, 1, "a1")
    offered = [AT_ONCE in [line.id for line in match_lists.open_matches(world.town.site)] for world in sites]
    assert offered == [True, False]
    assert "sought" in kinds(before)


def test_time_given_is_the_same_whether_or_not_a_move_was_sealed(sites: tuple[World, World]) -> None:
    """After the round, the clocks don't show who had sealed a move when the time was given."""
    orders = [(1, "extend 2d"), (0, "d6")], [(0, "d6"), (1, "extend 2d")]
    left = [time_left(world, [*two, (1, "a1"), (3, "g7")]) for world, two in zip(sites, orders, strict=True)]
    assert left[0] == left[1]
    assert [seconds > 12 * DAY for seconds in left[0]] == [True, False, False, True]
    told = [plain(parsed(raw)) for raw in raws(sites[1], "dana")]
    assert any("White gave you more time." in text for text in told)


DAY = 86_400


def time_left(world: World, orders: list[tuple[int, str]]) -> list[float]:
    """The seconds in each seat's bank after these orders, all received at the same moment."""
    with world.town.store.writing() as session:
        match = session.get_one(Match, AT_ONCE)
        match.clock = "fischer 10d+1d cap 30d, late passes"
        for seat in match.seats:
            seat.budget = {"main": 10.0 * DAY, "over": 0.0, "count": 0}
    replay.forget()
    for number, text in orders:
        world.town.now = LATER
        play(world, AT_ONCE, number, text)
    with world.town.store.reading() as session:
        budgets = [seat.budget for seat in session.get_one(Match, AT_ONCE).seats]
    return [budget["main"] for budget in budgets if budget]
