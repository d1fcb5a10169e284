"""Notices of who looks for opponents: who gets one and when, what it says, and what a reply to it does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import delete, select, update

from service.play.accounts.programs import bot_accounts
from service.play.company import events, notices, wishes
from service.play.company.events import Plan
from service.play.company.wish_text import read
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.operations.sweep import sweep
from service.play.outbox import unsubscribe
from service.play.outbox.deliver import deliver
from service.play.table import press
from service.play.talk import moderation
from service.store.models import Match, Player
from service.store.tables.company import Notice
from service.store.tables.events import Entrant
from service.store.tables.mail_rows import Letter
from tests.play.company.test_pairing import company, wish
from tests.play.conftest import Town, plain
from tests.play.inbox.test_company_commands import ADA, answered, named

BEN, CLEO = "ben@example.org", "cleo@example.org"


def sweep_later(town: Town, **later: float) -> list[EmailMessage]:
    """Sweeps this much later; the emails that are sent."""
    town.now += timedelta(**later)
    sweep(town.site)
    town.work()
    return town.post()


def said_in(town: Town) -> str:
    """The text of the latest email, on one line."""
    return " ".join(plain(town.post()[-1]).split())


def open_seat(
    town: Town, player_id: int, game: str = "lotus", clock: str = "3d/move", talk: str = press.DEFAULT
) -> int:
    return lobby.open_match(town.site, player_id, game, {}, [Chair("me"), Chair("open")], clock, talk)


@pytest.fixture
def ada(town: Town) -> int:
    """Ada wants to hear of Lotus and Go."""
    number = named(town, ADA)
    answered(town, ADA, "notices lotus, go")
    return number


@pytest.mark.usefixtures("ada")
def test_a_wish_is_announced_once_it_has_waited_and_accept_seats_the_reader(town: Town) -> None:
    wish(town, "ben", "lotus 3d")
    assert sweep_later(town, minutes=4) == []
    (notice,) = sweep_later(town, minutes=2)
    assert notice["To"].addresses[0].addr_spec == ADA
    assert notice["Subject"] == "Somebody is looking for an opponent at Lotus"
    said = " ".join(plain(notice).split())
    assert said.startswith(
        "Somebody is looking for an opponent at Lotus. You have 3 days for each move. The match is rated. "
        "Reply with accept, and a match of Lotus begins."
    )
    town.reply(notice, "Accept.\n\nLooking forward to it")
    assert company(town) == [{"ada", "ben"}]
    (answer, *_) = [mail for mail in town.post() if mail["Subject"].startswith("Re:")]
    assert "You have a seat in Lotus 1 and you're playing" in " ".join(plain(answer).split())


def test_openings_are_grouped_and_a_number_accepts_one(town: Town, ada: int) -> None:
    ben = named(town, BEN)
    open_seat(town, ben, clock="2d/move")
    wish(town, "cleo", "go, medusa 7d rated=no")
    open_seat(town, ben, "medusa")
    (notice,) = sweep_later(town, minutes=6)
    assert notice["Subject"] == "Players are looking for opponents at Go and Lotus"
    said = " ".join(plain(notice).split())
    assert "1 Somebody is looking for an opponent at Go. You have 7 days for each move. The match isn't rated." in said
    assert "2 Ben has an open seat in Lotus 1. You have 2 days for each move. The match is rated." in said
    assert "Medusa" not in said
    town.reply(notice, "accept")
    assert "There were 2 openings in that email. Write which one you accept: accept 1." in said_in(town)
    town.reply(notice, "accept 3")
    assert "That email had 2 openings, so there's no number 3." in said_in(town)
    town.reply(notice, "accept 2")
    with town.store.reading() as session:
        assert {seat.player_id for seat in session.get_one(Match, 1).seats} == {ada, ben}


@pytest.mark.usefixtures("ada")
def test_a_player_gets_one_notice_a_day_and_nothing_twice(town: Town) -> None:
    ben, cleo = named(town, BEN), named(town, CLEO)
    open_seat(town, ben)
    assert len(sweep_later(town, minutes=6)) == 1
    open_seat(town, cleo)
    assert sweep_later(town, hours=12) == []
    assert len(sweep_later(town, hours=13)) == 1
    assert sweep_later(town, hours=30) == []


@pytest.mark.usefixtures("ada")
def test_who_switches_notices_off_and_on_hears_of_the_next_opening_a_day_later(town: Town) -> None:
    ben, cleo = named(town, BEN), named(town, CLEO)
    open_seat(town, ben)
    assert len(sweep_later(town, minutes=6)) == 1
    answered(town, ADA, "notices off")
    answered(town, ADA, "notices lotus, go")
    open_seat(town, cleo, "go")
    assert sweep_later(town, minutes=6) == []
    (notice,) = sweep_later(town, hours=25)
    assert "Cleo has an open seat in Go" in " ".join(plain(notice).split())


def test_two_sweeps_at_once_and_a_crash_owe_one_notice(town: Town, ada: int) -> None:
    open_seat(town, named(town, BEN))
    town.now += timedelta(minutes=6)
    notices.look_after(town.site)
    with town.store.writing() as session:
        session.execute(update(Notice).values(rests=town.now, told=town.now - timedelta(hours=1)))
    notices.look_after(town.site)
    with town.store.reading() as session:
        (letter,) = session.scalars(select(Letter).where(Letter.kind == "openings")).all()
        assert letter.player_id == ada
    deliver(town.site, letter.id)
    deliver(town.site, letter.id)
    assert len(town.post()) == 1


def _blocks(town: Town, ada: int, ben: int) -> None:
    moderation.set_block(town.site, ada, ben, True)


def _is_blocked(town: Town, ada: int, ben: int) -> None:
    moderation.set_block(town.site, ben, ada, True)


def _is_busy(town: Town, ada: int, ben: int) -> None:
    del ben
    wishes.make(town.site, ada, read("medusa up to 1"))
    wish(town, "cleo", "medusa")
    sweep_later(town, minutes=1)


def _is_away(town: Town, ada: int, ben: int) -> None:
    del ben
    with town.store.writing() as session:
        session.get_one(Player, ada).post = "off"


def _has_stopped(town: Town, ada: int, ben: int) -> None:
    del ada, ben
    assert "You'll get no emails when somebody looks for opponents." in answered(town, ADA, "notices off")


@pytest.mark.parametrize("kept", [_blocks, _is_blocked, _is_busy, _is_away, _has_stopped])
def test_who_gets_no_notice(town: Town, ada: int, kept: object) -> None:
    ben = named(town, BEN)
    assert callable(kept)
    kept(town, ada, ben)
    wish(town, "ben", "lotus")
    open_seat(town, ben, "go")
    assert [mail["Subject"] for mail in sweep_later(town, minutes=6) if mail["To"] == ADA and "look" in str(mail)] == []
    with town.store.reading() as session:
        assert session.scalars(select(Letter).where(Letter.kind == "openings")).all() == []


@pytest.mark.parametrize("kept", [_blocks, _is_blocked])
def test_a_block_applies_to_open_seats_at_the_tables_of_bots(
    town: Town, ada: int, kept: Callable[[Town, int, int], None]
) -> None:
    ben = named(town, BEN)
    open_seat(town, bot_accounts.make(town.site, ben, "Rose").id)
    open_seat(town, bot_accounts.make(town.site, named(town, CLEO), "Lily").id, "go")
    kept(town, ada, ben)
    (notice,) = [mail for mail in sweep_later(town, minutes=6) if mail["To"].addresses[0].addr_spec == ADA]
    assert notice["Subject"] == "Go 2: a seat is open"


def test_a_notice_leaves_out_its_readers_own_seats_and_wishes(town: Town, ada: int) -> None:
    open_seat(town, ada)
    wish(town, "ada", "go")
    with town.store.writing() as session:
        session.get_one(Player, ada).post = "instant"
    assert sweep_later(town, minutes=6) == []


@pytest.mark.usefixtures("ada")
def test_a_notice_of_an_anonymous_match_has_no_names(town: Town) -> None:
    open_seat(town, named(town, BEN), talk="none-anonymous")
    (notice,) = sweep_later(town, minutes=6)
    assert notice["Subject"] == "Lotus 1: a seat is open"
    assert "Lotus 1 has an open seat." in plain(notice)
    assert "Ben" not in notice.as_string()


@pytest.mark.parametrize("kept", [_blocks, _is_blocked])
def test_a_notice_doesnt_reveal_blocks(town: Town, ada: int, kept: object) -> None:
    """Not even by leaving out an anonymous match, or one to which Ben's address is invited."""
    ben, cleo = named(town, BEN), named(town, CLEO)
    assert callable(kept)
    kept(town, ada, ben)
    open_seat(town, ben, talk="none-anonymous")
    lobby.open_match(town.site, cleo, "go", {}, [Chair("me"), Chair("open")])
    chairs = [Chair("me"), Chair("email", BEN, mates=(Chair("open"),))]
    lobby.open_match(town.site, cleo, "lotus", {}, chairs)
    (notice,) = [mail for mail in sweep_later(town, minutes=6) if mail["To"].addresses[0].addr_spec == ADA]
    said = " ".join(plain(notice).split())
    assert ["Lotus 1 has" in said, "Go 2" in said, "Lotus 3" in said] == [True] * 3


