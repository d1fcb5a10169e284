"""What people write without knowing the commands: to stop emails, how to play, a draw, an encrypted email."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.mail.grammar import command_lines
from service.play.orders import undo
from service.store.models import Match, Player, Seat
from tests.play.conftest import Town, parsed, plain
from tests.play.inbox.test_run_commands import rosette
from tests.play.test_match import player
from tests.play.test_prose import ADA, BEN, begun, moves, posted, spoken


def chosen(town: Town) -> tuple[str, str]:
    """Ada's choice of emails: in general, and for match 1."""
    with town.store.reading() as session:
        everything = session.scalars(select(Player.post).where(Player.email == ADA)).one()
        return everything, session.get_one(Seat, (1, 0)).post


STOPPED_HERE = (
    "You'll get no emails about Rosette 1 until you write unmute, not even a reminder before your time runs out. To "
    "stop all emails from Stonepost, write stop all."
)


@pytest.mark.parametrize("text", ["stop", "Stop!", "unsubscribe", "Please stop sending me these emails", "stop\n\nAda"])
def test_stop_in_a_reply_stops_the_emails_of_that_match(town: Town, text: str) -> None:
    town.reply(begun(town)[ADA], text)
    assert STOPPED_HERE in posted(town)[ADA]
    assert chosen(town) == ("instant", "off")
    assert spoken(town) == []


@pytest.mark.parametrize("text", ["stop all", "Stop all emails.", "unsubscribe from all", "off"])
def test_stop_all_in_a_reply_stops_all_emails(town: Town, text: str) -> None:
    town.reply(begun(town)[ADA], text)
    assert "You'll get no emails except answers to your own" in posted(town)[ADA]
    assert chosen(town) == ("off", "")


@pytest.mark.parametrize("text", ["stop", "unsubscribe", "stop all"])
def test_stop_sent_to_the_desk_stops_all_emails(town: Town, text: str) -> None:
    begun(town)
    town.write(ADA, text)
    assert chosen(town) == ("off", "")


def test_stop_in_the_answer_to_a_message_stops_the_emails_of_its_match(town: Town) -> None:
    mails = begun(town)
    town.reply(mails[BEN], "say Hello")
    (message,) = [mail for mail in town.post() if "message from" in mail["Subject"]]
    town.reply(message, "stop")
    assert STOPPED_HERE in posted(town)[ADA]
    assert chosen(town) == ("instant", "off")
    assert spoken(town) == ["Hello"]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("if e10", "Rosette 1: your conditional moves weren't saved"),
        ("if e10 then g11 if", "Rosette 1: your conditional moves weren't saved"),
        ("g10; if e10 then", 'Rosette 1: "g10" wasn\'t played'),
        ("standing e10 or", "Rosette 1: your standing order wasn't saved"),
        ("extend much", "Rosette 1: no time was given"),
        ("pause until never", "Rosette 1: your request wasn't sent"),
        ("resume", "Rosette 1: play wasn't resumed"),
        ("draw", "Rosette 1: you couldn't offer a draw"),
        ("accept draw", "Rosette 1: you couldn't accept a draw"),
        ("decline draw", "Rosette 1: you couldn't decline a draw"),
        ("accept", "Rosette 1: you couldn't accept"),
        ("decline", "Rosette 1: you couldn't decline"),
        ("accept takeback", "Rosette 1: you couldn't accept"),
        ("withdraw", "Rosette 1: nothing was withdrawn"),
        ("yes", "Rosette 1: your answer didn't count"),
        ("no", "Rosette 1: your answer didn't count"),
        ("undo", "Rosette 1: nothing was undone"),
        ("rematch", "Rosette 1: your rematch wasn't arranged"),
        ("review", "Rosette 1: the match wasn't reviewed"),
        ("leave team", "Rosette 1: you couldn't leave your team"),
        ("dead c3", "Rosette 1: no stones were marked as dead"),
        ("e99", 'Rosette 1: "e99" wasn\'t played'),
    ],
)
def test_the_subject_of_a_refused_conditional_move_does_not_repeat_it(town: Town, text: str, subject: str) -> None:
    town.reply(begun(town)[ADA], text)
    (refusal,) = town.post()
    assert refusal["Subject"] == subject
    assert f"You wrote:\n\n{text}" in plain(refusal)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("accept", "There's nothing to accept: the match has begun, and nothing is offered."),
        ("resume play", "The match isn't paused."),
        ("leave team", "You're the only player in this seat, so there's no team to leave."),
    ],
)
def test_an_order_for_which_there_is_nothing_is_refused(town: Town, text: str, why: str) -> None:
    town.reply(begun(town)[ADA], text)
    (refusal,) = town.post()
    assert plain(refusal).startswith(why)


