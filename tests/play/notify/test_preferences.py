"""How and when players get their emails, and how many."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, update

from service.play.accounts import settings
from service.play.notify import preferences
from service.play.notify.preferences import ChoiceError
from service.play.operations.sweep import sweep
from service.play.outbox import digest
from service.play.outbox.unsubscribe import state, stop_at_once
from service.store.models import Player, Seat
from service.store.tables.mail_rows import Letter, PostedMail
from service.store.tables.pulse import Pulse
from tests.play.conftest import Town, plain
from tests.play.inbox.test_run_commands import ADA, BEN, answer, rosette
from tests.play.orders.test_conditional import send
from tests.play.table.test_teams import begun, person, team


def subjects(town: Town) -> list[str]:
    """Runs a sweep; the subjects of the emails since the last look."""
    sweep(town.site)
    town.work()
    return [mail["Subject"] for mail in town.post()]


def test_a_turn_can_wait_until_it_is_clear_that_the_player_hasnt_seen_it(town: Town) -> None:
    turns = rosette(town)
    answer(town, "unseen", sender=BEN)
    town.reply(turns[ADA], "g10")
    assert town.post() == []
    town.now += timedelta(minutes=20)
    assert subjects(town) == []
    town.now += timedelta(minutes=11)
    assert subjects(town) == ["Rosette 1: your move 2 (Black played g10)"]


def test_a_player_who_looks_at_the_match_in_time_gets_no_email(town: Town) -> None:
    turns = rosette(town)
    answer(town, "unseen", sender=BEN)
    town.reply(turns[ADA], "g10")
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    town.now += timedelta(minutes=5)
    preferences.saw(town.site, 1, ben)
    town.now += timedelta(minutes=40)
    assert subjects(town) == []


def test_a_turn_that_was_answered_without_a_look_at_the_page_isnt_announced_any_more(town: Town) -> None:
    """A program or a client in a terminal shows the match without its page."""
    turns = rosette(town)
    answer(town, "unseen", sender=BEN)
    town.reply(turns[ADA], "g10")
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    town.now += timedelta(minutes=5)
    assert send(town, ben, 1, 1, "e10") == "accepted"
    town.post()
    town.now += timedelta(minutes=40)
    assert subjects(town) == []


def test_of_two_turns_that_wait_for_a_look_at_the_page_only_the_latest_is_announced(town: Town) -> None:
    turns = rosette(town)
    answer(town, "unseen", sender=BEN)
    town.reply(turns[ADA], "g10")
    with town.store.reading() as session:
        ben, ada = (session.scalars(select(Player.id).where(Player.email == who)).one() for who in (BEN, ADA))
    town.now += timedelta(minutes=5)
    assert send(town, ben, 1, 1, "e10") == "accepted"
    assert send(town, ada, 1, 0, "f13") == "accepted"
    town.post()
    town.now += timedelta(minutes=40)
    assert subjects(town) == ["Rosette 1: your move 4 (Black played f13)"]


def test_a_digest_brings_all_turns_at_hours_in_the_players_time_zone(town: Town) -> None:
    town.now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    turns = rosette(town)
    with town.store.writing() as session:
        session.scalars(select(Player).where(Player.email == BEN)).one().zone = "America/New_York"
    said = answer(town, "digest 8, 20", sender=BEN)
    assert said["digest 8, 20"].startswith("Your turns come in one email at 8:00 and 20:00 (America/New_York).")
    town.reply(turns[ADA], "g10")
    assert subjects(town) == []
    town.now = datetime(2026, 11, 21, 13, 5, tzinfo=UTC)
    sweep(town.site)
    town.work()
    (digest,) = town.post()
    assert digest["Subject"] == "Your move in Rosette 1"
    assert "Rosette 1: it's your move. You're playing White.\nBlack played g10." in plain(digest)
    assert re.search(
        r"\nYou have 6 days 2\d hours, until Saturday 28 November, 08:0\d \(New York\)\.\nhttp", plain(digest)
    )
    assert subjects(town) == []
    token = str(digest["List-Unsubscribe"]).strip("<>").rpartition("/")[2]
    assert answer(town, "match 1\nmove e10", sender=BEN)["move e10"] == "Accepted: move e10 in Rosette 1."
    stop_at_once(town.site, token)
    assert state(town.site, token).all_stopped


def test_a_digest_has_the_numbers_beside_each_board(town: Town) -> None:
    turns = rosette(town)
    answer(town, "digest", sender=BEN)
    town.reply(turns[ADA], "g10")
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    town.work()
    (mail,) = town.post()
    assert "\n\nPrisoners: Black 0, White 0.\nKomi: 4.5.\nYou have " in plain(mail)
    html = mail.get_body(("html",))
    assert html is not None
    assert "Prisoners: Black 0, White 0.<br>Komi: 4.5." in html.get_content()


def test_a_digest_says_which_conditional_moves_were_dropped(town: Town) -> None:
    turns = rosette(town)
    answer(town, "digest", sender=BEN)
    town.reply(turns[ADA], "g10")
    answer(town, "match 1\ne10\nif f13 then g12", sender=BEN)
    answer(town, "f12")
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    town.work()
    (digest,) = town.post()
    html = digest.get_body(("html",))
    assert html is not None
    said = "Your conditional move (if f13 then g12) didn't fit what happened, so it was dropped."
    for part in (plain(digest), str(html.get_content()).replace("&#39;", "'")):
        assert said in part.replace("\n", " ")


def test_a_digest_of_single_matches_says_how_to_get_their_turns_right_away(town: Town) -> None:
    turns = rosette(town)
    answer(town, "digest here", sender=BEN)
    town.reply(turns[ADA], "g10")
    assert subjects(town) == []
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    town.work()
    (digest,) = town.post()
    said = plain(digest).replace("\n", " ")
    assert "reply with two lines. The first names the match, and the second is: instant here" in said
    assert "reply with instant." not in said
    answer(town, "match 1\ninstant here", sender=BEN)
    answer(town, "match 1\ne10", sender=BEN)
    turn = town.write(ADA, "match 1\nf13")[0]
    assert turn["Subject"] == "Rosette 1: your move 4 (Black played f13)"


@pytest.mark.parametrize("hours", ["25", "noon", "8-9", "-1"])
def test_impossible_hours_of_a_digest_are_refused(town: Town, hours: str) -> None:
    assert answer(town, f"digest {hours}")[f"digest {hours}"].startswith("Write hours of the day from 0 to 23")


def test_an_unknown_choice_is_refused(town: Town) -> None:
    rosette(town)
    with town.store.reading() as session:
        mine = settings.of(session.get_one(Player, 1))
    with pytest.raises(settings.SettingsRefused, match="Choose instant, unseen, digest or off"):
        settings.keep(town.site, 1, replace(mine, post="weekly"))
    with pytest.raises(ChoiceError, match="Choose one of instant, unseen, digest, mute, off"):
        preferences.keep_here(town.site, 1, 1, "weekly")
    with pytest.raises(ChoiceError, match="no seat"):
        preferences.keep_here(town.site, 1, 99, "mute")


def test_a_digest_of_a_match_says_so_to_a_player_whose_team_waits_for_another(town: Town) -> None:
    match = begun(town, "rosette", team("ada", "cleo"), team("ben"))
    cleo = person(town, "cleo")
    preferences.keep_here(town.site, match, cleo, "digest")
    with town.store.writing() as session:
        for letter in session.scalars(select(Letter).where(Letter.player_id == cleo, Letter.match_id == match)):
            letter.sent, letter.due, letter.held = None, None, True
    town.post()
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    town.work()
    (mail,) = town.post()
    assert "the second is: instant here" in plain(mail).replace("\n", " ")


def test_a_match_can_have_its_own_choice(town: Town) -> None:
    turns = rosette(town)
    said = answer(town, "digest\ninstant here", sender=BEN)
    assert said["instant here"] == "You'll get every email about Rosette 1 right away."
    town.reply(turns[ADA], "g10")
    assert [mail["Subject"] for mail in town.post()] == ["Rosette 1: your move 2 (Black played g10)"]
    answer(town, "e10", sender=BEN)
    assert answer(town, "instant\ndigest here", sender=BEN)["digest here"].startswith("Your turns in Rosette 1 come")
    answer(town, "f13")
    assert subjects(town) == []
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["Your move in Rosette 1"]
    assert (
        answer(town, "unmute", sender=BEN)["unmute"]
        == "You'll get emails about Rosette 1 as you do for your other matches."
    )


def test_a_player_who_stopped_other_emails_gets_the_digest_of_one_match(town: Town) -> None:
    turns = rosette(town)
    answer(town, "off\ndigest here", sender=BEN)
    town.reply(town.write(ADA, f"new rosette base=5 vs {BEN}")[0], "accept")
    town.post()
    town.reply(turns[ADA], "g10")
    assert subjects(town) == []
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["Your move in Rosette 1"]


def test_what_was_held_before_a_player_stopped_all_emails_isnt_in_the_digest_of_one_match(town: Town) -> None:
    limited(town)
    answer(town, "off\nmatch 1\ndigest here", sender=BEN)
    send(town, 1, 1, 0, "g10")
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["Your move in Rosette 1"]
    answer(town, "instant", sender=BEN)
    assert latest(town) == "Lotus 2: you're invited to play"


@pytest.mark.parametrize("choice", ["mute", "off here"])
def test_what_was_held_before_a_player_muted_a_match_isnt_in_the_digest(town: Town, choice: str) -> None:
    turns = rosette(town)
    answer(town, "most 1", sender=BEN)
    town.reply(turns[ADA], "g10")
    answer(town, "say One.")
    with town.store.reading() as session:
        assert session.scalars(select(Letter.kind).where(Letter.held).order_by(Letter.id)).all() == ["turn", "said"]
    answer(town, f"match 1\n{choice}", sender=BEN)
    town.now = town.now.replace(hour=18)
    assert subjects(town) == []


def test_emails_above_the_daily_limit_about_the_only_match_with_emails_come_in_a_digest(town: Town) -> None:
    turns = rosette(town)
    answer(town, "most 1\noff\ninstant here", sender=BEN)
    town.reply(turns[ADA], "g10")
    town.now += timedelta(minutes=1)
    assert "You've had today's one email; the rest comes at 18:00" in subjects(town)
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["Your move in Rosette 1"]


@pytest.mark.parametrize(
    ("zone", "hours", "swept"),
    [
        ("Europe/Berlin", "2", "2026-10-25T00:10 2026-10-25T01:10"),  # It's 2:10 twice.
        ("Europe/Berlin", "2", "2027-03-28T00:10 2027-03-28T01:10 2027-03-28T02:10"),  # It's 1:10, 3:10 and 4:10.
        ("Europe/Berlin", "2, 3", "2027-03-28T00:10 2027-03-28T01:10 2027-03-28T02:10"),
        ("Africa/Cairo", "0", "2027-04-29T21:10 2027-04-29T22:10"),  # It's 23:10 and 1:10.
        ("Australia/Lord_Howe", "2", "2027-10-02T15:20 2027-10-02T15:40"),  # It's 1:50 and 2:40.
    ],
)
def test_an_hour_has_one_digest_when_clocks_are_changed(town: Town, zone: str, hours: str, swept: str) -> None:
    rosette(town)
    answer(town, f"digest {hours}", sender=ADA)
    with town.store.writing() as session:
        session.scalars(select(Player).where(Player.email == ADA)).one().zone = zone
        session.execute(update(Seat).values(deadline=None, remind=None))
    found = list[str]()
    for time in swept.split():
        town.now = datetime.fromisoformat(time).replace(tzinfo=UTC)
        found += subjects(town)
    assert found == ["Your move in Rosette 1"]


def test_a_question_in_a_digest_ends_with_one_mark(town: Town) -> None:
    rosette(town)
    answer(town, "most 1", sender=BEN)
    answer(town, "g10")
    answer(town, "match 1\ntakeback")
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    town.work()
    mail = town.post()[-1]
    assert "Rosette 1: can the last move be taken back?\n" in plain(mail)
    page = mail.get_body(("html",))
    assert page is not None
    assert "taken back?</a></p>" in page.get_content()


def test_a_digest_of_one_match_leaves_out_the_others(town: Town) -> None:
    turns = rosette(town)
    answer(town, "digest here", sender=BEN)
    town.reply(town.write(ADA, f"new rosette base=5 vs {BEN}")[0], "accept")
    (begun,) = (mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA)
    for turn, said in ((turns[ADA], []), (begun, ["Rosette 2: your move 2 (Black played g10)"])):
        town.reply(turn, "g10")
        assert subjects(town) == said
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["Your move in Rosette 1"]


@pytest.mark.parametrize(
    ("choice", "reminded"), [("mute", True), ("digest", True), ("most 1", True), ("off here", False), ("off", False)]
)
def test_players_are_reminded_of_a_deadline_unless_they_stopped_all_emails(
    town: Town, choice: str, reminded: bool
) -> None:
    rosette(town)
    answer(town, choice)
    town.now += timedelta(days=6, hours=1)
    with town.store.writing() as session:
        session.execute(update(Pulse).values(at=town.now))
    assert [subject for subject in subjects(town) if "still your move" in subject] == (
        ["Rosette 1: still your move 1 (22 hours 59 minutes left)"] if reminded else []
    )


def test_an_address_that_bounces_gets_no_reminders(town: Town) -> None:
    rosette(town)
    with town.store.writing() as session:
        session.execute(update(Player).where(Player.email == ADA).values(bounced=town.now))
    town.now += timedelta(days=6, hours=1)
    with town.store.writing() as session:
        session.execute(update(Pulse).values(at=town.now))
    assert subjects(town) == []
    with town.store.reading() as session:
        assert session.scalars(select(Letter.due).where(Letter.kind == "reminder")).all() == [None]


@pytest.mark.parametrize("later", [timedelta(hours=1), timedelta(hours=23)])
def test_a_reminder_delayed_until_it_is_wrong_isnt_sent(town: Town, later: timedelta) -> None:
    """While the mail server is away, the player moves or uses a day of vacation."""
    turns = rosette(town)
    with town.store.writing() as session:
        session.execute(update(Player).values(vacation=True))
    town.now += timedelta(days=6, hours=1)
    with town.store.writing() as session:
        session.execute(update(Pulse).values(at=town.now))
    sweep(town.site)
    with town.store.writing() as session:
        reminder = session.scalars(select(Letter).where(Letter.kind == "reminder")).one()
        reminder.due, reminder.attempts = town.now + later, 1
    town.queue.clear()
    if later < timedelta(hours=2):
        town.reply(turns[ADA], "g10")
    town.now += later
    with town.store.writing() as session:
        session.execute(update(Pulse).values(at=town.now))
    town.queue.append(("deliver", reminder.id))
    subjects(town)
    with town.store.reading() as session:
        letter = session.get_one(Letter, reminder.id)
        assert (letter.sent, letter.due, letter.error) == (None, None, "")


def test_emails_above_the_daily_limit_come_in_the_next_digest(town: Town) -> None:
    town.settings = replace(town.settings, letters_per_day=6)
    turns = rosette(town)
    answer(town, "most 2", sender=BEN)
    answer(town, "g10\nsay One.")
    answer(town, "say Two & three.")
    # Ben has already had an invitation and the first email of the match.
    assert latest(town) == "You've had today's 2 emails; the rest comes at 18:00"
    assert answer(town, "new lotus vs open", sender=BEN)
    answer(town, "join 2")
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    town.work()
    (digest,) = [mail for mail in town.post() if mail["To"].addresses[0].addr_spec == BEN]
    assert digest["Subject"] == "Your move in 2 matches: Rosette 1, Lotus 2"
    assert '\nOther news:\n\nRosette 1: message from Black.\n"One."\n' in plain(digest)
    assert '\n"Two & three."\n' in plain(digest)
    assert subjects(town) == []
    town.now += timedelta(hours=21)
    answer(town, "match 1\ne10", sender=BEN)
    town.post()
    town.reply(turns[ADA], "resign")
    town.reply(town.post()[0], "yes")
    assert "Rosette 1: White won by resignation" in [mail["Subject"] for mail in town.post()]
    with town.store.reading() as session:
        assert session.scalars(select(Letter.id).where(Letter.held)).all() == []


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (1, "at most 1 email a day, and you've already had 2 in the last 24 hours. So anything new comes in a single"),
        (2, "at most 2 emails a day, and you've already had 2 in the last 24 hours. So anything new comes in a single"),
        (3, "at most 3 emails a day. Anything after them comes in a single email"),
    ],
)
def test_the_answer_to_a_limit_says_if_todays_emails_have_been_sent_already(town: Town, most: int, said: str) -> None:
    rosette(town)
    words = answer(town, f"most {most}", sender=BEN)[f"most {most}"]
    assert said in words.replace("\n", " ")


def test_a_digest_can_have_news_alone(town: Town) -> None:
    turns = rosette(town)
    answer(town, "most 1", sender=BEN)
    town.reply(turns[ADA], "resign")
    town.reply(town.post()[0], "yes")
    town.now += timedelta(minutes=1)
    subjects(town)
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["Rosette 1: White won by resignation"]
    town.now += timedelta(days=1)
    assert subjects(town) == []


@pytest.mark.parametrize("hurried", [True, False])
def test_a_sweep_sends_the_digests_it_has_time_for_and_leaves_the_rest_to_the_next(
    town: Town, hurried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rosette(town)
    for player in (ADA, BEN):
        answer(town, "digest 18", sender=player)
    answer(town, "new lotus vs open", sender=BEN)
    answer(town, "join 2", sender=ADA)
    town.post()
    monkeypatch.setattr(digest, "AT_A_TIME", 1)
    monkeypatch.setattr(digest, "ROUND", timedelta(seconds=town.settings.sweep_seconds))
    if hurried:
        monkeypatch.setattr(digest, "SPENT", 0)
    town.now = town.now.replace(hour=18)
    first, second = "Your move in Rosette 1", "Your move in Lotus 2"
    sent = [sorted(subjects(town)) for _ in range(3)]
    assert sent == ([[first], [second], []] if hurried else [[second, first], [], []])


@pytest.mark.parametrize(
    ("after", "part", "turn"),
    [
        (0, 0.1, [[2, 3]]),
        (3, 0.1, [[5, 7]]),
        (11, 0.5, [[2, 3], [5]]),
        (7, 2, [[11, 2], [3, 5], [7]]),
    ],
)
def test_players_take_turns_within_the_hour_of_their_digests(
    after: int, part: float, turn: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "AT_A_TIME", 2)
    assert [*digest._in_turn([2, 3, 5, 7, 11], after, part)] == turn


def test_a_player_who_stops_all_emails_gets_none_about_any_match(town: Town) -> None:
    turns = rosette(town)
    answer(town, "instant here\noff", sender=BEN)
    town.reply(turns[ADA], "g10")
    assert town.post() == []


@pytest.mark.parametrize("number", ["0", "-1", "many", "", "10001"])
def test_impossible_daily_limits_are_refused(town: Town, number: str) -> None:
    assert answer(town, f"most {number}")[f"most {number}".strip()].startswith(
        "Choose between 1 and 10,000 emails a day"
    )


def latest(town: Town) -> str:
    """The subject of the latest email to Ben that isn't an answer."""
    own = select(PostedMail.subject).where(PostedMail.recipient == BEN, ~PostedMail.subject.startswith("Re:"))
    with town.store.reading() as session:
        return session.scalars(own.order_by(PostedMail.id.desc())).first() or ""


