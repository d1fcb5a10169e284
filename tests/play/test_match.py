"""A match from invitation to result, by email and on the web."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlalchemy import func, select

from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_page
from service.store.models import Entry, Match, Submission
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, plain


def player(town: Town, email: str) -> int:
    with town.store.writing() as session:
        return identity.by_email(session, email, town.now).id


def rosette(town: Town) -> tuple[int, int]:
    """A match that ada (Black, on the web) and ben (White, by email) have begun: ada's player id and the match's."""
    ada = player(town, "ada@example.org")
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    match = lobby.open_match(town.site, ada, "rosette", {"base": "5"}, chairs)
    town.work()
    (invitation,) = town.post()
    assert invitation["Subject"] == f"Rosette {match}: you're invited to play"
    town.reply(invitation, "accept")
    return ada, match


@pytest.mark.parametrize(("reply", "state"), [("Yes,\n\nI'd love to!\n\nBen", "running"), ("No,\nsorry.", "declined")])
def test_an_invitation_is_answered_by_a_yes_or_no_with_a_comma(town: Town, reply: str, state: str) -> None:
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    match = lobby.open_match(town.site, player(town, "ada@example.org"), "rosette", {"base": "5"}, chairs)
    town.work()
    (invitation,) = town.post()
    town.reply(invitation, reply)
    with town.store.reading() as session:
        assert session.get_one(Match, match).state == state


def play(town: Town, player_id: int, match: int, text: str, round_: int | None = None) -> match_page.Verdict:
    key = f"web:{town.now.timestamp()}:{text}"
    submit(town.site, Incoming(key, match, 0, player_id, round_, parse(text), "web"))
    town.work()
    verdict = match_page.verdict(town.site, key, player_id)
    assert verdict is not None
    return verdict


def count(town: Town, row: type[Entry | Match | Submission | IncomingMail]) -> int:
    with town.store.reading() as session:
        return session.scalar(select(func.count()).select_from(row)) or 0


def test_a_match_by_email_and_on_the_web_from_invitation_to_result(town: Town) -> None:
    ada, match = rosette(town)
    mails = [(mail["To"].addresses[0].addr_spec, mail["Subject"]) for mail in town.post()]
    assert mails == [
        ("ada@example.org", f"Rosette {match}: your move 1 (the match has begun)"),
        ("ben@example.net", f"Rosette {match}: the match has begun"),
    ]

    assert play(town, ada, match, "g10").state == "accepted"
    (turn,) = town.post()
    assert turn["Subject"] == f"Rosette {match}: your move 2 (Black played g10)"
    assert "Black played g10." in plain(turn)
    assert [part.get_content_type() for part in turn.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "image/svg+xml",
    ]

    town.reply(turn, "e10\nGood luck!")
    (turn,) = town.post()
    assert "Good luck!" in plain(turn)
    assert play(town, ada, match, "pass").state == "accepted"
    town.reply(town.post()[-1], "pass")
    assert play(town, ada, match, "accept").state == "accepted"
    town.reply(town.post()[-1], "accept")
    results = town.post()
    assert {mail["To"].addresses[0].addr_spec for mail in results} == {"ada@example.org", "ben@example.net"}
    page = match_page.match_page(town.site, match, ada)
    assert page is not None
    assert page.line.state == "over"
    assert [entry.move for entry in page.entries] == ["g10", "e10", "pass", "pass", "accept", "accept"]


def test_an_email_received_five_times_is_one_move(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    turn = town.post()[-1]
    for _ in range(5):
        town.reply(turn, "e10", message_id="<same@program.example>")
    assert count(town, Entry) == 2
    assert count(town, Submission) == 3


def test_a_reply_to_an_old_email_is_answered_and_not_played(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    old = town.post()[-1]
    town.reply(old, "e10")
    play(town, ada, match, "g9")
    town.post()
    town.reply(old, "e12\nMy remark")
    (refusal,) = town.post()
    assert "That order was for move 2, but the match is now at move 4." in plain(refusal)
    assert "You wrote:\n\ne12\nMy remark" in plain(refusal)
    assert count(town, Entry) == 3


def test_a_player_can_resign_without_having_seen_the_latest_move(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    town.reply(town.post()[-1], "e10")
    assert play(town, ada, match, "g9", 1).state == "refused"
    assert play(town, ada, match, "resign", 1).state == "accepted"


@pytest.mark.parametrize("order", ["g9", "wait", "g9 or h9", "resign", "takeback", "pause", "give 1 day"])
def test_an_order_for_a_later_round_is_refused(town: Town, order: str) -> None:
    # A backup was restored, and later moves are lost. Emails and pages about them are still around.
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    town.reply(town.post()[-1], "e10")
    verdict = play(town, ada, match, order, 9)
    assert (verdict.state, verdict.message) == (
        "refused",
        "That order was for move 9, but the match is now at move 3. Nothing was played. "
        "Look at the current board before you send another order.",
    )
    assert count(town, Entry) == 2
    assert play(town, ada, match, "g9", 3).state == "accepted"


def counted(town: Town) -> tuple[int, int, EmailMessage]:
    """A match whose play has ended in round 5: ada, the match, and the email that asks ben about the count."""
    ada, match = rosette(town)
    for number, text in enumerate(("g10", "e10", "pass", "pass")):
        if number % 2:
            town.reply(town.post()[-1], text)
        else:
            play(town, ada, match, text)
    return ada, match, next(mail for mail in town.post() if mail["To"].addresses[0].addr_spec == "ben@example.net")


def test_a_player_can_accept_the_count_without_having_seen_that_the_other_did(town: Town) -> None:
    ada, match, asked = counted(town)
    assert play(town, ada, match, "accept", 5).state == "accepted"
    town.reply(asked, "accept")
    assert count(town, Entry) == 6
    assert "won on points" in town.post()[-1]["Subject"]


def test_a_second_copy_of_an_accept_is_called_one(town: Town) -> None:
    ada, match, _ = counted(town)
    assert [play(town, ada, match, "accept", 5).state for _ in range(2)] == ["accepted", "refused"]
    with town.store.reading() as session:
        told = session.scalars(select(Submission.message).order_by(Submission.id.desc())).first()
    assert told == "accept was already played as move 5, so it wasn't played again."


def test_a_player_cannot_accept_a_count_they_havent_seen(town: Town) -> None:
    ada, match, asked = counted(town)
    assert play(town, ada, match, "dead e10", 5).state == "accepted"
    town.reply(asked, "accept")
    assert "That order was for move 5, but the match is now at move 6." in plain(town.post()[-1])
    assert count(town, Entry) == 5


def allying(town: Town) -> tuple[dict[str, int], int, dict[str, EmailMessage]]:
    """An open round of alliances: the ids of ada (on the web), ben and cleo, the match, and the last email to each."""
    ids = {name: player(town, f"{name}@example.org") for name in ("ada", "ben", "cleo")}
    chairs = [Chair("me"), Chair("email", "ben@example.org"), Chair("email", "cleo@example.org")]
    options = {"size": "5", "alliances": "open"}
    match = lobby.open_match(town.site, ids["ada"], "multigo-coop", options, chairs)
    for name in ("ben", "cleo"):
        invitations.answer(town.site, match, ids[name], accept=True)
    for text in ("pass", "accept"):
        for seat, name in enumerate(ids):
            submit(town.site, Incoming(f"web:{seat}:{text}", match, seat, ids[name], None, parse(text), "web"))
            town.work()
    return ids, match, {mail["To"].addresses[0].username: mail for mail in town.post()}


def moves(town: Town, match: int, player_id: int) -> list[str]:
    page = match_page.match_page(town.site, match, player_id)
    assert page is not None
    return [entry.move for entry in page.entries][6:]


def test_a_player_can_name_allies_without_having_seen_that_another_did(town: Town) -> None:
    """A first declaration doesn't ask the others again, so their answers from before it count."""
    ids, match, asked = allying(town)
    assert play(town, ids["ada"], match, "ally white").state == "accepted"
    town.reply(asked["ben"], "ally black")
    assert moves(town, match, ids["ada"]) == ["ally white", "ally black"]
    town.post()
    town.reply(asked["ben"], "ally black")
    assert "ally black was already played as move 7, so it wasn't played again." in plain(town.post()[-1])
    town.reply(asked["cleo"], "alone")
    assert moves(town, match, ids["ada"]) == ["ally white", "ally black", "alone"]


