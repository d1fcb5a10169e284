"""The gazette: what is in an issue, who gets it and when, and what a reply to it does."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import func, select, update

from service.play.accounts import deletion, guests
from service.play.company import events, gazette_issues
from service.play.company.events import Plan
from service.play.match import lobby
from service.play.notify import gazette
from service.play.operations.sweep import sweep
from service.play.outbox import unsubscribe
from service.play.outbox.deliver import deliver
from service.play.pages import lessons
from service.store.models import REPLACED, Entry, Match, Player
from service.store.tables.company import GazetteIssue
from service.store.tables.mail_rows import Letter
from service.store.tables.reviews import Review, ReviewedMove
from tests.play.company.test_notices import open_seat, said_in
from tests.play.conftest import Town, plain
from tests.play.inbox.test_company_commands import ADA, answered, named, rate
from tests.play.ratings.test_rate import ben_resigns, play
from tests.play.timekeeping.test_clocks import begin

BEN, CLEO = "ben@example.org", "cleo@example.org"


def friday(town: Town, weeks: int = 1) -> list[EmailMessage]:
    """The emails of the sweeps at six on the Friday this many weeks on."""
    wait_for_friday(town, weeks)
    return sweeps(town)


def wait_for_friday(town: Town, weeks: int = 1) -> None:
    passed = (town.now - gazette_issues.FRIDAY) // gazette_issues.WEEK
    town.now = gazette_issues.FRIDAY + (passed + weeks) * gazette_issues.WEEK


def sweeps(town: Town) -> list[EmailMessage]:
    for _ in range(2):
        sweep(town.site)
        town.work()
    return [mail for mail in town.post() if mail["Subject"].startswith("Gazette")]


@pytest.fixture
def ada(town: Town) -> int:
    """Ada, who gets the gazette; there has been an issue before."""
    number = named(town, ADA)
    sweeps(town)
    assert "The gazette comes once a week, on Fridays." in answered(town, ADA, "gazette on")
    return number


def test_an_issue_is_made_each_friday_and_sent_once_whatever_crashes(town: Town, ada: int) -> None:
    assert sweeps(town) == []
    (mail,) = friday(town)
    assert (town.now.strftime("%A"), town.now.hour) == ("Friday", 6)
    assert mail["To"].addresses[0].addr_spec == ADA
    assert sweeps(town) == []
    with town.store.writing() as session:
        session.get_one(Player, ada).gazette = 0
    assert sweeps(town) == []
    with town.store.reading() as session:
        (letter,) = session.scalars(select(Letter).where(Letter.kind == "gazette")).all()
        assert session.scalars(select(GazetteIssue.number)).all() == [1, 2]
    deliver(town.site, letter.id)
    assert town.post() == []
    assert len(friday(town, weeks=3)) == 1


def test_an_issue_is_not_sent_to_a_player_who_has_unsubscribed_meanwhile(town: Town, ada: int) -> None:
    wait_for_friday(town)
    for _ in range(2):
        sweep(town.site)
    with town.store.writing() as session:
        assert session.scalars(select(Letter.sent).where(Letter.kind == "gazette")).all() == [None]
        session.get_one(Player, ada).gazette = None
    town.work()
    assert town.post() == []


def test_two_sweeps_at_once_make_one_issue(town: Town) -> None:
    named(town, ADA)
    with town.site.transaction() as tx:
        gazette_issues._make(tx, 1, town.now)
    with town.site.transaction() as tx:
        gazette_issues._make(tx, 1, town.now)
    with town.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(GazetteIssue)) == 1


def test_open_seats_and_events_are_joined_by_reply(town: Town, ada: int) -> None:
    ben = named(town, BEN)
    seat = open_seat(town, ben, "rosette")
    events.found(town.site, ben, Plan("Winter cup", "lotus", "3d/move"))
    (mail,) = friday(town)
    said = " ".join(plain(mail).split())
    assert "1 Ben has an open seat in Rosette 1." in said
    assert "2 You can join Winter cup. Its game is Lotus." in said
    town.reply(mail, "join 2")
    assert "You're in Winter cup." in said_in(town)
    town.reply(mail, "accept")
    assert "There were 2 openings in that email." in said_in(town)
    town.reply(mail, "Accept 1.\n\nThanks")
    with town.store.reading() as session:
        assert {place.player_id for place in session.get_one(Match, seat).seats} == {ada, ben}
    town.post()
    town.reply(mail, "withdraw from Winter cup")
    assert "You're no longer in Winter cup." in said_in(town)
    town.reply(mail, "join Winter cup")
    assert "You're in Winter cup." in said_in(town)


def test_a_reply_with_a_move_is_judged_as_a_solution(town: Town, ada: int) -> None:
    del ada
    (mail,) = friday(town)
    stock, number = lessons.weekly(2)
    step = stock.steps[number - 1]
    assert step.task in " ".join(plain(mail).split())
    town.reply(mail, "z99\n\nor so")
    assert "That can't be played." in said_in(town)
    town.reply(mail, step.right[0])
    right = town.post()[-1]
    assert "Right. It could go on like this:" in " ".join(plain(right).split())
    assert f"problem {number + 1} of" in plain(right)
    town.reply(mail, "events")
    assert "No event is open or being played." in said_in(town)


def test_the_gazette_is_stopped_by_a_reply_or_by_a_link(town: Town, ada: int) -> None:
    (mail,) = friday(town)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    at_once = mail["List-Unsubscribe"].strip("<>").rpartition("/")[2]
    town.reply(mail, "stop")
    assert "You don't get the gazette." in said_in(town)
    assert friday(town) == []
    answered(town, ADA, "gazette on")
    assert len(friday(town)) == 1
    assert unsubscribe.state(town.site, at_once).gazette is True
    unsubscribe.stop_at_once(town.site, at_once)
    assert unsubscribe.state(town.site, at_once).gazette is False
    assert friday(town) == []
    with town.store.reading() as session:
        assert session.get_one(Player, ada).post == "instant"


def test_a_player_without_emails_gets_no_gazette_and_one_at_their_limit_gets_it_later(town: Town, ada: int) -> None:
    answered(town, ADA, "off")
    assert friday(town) == []
    assert "you get no emails from Stonepost except answers" in answered(town, ADA, "gazette")
    answered(town, ADA, "instant")
    answered(town, ADA, "most 1")
    with town.store.writing() as session:
        row = {"kind": "openings", "data": {"rows": []}, "player_id": ada, "attempts": 1, "error": ""}
        session.add(Letter(key="one", created=town.now, sent=town.now + timedelta(days=7), due=None, **row))
    town.now = datetime(2026, 12, 4, 6, tzinfo=UTC)
    with town.store.writing() as session:
        session.execute(update(Letter).where(Letter.key == "one").values(sent=town.now - timedelta(hours=2)))
    assert sweeps(town) == []
    town.now += timedelta(days=1, hours=1)
    assert len(sweeps(town)) == 1


def confirmed(town: Town) -> int:
    """Ben, who has written to us."""
    ben = named(town, BEN)
    answered(town, BEN, "events")
    return ben


def test_an_issue_has_new_names_on_the_leaderboards(town: Town, ada: int) -> None:
    ben = confirmed(town)
    rate(town, ada, "lotus", 1612.4, 81)
    friday(town)
    rate(town, ben, "lotus", 1700, 60)
    rate(town, ben, "go", 1500, 200)
    (mail,) = friday(town)
    said = " ".join(plain(mail).split())
    assert "Ben is new on the Lotus leaderboard, with a rating of 1700." in said
    assert "Ada is new" not in said
    assert "Go leaderboard" not in said


def reviewed(town: Town, match: int) -> None:
    """A finished review of a match whose second move, by White, costs 35% of the win."""
    with town.store.writing() as session:
        session.add(Review(match_id=match, leased=town.now, finished=town.now))
        session.flush()
        for ply, black, best in ((1, 0.6, "e5"), (2, 0.55, "e6"), (3, 0.9, "g7")):
            session.add(ReviewedMove(match_id=match, ply=ply, shares=[black, 1 - black], best=best, line=[best]))


def test_the_finished_match_is_shown_at_its_turning_point(town: Town, ada: int) -> None:
    del ada
    *_, match = ben_resigns(town)
    reviewed(town, match)
    *_, later = ben_resigns(town)
    (mail,) = friday(town)
    said = " ".join(plain(mail).split())
    assert f"Ada (Black) and Player 2 (White) have finished Rosette {match}. Ada won." in said
    turned = "White played f6, which lowered White's winning chances by 35 percentage points; e6 was better."
    assert f"The turning point was move 2, which the board shows: {turned}" in said
    assert f"Rosette {later}" not in said
    pictures = [part["Content-ID"].strip("<>") for part in mail.walk() if part.get_content_type() == "image/png"]
    html = mail.get_body(("html",))
    assert html is not None
    assert re.findall('src="cid:([^"]+)"', html.get_content()) == pictures
    assert len(pictures) == 2
    (mail,) = friday(town)
    assert "have finished" not in plain(mail)


def test_the_turning_point_of_a_match_in_which_all_choose_at_once_is_a_round(town: Town, ada: int) -> None:
    ada, ben, match = begin(town, "3d/move", "multigo-parallel", size="5")
    play(town, match, (ada, 0, "c3"), (ben, 1, "b2"), (ada, 0, "d4"), (ben, 1, "d2"), (ben, 1, "resign"))
    reviewed(town, match)
    (mail,) = friday(town)
    turned = "White chose b2, which lowered White's winning chances by 35 percentage points; e6 was better."
    said = plain(mail)
    assert f"The turning point was round 1: {turned} The board is shown after that round." in " ".join(said.split())
    board = said.partition("after that round.")[2].partition("http")[0]
    assert [board.count(stone) for stone in ("X", "O")] == [2, 2], "a stone and its name in the list of signs"


def test_choices_that_only_their_player_saw_make_a_match_no_longer(town: Town, ada: int) -> None:
    del ada
    *_, match = ben_resigns(town)
    *_, later = ben_resigns(town)
    with town.store.writing() as session:
        first = session.get_one(Match, match)
        first.ply += 1
        replaced = {"seat": 0, "move": "g7", "round": 0, "played": town.now, "fate": REPLACED}
        session.add(Entry(match_id=match, ply=first.ply, **replaced))
    friday(town)
    with town.store.reading() as session:
        assert session.scalars(select(GazetteIssue.match_id).order_by(GazetteIssue.number.desc())).first() == later


def test_an_issue_has_nothing_hidden(town: Town, ada: int) -> None:
    """No running match, no guest's match against a computer, and no names from an anonymous match."""
    ben = named(town, BEN)
    begin(town, "3d/move")
    guest = guests.enter(town.site, "key", "a browser").id
    lobby.practise(town.site, guest, "lotus")
    seat = open_seat(town, ben, "rosette", talk="private anonymous")
    with town.store.reading() as session:
        running = session.scalars(select(Match.id).where(Match.state == "running")).all()
    (mail,) = friday(town)
    said = plain(mail)
    assert f"Rosette {seat} has an open seat." in said
    assert "Ben" not in said
    assert not any(f"/match/{number}" in said for number in running)
    town.reply(mail, "accept")
    issue = gazette.issue_of(town.site)
    assert issue is not None
    assert [opening[-1] for opening in issue.openings] == [""]
    assert issue.still == ()
    assert ada


def newcomers(town: Town) -> list[str]:
    issue = gazette.issue_of(town.site)
    assert issue is not None
    return [one.name for one in issue.newcomers]


def test_a_deleted_player_is_no_longer_named(town: Town, ada: int) -> None:
    ben = confirmed(town)
    friday(town)
    rate(town, ben, "lotus", 1700, 60)
    friday(town)
    assert newcomers(town) == ["Ben"]
    deletion.leave(town.site, ben)
    assert newcomers(town) == []
    deletion.leave(town.site, ada)
    assert friday(town) == []


@pytest.mark.usefixtures("ada")
def test_a_reply_that_accepts_something_of_an_issue_without_openings_says_so(town: Town) -> None:
    (mail,) = friday(town)
    town.reply(mail, "join 1")
    assert "That email had no openings. Write games to see which seats are open now." in said_in(town)