def limited(town: Town, *lines: str) -> list[str]:
    """Ben, who wants one email a day and has had more, is invited to Lotus. Returns what he gets after these
    commands."""
    rosette(town)
    answer(town, "most 1", sender=BEN)
    town.write("carl@example.org", f"new lotus vs {BEN}")
    assert latest(town) == "You've had today's one email; the rest comes at 18:00"
    assert subjects(town) == []
    if lines:
        mails = town.write(BEN, "\n".join(lines))
        return [mail["Subject"] for mail in mails if not mail["Subject"].startswith("Re:")]
    return []


@pytest.mark.parametrize("line", ["most 10", "most none", "instant"])
def test_a_held_invitation_is_sent_when_the_limit_is_raised(town: Town, line: str) -> None:
    assert limited(town, line) == ["Lotus 2: you're invited to play"]
    town.now = town.now.replace(hour=18)
    assert subjects(town) == []


@pytest.mark.parametrize("line", ["most 1", "digest 20", "zone Europe/Lisbon"])
def test_held_emails_stay_held_if_the_limit_isnt_raised(town: Town, line: str) -> None:
    assert limited(town, line) == []


@pytest.mark.parametrize(("hour", "comes"), [(3, 8), (12, 20), (21, 8)])
def test_the_notice_about_held_emails_names_the_next_hour_in_the_players_time_zone(
    town: Town, hour: int, comes: int
) -> None:
    town.now = datetime(2026, 11, 21, hour, 30, tzinfo=ZoneInfo("America/New_York")).astimezone(UTC)
    answer(town, "zone America/New_York\ndigest 8 20\ninstant\nmost 1", sender=BEN)
    for number in range(2):
        town.write(f"host{number}@example.org", f"new lotus vs {BEN}")
    assert latest(town) == f"You've had today's one email; the rest comes at {comes}:00"