def test_a_player_names_allies_again_after_somebody_has_changed_theirs(town: Town) -> None:
    ids, match, asked = allying(town)
    for text in ("ally white", "ally red"):
        assert play(town, ids["ada"], match, text).state == "accepted"
    town.post()
    town.reply(asked["ben"], "ally black")
    assert "That order was for move 7, but the match is now at move 9." in plain(town.post()[-1])
    assert moves(town, match, ids["ada"]) == ["ally white", "ally red"]


def test_a_player_who_left_and_ended_the_match_by_it_is_in_the_result(town: Town) -> None:
    ids, match, asked = allying(town)
    town.reply(asked["ben"], "ally black")
    assert play(town, ids["ada"], match, "ally white").state == "accepted"
    town.post()
    town.reply(asked["cleo"], "resign")
    town.reply(town.post()[-1], "yes")
    told = {mail["To"].addresses[0].username: plain(mail) for mail in town.post()}
    assert all("Red resigned." in told[name] for name in ("ada", "ben"))
    page = match_page.match_page(town.site, match, ids["ada"])
    assert page is not None
    assert (page.line.state, page.news[-1].move, page.news[-1].told) == ("over", "resign", False)


def test_a_refusal_has_the_board_examples_and_the_players_own_text(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    town.reply(town.post()[-1], "g10\nwhat a fine place")
    (refusal,) = town.post()
    text = plain(refusal)
    assert refusal["To"].addresses[0].addr_spec == "ben@example.net"
    assert refusal["Auto-Submitted"] == "auto-replied"
    assert "taken" in text
    assert "for example:" in text
    assert "what a fine place" in text
    town.reply(refusal, "e10")
    assert count(town, Entry) == 2


def test_a_reply_with_a_broken_token_plays_nothing_and_is_not_answered(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    turn = town.post()[-1]
    address = turn["Reply-To"].addresses[0].addr_spec
    del turn["Reply-To"]
    turn["Reply-To"] = address.replace(address[8], "a" if address[8] != "a" else "b", 1)
    town.reply(turn, "e10")
    assert count(town, Entry) == 1
    assert town.post() == []
    with town.store.reading() as session:
        verdicts = session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)).all()
    assert verdicts == ["order", "unknown-address"]