@pytest.mark.usefixtures("ada")
def test_a_player_who_accepts_too_late_is_informed(town: Town) -> None:
    wish(town, "ben", "lotus")
    (notice,) = sweep_later(town, minutes=6)
    wishes.end(town.site, named(town, BEN))
    town.reply(notice, "accept")
    (answer,) = town.post()
    assert "Nobody you could play is looking for Lotus any more." in " ".join(plain(answer).split())
    assert company(town) == []


@pytest.mark.usefixtures("ada")
def test_notices_are_ended_by_a_reply_a_command_or_the_link(town: Town) -> None:
    open_seat(town, named(town, BEN))
    (notice,) = sweep_later(town, minutes=6)
    town.reply(notice, "stop")
    assert "You'll get no emails when somebody looks for opponents." in plain(town.post()[0])
    assert "'chess' isn't a game here" in answered(town, ADA, "notices chess on")
    said = answered(town, ADA, "notices all on")
    assert "when somebody looks for opponents at Medusa, " in said
    said = answered(town, ADA, "notices go off")
    assert ", Go," not in said
    assert "at most one a day, when somebody looks for opponents at" in answered(town, ADA, "notices")
    at_once = notice["List-Unsubscribe"].strip("<>").rpartition("/")[2]
    unsubscribe.stop_at_once(town.site, at_once)
    assert "You get no emails when somebody looks for opponents." in answered(town, ADA, "notices")
    with town.store.reading() as session:
        assert session.scalars(select(Player.post)).all() == ["instant", "instant"]
        assert session.scalars(select(Notice)).all() == []