@pytest.mark.parametrize(
    ("game", "text", "missing"),
    [
        ("rosette", "if e10 then z99", "z99"),
        ("rosette", "if z99 then e10", "z99"),
        ("rosette", "if e10 then g11 or z99", "z99"),
        ("lotus", "if a1 then b40", "b40"),
        ("medusa", "if a1 then a3-z1", "z1"),
        ("medusa", "if a1 then b2", "b2"),
        ("pillars", "if pass then H-Z9", "z9"),
        ("go", "if c3 then i4", "i4"),
        ("multigo", "if c3 then z4", "z4"),
    ],
)
def test_conditional_moves_to_a_point_that_isnt_on_the_board_are_refused(
    town: Town, game: str, text: str, missing: str
) -> None:
    if game == "pillars":
        text = text.replace("pass", "E3-E4")
    town.reply(begun(town, game)[BEN], text)
    (refusal,) = town.post()
    assert refusal["Subject"].endswith("your conditional moves weren't saved")
    assert f"There's no {missing} on this board, so" in " ".join(plain(refusal).split())
    assert f"You wrote:\n\n{text}" in plain(refusal)
    with town.store.reading() as session:
        assert [seat.ahead for seat in session.get_one(Match, 1).seats] == ["", ""]


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("pillars", "if E3-E4 then MA-c3"),
        ("pillars", "if E3-E4 then HxD4"),
        ("go", "if pass then pass"),
        ("go", "if c3 then j4"),
    ],
)
def test_conditional_moves_that_may_become_possible_are_kept(town: Town, game: str, text: str) -> None:
    town.reply(begun(town, game)[BEN], text)
    assert [mail["Subject"].partition(": ")[2] for mail in town.post()] == ["your conditional moves are saved"]


def test_a_long_message_below_an_order_is_cut_and_shows_where(town: Town) -> None:
    town.reply(begun(town)[ADA], "g10\n" + "Ab cd. " * 2_000)
    (turn,) = town.post()
    assert plain(turn).partition('"\n\n')[0].endswith(" [...]")
    assert plain(parsed(town.receipts[-1])).partition('"\n\n')[0].endswith(" [...]")


def test_a_long_order_is_refused_and_never_cut(town: Town) -> None:
    turn = begun(town)[ADA]
    town.reply(turn, f"e10{' ' * 1990}or g11{' or e12' * 300}")
    (refusal,) = town.post()
    assert "An order can have up to 2,000 characters, and yours has more." in plain(refusal)
    assert " or e12 or e12" in " ".join(plain(refusal).split())
    town.reply(turn, "e10")
    assert spoken(town) == []
    with town.store.reading() as session:
        assert session.get_one(Match, 1).ply == 1


@pytest.mark.parametrize("seconds", sorted(undo.CHOICES))
@pytest.mark.parametrize("unit", ["", "s", " s", " sec", " secs", " second", " seconds", "s."])
def test_seconds_of_grace_may_have_a_unit(town: Town, seconds: int, unit: str) -> None:
    text = f"grace {seconds}{unit}"
    assert command_lines.counts(command_lines.line(text), lambda _text: False)
    ada = player(town, ADA)
    town.write(ADA, text)
    with town.store.reading() as session:
        assert session.get_one(Player, ada).grace == seconds