def test_the_notice_about_held_emails_comes_once_a_day(town: Town) -> None:
    limited(town)
    town.write("dora@example.org", f"new lotus vs {BEN}")
    town.now += timedelta(minutes=1)
    assert subjects(town) == []


def test_a_held_invitation_is_never_sent_once_another_player_has_declined(town: Town) -> None:
    limited(town)
    (invited,) = town.write("dora@example.org", f"new multigo vs carl@example.org {BEN}")[:1]
    assert invited["To"].addresses[0].addr_spec == "carl@example.org"
    town.reply(invited, "decline")
    town.post()
    mails = town.write(BEN, "most none")
    assert [one["Subject"] for one in mails if "invited" in one["Subject"]] == ["Lotus 2: you're invited to play"]


def test_raising_the_limit_on_the_account_page_sends_held_emails(town: Town) -> None:
    limited(town)
    with town.store.reading() as session:
        ben = session.scalars(select(Player).where(Player.email == BEN)).one()
    settings.keep(town.site, ben.id, replace(settings.of(ben), most=""))
    assert subjects(town) == ["Lotus 2: you're invited to play"]


def test_a_held_turn_is_sent_only_if_it_still_waits(town: Town) -> None:
    """The held turn has been answered on the web since."""
    turns = rosette(town)
    answer(town, "most 1", sender=BEN)
    town.reply(turns[ADA], "g10")
    town.now += timedelta(minutes=1)
    assert subjects(town) == ["You've had today's one email; the rest comes at 18:00"]
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    assert send(town, ben, 1, 1, "e10") == "accepted"
    town.post()
    town.write(BEN, "most none")
    assert subjects(town) == []
    with town.store.reading() as session:
        assert session.scalars(select(Letter.id).where(Letter.held)).all() == [], "it won't come later"


def test_strangers_invitations_come_as_five_emails_a_day_and_the_rest_in_one(town: Town) -> None:
    for number in range(7):
        town.write(f"host{number}@example.org", f"new lotus vs {BEN}")
    town.seen = 0
    invited = [mail for mail in town.post() if "invited to play" in mail["Subject"]]
    assert len(invited) == 5
    town.now = town.now.replace(hour=18)
    assert subjects(town) == ["2 emails in one: Lotus 6: you're invited to play"]