@pytest.mark.usefixtures("ada")
def test_a_reply_that_isnt_an_answer_is_given_back(town: Town) -> None:
    open_seat(town, named(town, BEN))
    (notice,) = sweep_later(town, minutes=6)
    town.reply(notice, "Is this any good?")
    assert "This line wasn't understood, so nothing was done." in plain(town.post()[0])
    town.reply(notice, "games")
    assert "A seat is open in Lotus 1 with Ben: write join 1." in plain(town.post()[0])
    with town.store.reading() as session:
        assert session.get_one(Match, 1).state == "open"


def test_a_new_event_is_announced_once_to_those_interested_and_joined_by_reply(town: Town, ada: int) -> None:
    ben = named(town, BEN)
    answered(town, BEN, "notices rosette on")
    events.found(town.site, named(town, CLEO), Plan("Winter cup", "lotus", "3d/move"))
    assert sweep_later(town, minutes=4) == []
    (notice,) = sweep_later(town, minutes=2)
    assert notice["To"].addresses[0].addr_spec == ADA
    assert notice["Subject"] == "Winter cup: you can join it"
    said = " ".join(plain(notice).split())
    assert "You can join Winter cup. Its game is Lotus." in said
    assert "Reply with join to enter it." in said
    town.reply(notice, "Join")
    assert "You're in Winter cup." in said_in(town)
    with town.store.reading() as session:
        assert [one.player_id for one in session.scalars(select(Entrant))] == [ada]
    assert sweep_later(town, days=2) == []
    assert ben != ada


def test_a_player_in_one_event_hears_of_others(town: Town, ada: int) -> None:
    ben = named(town, BEN)
    events.join(town.site, events.found(town.site, ben, Plan("Spring cup", "lotus", "3d/move")), ada)
    events.found(town.site, ben, Plan("Autumn cup", "lotus", "3d/move"))
    (notice,) = sweep_later(town, minutes=6)
    assert notice["Subject"] == "Autumn cup: you can join it"


def test_nobody_hears_of_an_event_they_created_themselves(town: Town, ada: int) -> None:
    events.found(town.site, ada, Plan("Spring cup", "lotus", "3d/move"))
    assert sweep_later(town, minutes=6) == []
    events.found(town.site, named(town, BEN), Plan("Autumn cup", "lotus", "3d/move"))
    (notice,) = sweep_later(town, minutes=6)
    assert notice["Subject"] == "Autumn cup: you can join it"