def test_of_two_orders_for_one_round_the_first_is_played(town: Town) -> None:
    ada, match = rosette(town)
    for number, text in enumerate(("g10", "g11")):
        submit(town.site, Incoming(f"web:{number}", match, 0, ada, 1, parse(text), "web"))
    town.work()
    with town.store.reading() as session:
        judged = session.execute(
            select(Submission.verdict, Submission.message).where(Submission.door == "web").order_by(Submission.id)
        ).all()
    assert [verdict for verdict, _ in judged] == ["accepted", "refused"]
    assert "move 1, but the match is now at move 2" in judged[1].message


def test_a_row_can_get_the_number_of_one_that_was_rolled_back(town: Town) -> None:
    with town.site.transaction() as tx:
        nested = tx.session.begin_nested()
        kept = identity.by_email(tx.session, "gone@example.org", town.now)  # Kept so that the session still has it.
        nested.rollback()
        made = identity.by_email(tx.session, "made@example.org", town.now)
        assert made.email == "made@example.org"
    assert kept is not None


def test_a_bot_answers_until_the_match_is_over(town: Town) -> None:
    ada = player(town, "ada@example.org")
    match = lobby.open_match(town.site, ada, "go", {"size": "5"}, [Chair("me"), Chair("bot")])
    town.work()
    for _ in range(3):
        page = match_page.match_page(town.site, match, ada)
        assert page is not None
        assert page.line.my_turn
        assert page.draft is not None
        assert play(town, ada, match, page.draft.choices[0].text).state == "accepted"
    for _ in range(25):
        assert play(town, ada, match, "pass").state == "accepted"
        if play(town, ada, match, "accept").state == "accepted":
            break
    page = match_page.match_page(town.site, match, ada)
    assert page is not None
    assert page.line.state == "over"


def test_examples_and_words_in_an_email_are_whole_orders(town: Town) -> None:
    ada = player(town, "ada@example.org")
    chairs = [Chair("me"), Chair("email", "ben@example.net"), Chair("email", "cy@example.net")]
    match = lobby.open_match(town.site, ada, "multigo-coop", {"size": "5"}, chairs)
    town.work()
    for invitation in town.post():
        town.reply(invitation, "accept")
    for _ in range(3):
        asked = play_for_the_player_who_is_asked(town, "pass")
    for question in asked:
        town.post()
        town.reply(question, "accept")
    letters = town.post()
    assert {str(letter["To"].addresses[0].addr_spec) for letter in letters} >= {"ben@example.net", "cy@example.net"}
    assert "ally black" in plain(letters[-1])
    town.reply(letters[-1], "ally black")
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert all(entry.move != "ally black" for entry in page.entries)