@pytest.mark.parametrize("text", ["grace 45s", "grace 60m", "grace soon", "grace 99999"])
def test_other_seconds_of_grace_are_refused(town: Town, text: str) -> None:
    player(town, ADA)
    (answer,) = town.write(ADA, text)
    assert "Write one of 0, 30, 60, 300 seconds, for example grace 60." in " ".join(plain(answer).split())


@pytest.mark.parametrize("game", ["lotus", "medusa", "go", "multigo-coop"])
def test_a_game_without_draws_says_what_ends_it(town: Town, game: str) -> None:
    turn = begun(town, game)[ADA]
    town.reply(turn, "draw")
    assert (
        "has no draws by agreement, so nothing was offered: to end the match, resign, or pass, and the board is "
        "counted when everybody has passed." in posted(town)[ADA]
    )


def test_a_draw_offered_during_the_count_is_answered_with_the_count(town: Town) -> None:
    begun(town, "go")
    for name in (ADA, BEN):
        town.write(name, "match 1\npass")
    (answer,) = town.write(ADA, "match 1\ndraw")
    assert "to end the match, resign, or accept the count." in " ".join(plain(answer).split())


@pytest.mark.parametrize("game", ["lotus", "pillars"])
def test_how_do_i_play_names_the_rules_of_that_game(town: Town, game: str) -> None:
    town.reply(begun(town, game)[ADA], "How do I play?")
    answer = posted(town)[ADA]
    assert f": {town.settings.public_url}/rules/{game}" in answer
    assert "Play a move. In a reply the move alone on the first line is enough." in answer


SECRET = "hQEMA8JxYzUvWk1RAQf+KL0pq"
PGP = f"-----BEGIN PGP MESSAGE-----\nVersion: GnuPG v2\n\n{SECRET}\n=abcd\n-----END PGP MESSAGE-----\n"


@pytest.mark.parametrize("text", [PGP, f"Hello Ben,\n\n{PGP}", f"g10\n{PGP}", f"{PGP}\n> {SECRET}"])
def test_the_answer_to_an_encrypted_email_does_not_quote_it(town: Town, text: str) -> None:
    town.reply(begun(town)[ADA], text)
    answers = posted(town)
    assert answers.keys() == {ADA}
    assert "Your email is encrypted with PGP, and Stonepost has no key to read it." in answers[ADA]
    assert SECRET not in answers[ADA]
    assert moves(town) == []
    assert spoken(town) == []


def test_a_move_above_a_quoted_encrypted_email_is_played(town: Town) -> None:
    quoted = "\n".join(f"> {line}" for line in PGP.splitlines())
    town.reply(begun(town)[ADA], f"g10\n\nBen wrote:\n{quoted}")
    assert moves(town) == ["g10"]


def test_a_move_below_the_number_of_another_match_isnt_for_the_round_of_the_email_it_is_written_in(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10")
    (turn,) = (mail for mail in town.post() if "your move 2" in mail["Subject"])
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")[0]
    town.reply(invitation, "accept")
    town.post()
    town.reply(turn, "e10")
    (third,) = (mail for mail in town.post() if "your move 3" in mail["Subject"])
    town.reply(third, "match 2\ne9")
    (mail,) = (mail for mail in town.post() if mail["Subject"].startswith("Re:"))
    assert "Accepted: e9 in Rosette 2." in plain(mail)


def test_accept_below_the_number_of_another_match_isnt_completed_with_what_is_offered_in_this_one(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "pause")
    (asked,) = (mail for mail in town.post() if "can the match be paused?" in mail["Subject"])
    town.write(ADA, f"new rosette base=5 vs {BEN}")
    town.reply(asked, "match 2\naccept\nstatus")
    (mail,) = (mail for mail in town.post() if mail["Subject"].startswith("Re:"))
    assert "Accepted: accept in Rosette 2." in plain(mail)