def test_a_player_who_gets_no_emails_is_not_promised_any(town: Town, ada: int) -> None:
    answered(town, ADA, "off")
    said = answered(town, ADA, "notices go on")
    assert "but you get no emails from Stonepost except answers to yours. To get it, write instant." in said
    assert "You'll get an email" not in said
    assert "You'll get no emails when somebody looks" in answered(town, ADA, "notices off")


@pytest.mark.usefixtures("ada")
def test_a_notice_of_events_alone_says_nothing_about_seats(town: Town) -> None:
    ben = named(town, BEN)
    for name in ("Spring cup", "Autumn cup"):
        events.found(town.site, ben, Plan(name, "lotus", "3d/move"))
    (notice,) = sweep_later(town, minutes=6)
    said = " ".join(plain(notice).split())
    assert "Reply with join and a number, for example: join 1. You asked for an email" in said


@pytest.mark.usefixtures("ada")
def test_events_and_seats_come_in_one_notice_and_a_tour_is_for_everybody(town: Town) -> None:
    ben = named(town, BEN)
    open_seat(town, ben)
    events.found(town.site, ben, Plan("Grand tour", "rosette", "3d/move", kind="tour"))
    events.found(town.site, ben, Plan("", "go", "3d/move", kind="ladder"))
    events.found(town.site, ben, Plan("Spring cup", "rosette", "3d/move"))
    events.found(town.site, ben, Plan("Masters cup", "lotus", "3d/move", lowest=1800))
    (notice,) = sweep_later(town, minutes=6)
    said = " ".join(plain(notice).split())
    assert "You can join the Go ladder." in said
    assert "You can join Grand tour. It includes all games, a new one every two weeks." in said
    assert "Spring cup" not in said
    assert "Masters cup" not in said
    assert "Reply with join and a number, for example: join 1. A seat goes to the first to reply." in said
    town.reply(notice, "join 1")
    assert "You're on the Go ladder." in said_in(town)
    town.reply(notice, "accept 3", message_id="<third@example.org>")
    assert "You have a seat in Lotus 1" in said_in(town)


def test_the_second_opening_of_a_notice_begins_the_match_with_that_player(town: Town, ada: int) -> None:
    """Though somebody else has looked for longer."""
    for name in ("ben", "cleo"):
        named(town, f"{name}@example.org")
        wish(town, name, f"lotus {'3d' if name == 'ben' else '5d'}")
        town.now += timedelta(minutes=1)
    with town.store.writing() as session:
        session.execute(update(Player).where(Player.id != ada).values(vacation=False))
    moderation.set_block(town.site, named(town, BEN), named(town, CLEO), True)
    notice = next(mail for mail in sweep_later(town, minutes=6) if mail["To"].addresses[0].addr_spec == ADA)
    said = " ".join(plain(notice).split())
    number = 1 + (said.index("3 days") > said.index("5 days"))
    assert company(town) == []
    town.reply(notice, f"accept {3 - number}")
    assert company(town) == [{"ada", "cleo"}]


@pytest.mark.usefixtures("ada")
def test_a_reply_to_a_notice_that_is_no_longer_kept_says_where_the_open_seats_are(town: Town) -> None:
    open_seat(town, named(town, BEN))
    (notice,) = sweep_later(town, minutes=6)
    with town.store.writing() as session:
        session.execute(delete(Letter).where(Letter.kind == "openings"))
    town.reply(notice, "accept")
    assert "That email is too old. Write games to see which seats are open now." in said_in(town)
    assert "A seat is open in Lotus 1 with Ben: write join 1." in answered(town, ADA, "games")


@pytest.mark.usefixtures("ada")
def test_a_player_gets_no_second_notice_from_a_sweep_that_comes_second(town: Town) -> None:
    """Two sweeps have found the player before either has told them."""
    open_seat(town, named(town, BEN))
    town.now += timedelta(minutes=6)
    for _ in range(2):
        with town.site.transaction() as tx:
            notices._tell(tx, 1)
        open_seat(town, named(town, CLEO), "go")
        town.now += timedelta(hours=13)
    with town.store.reading() as session:
        assert len(session.scalars(select(Letter).where(Letter.kind == "openings")).all()) == 1
