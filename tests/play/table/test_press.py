"""What players say to each other: who hears it, under which name, and what each kind of press forbids."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest

from service.mail.grammar.orders import parse
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.accounts import data_export, display_names, identity
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import feeds, match_page, profiles, records
from service.play.table.press import Press, PressError
from service.play.talk import messages, moderation
from service.store.models import Match, Player
from tests.play.conftest import Town, plain
from tests.play.once import once

PEOPLE = {name: f"{name}@example.org" for name in ("ada", "ben", "cleo", "dana")}
REMARK = "Good luck & have fun\nacross the pond"
SIDES = ("black", "white", "red", "blue")


@once
def table(town: Town, talk: str = "private", game: str = "multigo-parallel") -> int:
    """A running match of four."""
    with town.store.writing() as session:
        players = {name: identity.by_email(session, address, town.now) for name, address in PEOPLE.items()}
        for name, player in players.items():
            display_names.take(session, player, name)
        ids = [player.id for player in players.values()]
    chairs = [Chair("me"), *(Chair("email", address) for address in [*PEOPLE.values()][1:])]
    match = lobby.open_match(town.site, ids[0], game, {"size": "5"}, chairs, "none", talk)
    for one in ids[1:]:
        invitations.answer(town.site, match, one, True)
    town.work()
    town.post()
    return match


def seat(town: Town, match: int, name: str) -> int:
    with town.store.reading() as session:
        return next(s.number for s in session.get_one(Match, match).seats if s.player and s.player.name == name)


def person(town: Town, name: str) -> int:
    with town.store.writing() as session:
        return identity.by_email(session, PEOPLE[name], town.now).id


def to(mails: list[EmailMessage]) -> dict[str, EmailMessage]:
    return {mail["To"].addresses[0].username: mail for mail in mails}


def heard(town: Town, match: int, name: str | None) -> list[str]:
    viewer = None if name is None else person(town, name)
    return [line.text for line in messages.heard(town.site, match, viewer).lines]


def order(town: Town, match: int, name: str, text: str, remark: str = "") -> match_page.Verdict:
    who, number = person(town, name), seat(town, match, name)
    key = f"web:{match}:{name}:{town.now.isoformat()}"
    submit(town.site, Incoming(key, match, number, who, None, parse(text), "web", remark))
    town.work()
    found = match_page.verdict(town.site, key, who)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("private", "private"),
        ("Group, Anonymous", "group anonymous"),
        ("public/unsigned", "public unsigned"),
        ("anonymous", "private anonymous"),
        ("none unsigned", "none anonymous"),
    ],
)
def test_press_can_be_written_in_several_ways_and_is_stored_in_one(text: str, written: str) -> None:
    assert Press.parse(text).write() == written
    assert Press.parse(written) == Press.parse(text)


@pytest.mark.parametrize("text", ["secret", "public none", "private unsigned", "unsigned"])
def test_impossible_press_is_refused(text: str) -> None:
    with pytest.raises(PressError):
        Press.parse(text)


def test_an_answer_goes_to_exactly_the_players_that_the_email_names(town: Town) -> None:
    match = table(town)
    mails = to(town.write(PEOPLE["ada"], f"match {match}\nsay to white and red: North is ours"))
    assert set(mails) == {"ben", "cleo", "ada"}
    assert plain(mails["ben"]).startswith("Black wrote to you and Red, and to nobody else.\n\n")
    assert "Your answer is sent to Black and Red, and to nobody else." in plain(mails["ben"]).replace("\n", " ")
    assert "Sent to White and Red." in plain(mails["ada"])
    town.reply(mails["cleo"], "Agreed.\n\nshow yourself at c3")
    answers = to(town.post())
    assert set(answers) == {"ada", "ben", "cleo"}
    assert "Sent to Black and White." in plain(answers["cleo"])
    assert plain(answers["ada"]).startswith("Red wrote to you and White, and to nobody else.")
    assert '"Agreed.\n\nshow yourself at c3"' in plain(answers["ada"])
    town.reply(answers["ben"], "off we go")
    assert set(to(town.post())) == {"ada", "ben", "cleo"}
    secrets = ["North is ours", "Agreed.\n\nshow yourself at c3", "off we go"]
    for name in ("ada", "ben", "cleo"):
        assert heard(town, match, name) == secrets
    assert heard(town, match, "dana") == heard(town, match, None) == []


@pytest.mark.parametrize("text", ["c3", "b2 or c3 or pass", "wait", "C3.\n\nYours, Ben", "show", "resign"])
def test_an_order_in_the_answer_to_a_message_is_not_passed_on(town: Town, text: str) -> None:
    match = table(town)
    mail = to(town.write(PEOPLE["ada"], f"match {match}\nsay to white: North is ours"))["ben"]
    town.reply(mail, text)
    (answer,) = town.post()
    assert answer["To"].addresses[0].addr_spec == PEOPLE["ben"]
    assert "neither played nor sent to anybody" in plain(answer).replace("\n", " ")
    quoted = [line.removeprefix("| ") for line in plain(answer).splitlines() if line.startswith("| ")]
    assert quoted == [line for line in text.splitlines() if line], "All they wrote is given back."
    assert heard(town, match, "ada") == ["North is ours"]
    town.reply(answer, "c3")
    (noted,) = town.post()
    assert "Your order c3 is saved" in plain(noted)


def test_a_player_who_writes_wait_is_informed_what_it_means(town: Town) -> None:
    match = table(town, game="multigo-parallel-coop")
    (shown,) = town.write(PEOPLE["ben"], f"match {match}\nshow")
    town.reply(shown, "c3")
    town.reply(shown, "wait")
    _, mail = town.post()
    assert mail["Subject"] == f"{mail['Subject'].partition(':')[0]}: you're not ready yet"
    assert "If you had sent a choice for this round, it has been withdrawn." in plain(mail).replace("\n", " ")


def test_a_preference_is_saved_and_not_taken_for_the_move_of_the_round(town: Town) -> None:
    match = table(town, game="multigo-parallel-coop")
    (shown,) = town.write(PEOPLE["ben"], f"match {match}\nshow")
    town.reply(shown, "prefer red")
    (kept,) = town.post()
    assert plain(kept).startswith(
        "Your order prefer red is saved.\n"
        "It applies until you change it, and nobody else sees it before the match\nis over."
    )
    assert "replaces" not in plain(kept)


def test_a_message_can_be_answered_to_one_player_alone(town: Town) -> None:
    match = table(town)
    mail = to(town.write(PEOPLE["ada"], f"match {match}\nsay to all: Good luck"))["ben"]
    town.reply(mail, "say to red: She bluffs")
    assert set(to(town.post())) == {"ben", "cleo"}
    assert heard(town, match, "ada") == ["Good luck"]


def test_a_message_to_one_player_isnt_the_remark_of_the_move_above_it(town: Town) -> None:
    match = table(town)
    mail = to(town.write(PEOPLE["ben"], f"match {match}\nshow"))["ben"]
    town.reply(mail, "c3\nsay to black: North is ours")
    mails = to(town.post())
    assert set(mails) == {"ada", "ben"}
    assert "Accepted: c3" in plain(mails["ben"])
    assert "Sent to Black." in plain(mails["ben"])
    for name, point in (("ada", "a1"), ("cleo", "e5"), ("dana", "e1")):
        order(town, match, name, point)
    assert all("North" not in plain(mail) and "c3" in plain(mail) for mail in town.post())


def test_an_answer_to_the_table_goes_to_the_table(town: Town) -> None:
    match = table(town)
    mails = to(town.write(PEOPLE["dana"], f"match {match}\nsay to all: Good luck"))
    assert plain(mails["ada"]).startswith("Blue wrote to everybody at the table. Watchers")
    town.reply(mails["ada"], "Thanks")
    answers = to(town.post())
    assert set(answers) == {"ada", "ben", "cleo", "dana"}
    assert "Sent to White, Red and Blue." in plain(answers["ada"])


@pytest.mark.parametrize("names", ["white purple", "yellow", "be honest", " ", "and", "black", "black white"])
def test_a_message_with_an_unclear_audience_is_not_sent(town: Town, names: str) -> None:
    match = table(town)
    (answer,) = town.write(PEOPLE["ada"], f"match {match}\nsay to {names}: psst")
    assert "Nobody plays" in plain(answer) or "wasn't sent to anybody" in plain(answer).replace("\n", " ")
    assert [heard(town, match, name) for name in PEOPLE] == [[], [], [], []]


@pytest.mark.parametrize("guest", [Chair("email", PEOPLE["ben"]), Chair("bot")])
def test_a_message_that_nobody_would_read_is_refused_and_not_kept(town: Town, guest: Chair) -> None:
    ada = person(town, "ada")
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), guest])
    town.work()
    town.post()
    (answer,) = town.write(PEOPLE["ada"], f"match {match}\nsay to white: Hello!")
    assert "| say to white: Hello!\n\nNobody else is there to read it, so it wasn't sent." in plain(answer)
    assert heard(town, match, "ada") == []


@pytest.mark.parametrize("press", ["group", "public", "none", "group unsigned"])
def test_private_messages_are_refused_where_press_forbids_them(town: Town, press: str) -> None:
    match = table(town, press)
    for side in SIDES:
        (answer,) = town.write(PEOPLE["ada"], f"match {match}\nsay to {side}: psst")
        assert "this wasn't sent to anybody" in plain(answer).replace("\n", " ")
    with pytest.raises(messages.TalkError, match="sent to anybody"):
        messages.say(town.site, match, person(town, "ada"), "psst", "web:1", [1])
    assert [heard(town, match, name) for name in PEOPLE] == [[], [], [], []]


def test_a_silent_match_has_no_remarks_and_says_so(town: Town) -> None:
    match = table(town, "none", "multigo")
    assert order(town, match, "ada", "c3", "hello there").message.startswith(
        "Your order was accepted. Your message was"
    )
    turn = next(mail for mail in town.post() if "your move 2" in mail["Subject"])
    assert "hello there" not in plain(turn)
    assert "Messages are off in this match, so anything below it isn't sent." in plain(turn).replace("\n", " ")
    town.reply(turn, "b2\nhello yourself")
    told, turn = sorted(town.post(), key=lambda mail: "your move" in mail["Subject"])
    assert told["To"].addresses[0].username == "ben"
    assert 'sent to anybody, because messages are off in this match: "hello yourself"' in plain(told).replace("\n", " ")
    assert "hello" not in plain(turn)
    page = match_page.match_page(town.site, match, person(town, "ada"))
    assert page is not None
    assert [entry.remark for entry in page.entries] == ["", ""]
    for name in ("cleo", "dana", "ada"):
        order(town, match, name, "resign")
    results = [plain(mail) for mail in town.post() if "won" in mail["Subject"]]
    assert len(results) == 4
    assert not [text for text in results if "Anything else you reply is sent to" in text]


@pytest.mark.parametrize(
    ("press", "remark", "message"),
    [("public", True, True), ("group", False, False), ("private", True, False)],
)
def test_watchers_read_what_the_press_allows_and_in_the_end_all_but_private_messages(
    town: Town, press: str, remark: bool, message: bool
) -> None:
    match = table(town, press, "multigo")
    order(town, match, "ada", "c3", "a remark")
    messages.say(town.site, match, person(town, "ben"), "a message", "web:1")
    assert known(town, match) == (remark, message)
    for name in ("ada", "ben", "cleo"):
        order(town, match, name, "resign")
    assert known(town, match) == (True, True)


def known(town: Town, match: int) -> tuple[bool, bool]:
    """Whether a watcher sees the remark, on the page and in records, and whether they see the message."""
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    exported = [records.export(town.site, match, notation) or "" for notation in page.notations]
    remarks = {any(entry.remark for entry in page.entries), *("a remark" in text for text in exported)}
    assert len(remarks) == 1
    return remarks.pop(), heard(town, match, None) == ["a message"]


def test_nobody_sees_who_has_which_seat_until_an_anonymous_match_is_over(town: Town) -> None:
    match = table(town, "private anonymous", "multigo")
    for viewer in (None, *PEOPLE):
        page = match_page.match_page(town.site, match, person(town, viewer) if viewer else None)
        assert page is not None
        assert {line.name for line in page.line.seats if not line.is_me} <= {side.capitalize() for side in SIDES}
        assert {line.player_id for line in page.line.seats if not line.is_me} == {None}
        others = set(PEOPLE) - {viewer}
        texts = [records.export(town.site, match, notation) or "" for notation in page.notations]
        if viewer:
            texts.append(str(data_export.everything(town.site, person(town, viewer))["matches"]))
            token = feeds.address(town.site, person(town, viewer)).rpartition("/")[2]
            texts.append(str(feeds.waiting(town.site, token)))
        assert not [name for name in others for text in texts if name in text]
    assert profiles.search(town.site, profiles.Search(player="ada"), None).lines == ()
    profile = profiles.profile(town.site, person(town, "ada"), None)
    assert profile is not None
    assert profile.matches.lines == ()
    for side in SIDES[:3]:
        order(town, match, names(town, match)[SIDES.index(side)], "resign")
    over = match_page.match_page(town.site, match, None)
    assert over is not None
    assert [line.name for line in over.line.seats] == names(town, match)
    assert len(profiles.search(town.site, profiles.Search(player="ada"), None).lines) == 1


def names(town: Town, match: int) -> list[str]:
    with town.store.reading() as session:
        return [seat.player.name if seat.player else "" for seat in session.get_one(Match, match).seats]


def test_seats_of_anonymous_matches_are_random(town: Town) -> None:
    assert len({tuple(names(town, table(town, "none anonymous"))) for _ in range(4)}) > 1


@pytest.mark.parametrize("below", ["-- \nAda Lovelace", "ada", "Ada.", "\n~ ada@example.org"])
def test_signatures_are_stripped_in_anonymous_matches(town: Town, below: str) -> None:
    match = table(town, "private anonymous", "multigo")
    first = names(town, match)[0]
    below = below.replace("ada", first).replace("Ada", first.capitalize())
    messages.say(town.site, match, person(town, first), f"Let us ally\n{below}", "web:1")
    town.work()
    mails = [plain(mail).lower() for mail in town.post()]
    order(town, match, first, "c3", f"My plan\n{below}")
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert page.entries[0].remark == "My plan"
    assert len(mails) == 3
    assert not [mail for mail in mails if first in mail]


def test_unsigned_messages_dont_show_the_side(town: Town) -> None:
    match = table(town, "group unsigned", "multigo")
    mails = to(town.write(PEOPLE["ada"], f"match {match}\nsay Beware"))
    mails.pop("ada")
    assert len(mails) == 3
    for mail in mails.values():
        assert plain(mail).startswith("Another player wrote to everybody at the table.")
        assert mail["Subject"].endswith("message from another player")
    sides = {line.side for line in messages.heard(town.site, match, person(town, "ben")).lines}
    assert sides == {""}
    assert order(town, match, names(town, match)[0], "c3", "signed by my move").message


def test_a_block_doesnt_reveal_who_speaks_in_an_anonymous_match(town: Town) -> None:
    match = table(town, "private anonymous")
    moderation.set_block(town.site, person(town, "ben"), person(town, "ada"), True)
    messages.say(town.site, match, person(town, "ada"), "Hear me", "web:1")
    assert heard(town, match, "ben") == ["Hear me"]
    with town.store.reading() as session:
        assert session.get_one(Player, person(town, "ben")).name == "ben"


def test_nothing_shows_who_wrote_an_unsigned_message_once_the_match_is_over(town: Town) -> None:
    match, ada, ben = table(town, "group unsigned", "multigo"), person(town, "ada"), person(town, "ben")
    messages.say(town.site, match, ada, "Beware", "web:1")
    for name in names(town, match)[:3]:
        order(town, match, name, "resign")
    moderation.set_block(town.site, ben, ada, True)
    since = town.now - timedelta(seconds=1)
    town.post()
    mails = to(town.write(PEOPLE["ada"], f"match {match}\nsay Well played\n\n-- \nAda"))
    assert plain(mails["ben"]).startswith("Another player wrote")
    for viewer in ("ben", "cleo", None):
        assert heard(town, match, viewer) == ["Beware", "Well played"]
    with town.store.reading() as session:
        assert [one.text for one in messages.heard_since(session, ben, since, 9)] == ["Well played"]


def test_a_message_written_after_the_clock_was_set_back_is_the_newest(town: Town) -> None:
    """Open pages compare its time with that of the last one they show, and would load again and again."""
    match, ada = table(town), person(town, "ada")
    for text in ("Early", "Late"):
        messages.say(town.site, match, ada, text, f"web:{text}")
        town.now -= timedelta(minutes=30)
    last = messages.heard(town.site, match, ada).lines[-1]
    assert last.text == "Late"
    assert messages.newest(town.site, match, ada) == last.said


def test_an_answer_to_a_message_that_its_writer_never_got_is_refused(town: Town) -> None:
    first, second = table(town), table(town)
    mails = to(town.write(PEOPLE["ada"], f"match {first}\nsay to white: psst"))
    messages.say(town.site, second, person(town, "cleo"), "elsewhere", "web:1", [3])
    with town.store.reading() as session:
        own = session.get_one(Match, second).seats[1]
        former = [ReplyAddress(1, second, 1, number, Purpose.PRESS) for number in (1, 2, 3)]
        for meant in (*former, ReplyAddress(1, second, 2, 1, Purpose.TALK)):
            with pytest.raises(messages.TalkError, match="wasn't sent to you"):
                messages.answering(session, own.match, own, meant)
    town.work()
    town.post()
    town.reply(mails["ben"], "x" * 2001)
    (refusal,) = town.post()
    assert "up to 2,000 characters" in plain(refusal)


def test_players_see_the_press_before_anybody_accepts(town: Town) -> None:
    mails = town.write(PEOPLE["ada"], "new multigo size=5 press=group,anonymous vs ben@example.org cleo@example.org")
    for mail in mails[:2]:
        text = plain(mail).replace("\n", " ")
        assert "Players talk to the whole table, not to chosen players." in text
        assert "Until the match is over, players don't learn who sits where" in text
    (refused,) = town.write(PEOPLE["ada"], "new multigo press=loud vs open")
    assert "Press must be private, group, public or none" in plain(refused)


@pytest.mark.parametrize(
    ("spoken", "text", "heard_by", "told_the_writer"),
    [
        ("private", "accept", "message from White", False),
        ("group unsigned", "accept", "message from another player", False),
        ("none", "accept", "", True),
        ("private", "decline", "the invitation was declined", False),
        ("none", "decline", "", True),
    ],
)
def test_words_below_the_answer_to_an_invitation_reach_the_host_or_their_writer_is_informed(
    town: Town, spoken: str, text: str, heard_by: str, told_the_writer: bool
) -> None:
    host = person(town, "ada")
    chairs = [Chair("me"), Chair("email", PEOPLE["ben"])]
    match = lobby.open_match(town.site, host, "rosette", {"base": "5"}, chairs, "none", spoken)
    town.work()
    (invitation,) = town.post()
    town.reply(invitation, f"{text}\n{REMARK}")
    mails = town.post()
    told = [mail for mail in mails if REMARK in plain(mail)]
    assert len(told) == 1
    assert told[0]["To"].addresses[0].username == ("ben" if told_the_writer else "ada")
    assert (heard_by or "your message wasn't sent") in told[0]["Subject"]
    assert heard(town, match, "ada") == ([] if told_the_writer else [REMARK])