def play_for_the_player_who_is_asked(town: Town, order: str) -> list[EmailMessage]:
    """Replies with `order` to the first turn email; returns the emails that follow."""
    town.reply(next(mail for mail in town.post() if "your move" in mail["Subject"]), order)
    before = town.seen
    letters = town.post()
    town.seen = before
    return letters


def test_a_move_sent_again_in_a_new_email_is_reported_as_played(town: Town) -> None:
    ada, match = rosette(town)
    play(town, ada, match, "g10")
    turn = town.post()[-1]
    town.reply(turn, "e10")
    town.post()
    town.reply(turn, "e10")
    refusal = town.post()[-1]
    assert "e10 was already played as move 2, so it wasn't played again." in plain(refusal)
    assert refusal["Subject"].endswith(": e10 was already played")
    assert count(town, Entry) == 2


def test_a_reply_to_an_invitation_that_answers_nothing_says_what_to_reply(town: Town) -> None:
    rosette_invitation = invitation(town)
    for words in ("g10", "no thanks, enough for today"):
        town.reply(rosette_invitation, words)
        (refusal,) = town.post()
        told = " ".join(plain(refusal).split())
        assert "The match hasn't begun. Reply to the invitation with accept or decline on the first line." in told
        assert words in told
        assert refusal["Subject"].endswith(": the match hasn't begun")
    town.reply(rosette_invitation, "OK, thanks!")
    assert "has begun" in " ".join(mail["Subject"] for mail in town.post())


@pytest.mark.parametrize("withdrawn", [True, False])
def test_an_invitation_that_is_no_longer_open_is_answered_so(town: Town, withdrawn: bool) -> None:
    mail = invitation(town)
    if withdrawn:
        with town.store.reading() as session:
            match = session.get_one(Match, 1)
        invitations.withdraw(town.site, 1, match.creator_id or 0)
        town.work()
    else:
        town.reply(mail, "decline")
    town.post()
    town.reply(mail, "accept")
    (refusal,) = town.post()
    told = " ".join(plain(refusal).split())
    assert "The invitation to this match was declined or withdrawn, so it never began." in told


def invitation(town: Town) -> EmailMessage:
    """The email that invites Ben."""
    ada = player(town, "ada@example.org")
    lobby.open_match(town.site, ada, "rosette", {"base": "5"}, [Chair("me"), Chair("email", "ben@example.net")])
    town.work()
    (mail,) = [mail for mail in town.post() if "ben" in mail["To"]]
    return mail


@pytest.mark.parametrize(
    ("game", "chairs", "why"),
    [
        ("chess", [Chair("me"), Chair("open")], "There's no game called 'chess' here."),
        ("rosette", [Chair("bot"), Chair("bot", bot="daisy")], "At least one player must be human."),
    ],
)
def test_a_match_that_cannot_be_played_is_not_opened(town: Town, game: str, chairs: list[Chair], why: str) -> None:
    with pytest.raises(invitations.LobbyError, match=why):
        lobby.open_match(town.site, player(town, "ada@example.org"), game, {}, chairs)
    assert count(town, Match) == 0


def test_a_match_that_would_be_over_at_once_is_not_opened(town: Town) -> None:
    setup = {"setup": "k1T8/11/1K9/11/11/11/11/11/11/11/11 b"}
    with pytest.raises(invitations.LobbyError, match="In this setup the game is already over") as caught:
        lobby.open_match(town.site, player(town, "ada@example.org"), "pillars", setup, [Chair("me"), Chair("open")])
    assert caught.value.field == "setup"
    assert count(town, Match) == 0


def test_a_choice_sent_again_in_a_later_round_is_reported_as_played(town: Town) -> None:
    ada, ben = player(town, "ada@example.org"), player(town, "ben@example.net")
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    match = lobby.open_match(town.site, ada, "multigo-parallel", {"size": "5"}, chairs)
    invitations.answer(town.site, match, ben, True)
    town.work()
    turns = {mail["To"].addresses[0].username: mail for mail in town.post()}
    with town.store.reading() as session:
        first = session.get_one(Match, match).seats[0].player_id
    one, other = ("ada", "ben") if first == ada else ("ben", "ada")
    town.reply(turns[one], "c3")
    town.reply(turns[other], "a1")
    town.post()
    town.reply(turns[one], "c3")
    (refusal,) = town.post()
    assert "c3 was already played in round 1, so it wasn't played again." in " ".join(plain(refusal).split())
