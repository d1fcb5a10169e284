"""Receipts: a player who orders by email reads the result, once."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select, update

from service.play.accounts import identity
from service.play.inbox.receive import receive
from service.play.match import lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.operations.sweep import sweep
from service.play.outbox.deliver import deliver, judge_and_send
from service.store.models import Match, Player
from service.store.tables.pulse import Pulse
from tests.play.conftest import Town, parsed, plain, whole
from tests.play.inbox.test_run_commands import ADA, BEN, answer, rosette
from tests.play.orders.test_conditional import send


def receipts(town: Town) -> list[EmailMessage]:
    """The receipts since the last look."""
    town.post()
    found, town.receipts = town.receipts, []
    return [*map(parsed, found)]


def swept(town: Town) -> None:
    town.now += timedelta(minutes=2)
    with town.store.writing() as session:
        session.execute(update(Pulse).values(at=town.now))
    sweep(town.site)
    town.work()


def against_bot(town: Town) -> EmailMessage:
    """Begins a match against the bot in which Ada has the first move. Returns the email that asks her for it."""
    with town.store.writing() as session:
        ada = identity.by_email(session, ADA, town.now).id
    lobby.open_match(town.site, ada, "rosette", {"base": "5"}, [Chair("me"), Chair("bot")])
    town.work()
    (turn,) = town.post()
    return turn


def test_a_move_by_email_is_confirmed_in_the_thread_of_its_match(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10\nGood luck!", message_id="<sent@program.example>")
    (receipt,) = receipts(town)
    assert receipt["To"].addresses[0].addr_spec == ADA
    assert receipt["Subject"] == "Rosette 1: you played g10"
    assert receipt["In-Reply-To"] == "<sent@program.example>"
    assert receipt["References"].split()[0] == turns[ADA]["References"].split()[0]
    said = plain(receipt)
    assert said.startswith('You played g10. White to move.\nYou also wrote:\n\n"Good luck!"\n\n')
    assert "\n\nTo stop these receipts, reply with: receipts off\nOn the web: http" in said
    assert "X" in said.partition("You're playing Black")[0]


def test_receipts_are_turned_off_and_on_with_a_word(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10")
    (receipt,) = receipts(town)
    town.reply(receipt, "receipts off")
    assert "You won't get receipts for the moves you send by email." in " ".join(plain(town.post()[-1]).split())
    town.reply(turns[ADA], "takeback")
    assert receipts(town) == []
    assert answer(town, "receipts on")["receipts on"].startswith("When a move you sent by email is played")
    assert answer(town, "receipts maybe")["receipts maybe"].startswith("Write receipts on, receipts off")
    town.reply(turns[ADA], "withdraw")
    assert [mail["Subject"] for mail in receipts(town)] == ["Rosette 1: you withdrew your offer"]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("g10", "You played g10. White to move."),
        ("pass", "You passed. White to move."),
        ("pause", "You asked for a pause. It's your move."),
    ],
)
def test_what_a_receipt_says(town: Town, order: str, said: str) -> None:
    town.reply(rosette(town)[ADA], order)
    assert [plain(mail).partition("\n")[0] for mail in receipts(town)] == [said]


def test_a_player_who_agrees_to_a_takeback_gets_a_receipt(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10")
    (turn,) = (mail for mail in town.post() if "your move" in mail["Subject"])
    town.reply(turns[ADA], "takeback")
    receipts(town)
    town.reply(turn, "accept takeback\nNo problem!")
    (receipt,) = receipts(town)
    assert receipt["Subject"] == "Rosette 1: you agreed to the takeback"
    assert plain(receipt).startswith("You agreed to the takeback. Black to move.\n")


def test_an_order_on_the_web_needs_no_receipt(town: Town) -> None:
    rosette(town)
    send(town, 1, 1, 0, "g10")
    assert receipts(town) == []


def test_an_order_among_commands_is_reported_in_their_answer_alone(town: Town) -> None:
    rosette(town)
    assert answer(town, "match 1\ng10")["g10"] == "Accepted: g10 in Rosette 1."
    assert receipts(town) == []


def test_the_email_with_a_bots_answer_replaces_the_receipt(town: Town) -> None:
    town.reply(against_bot(town), "g10")
    assert ["your move" in mail["Subject"] for mail in town.post()] == [True]
    swept(town)
    assert receipts(town) == []


def test_a_receipt_is_sent_if_the_bot_doesnt_answer(town: Town) -> None:
    turn = against_bot(town)
    raw = town.written(turn, "g10")
    receive(town.site, *raw, "smtp")
    town.queue.clear()
    judge_and_send(town.site, 1)
    town.queue.clear()
    town.now += timedelta(minutes=2)
    deliver(town.site, 2)
    assert [mail["Subject"] for mail in receipts(town)] == ["Rosette 1: you played g10"]


def test_the_email_with_a_conditional_reply_replaces_the_receipt(town: Town) -> None:
    turns = rosette(town)
    send(town, 2, 1, 1, "if g10 then e10")
    town.reply(turns[ADA], "g10")
    assert [mail["Subject"] for mail in town.post()] == ["Rosette 1: your move 3 (White played e10)"]
    swept(town)
    assert receipts(town) == []


@pytest.mark.parametrize(("order", "said"), [("g10", "you played g10"), ("pause", "you asked for a pause")])
def test_the_time_of_a_receipt_doesnt_betray_a_conditional_move(town: Town, order: str, said: str) -> None:
    turns = rosette(town)
    send(town, 2, 1, 1, "if e10 then g10")
    town.reply(turns[ADA], order)
    assert [mail["Subject"] for mail in receipts(town)] == [f"Rosette 1: {said}"]


def test_a_player_with_digests_gets_the_receipt_although_the_bot_has_answered(town: Town) -> None:
    turn = against_bot(town)
    answer(town, "digest")
    town.reply(turn, "g10")
    assert town.post() == []
    swept(town)
    assert [mail["Subject"] for mail in receipts(town)] == ["Rosette 1: you played g10"]


def test_the_email_with_the_result_replaces_the_receipt(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "resign")
    (question,) = town.post()
    town.reply(question, "yes")
    assert {mail["Subject"] for mail in town.post()} == {"Rosette 1: White won by resignation"}
    assert receipts(town) == []


@pytest.mark.parametrize(("accepts", "declines"), [("accept", "decline"), ("Accept, with pleasure!", "No, thank you.")])
def test_the_answer_to_an_invitation_is_confirmed_if_no_other_letter_follows(
    town: Town, accepts: str, declines: str
) -> None:
    town.write(ADA, f"new multigo size=5 vs {BEN} vs carl@example.org")
    town.seen = 0
    letters = {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}
    town.reply(letters[BEN], accepts)
    (receipt,) = receipts(town)
    assert "You accepted the invitation. The match begins when everybody has" in plain(receipt)
    assert "You're playing White." in plain(receipt)
    town.reply(letters["carl@example.org"], declines)
    (receipt,) = receipts(town)
    assert plain(receipt).startswith("You declined the invitation, so this match won't be played.")
    assert "You're playing" not in whole(receipt)


def parallel(town: Town) -> EmailMessage:
    """The email that asks Ada for her choice in a new match of three with simultaneous moves."""
    before = town.seen
    town.write(ADA, f"new multigo-parallel size=5 vs {BEN} vs carl@example.org")
    town.seen = before
    for mail in town.post():
        if mail["To"].addresses[0].addr_spec != ADA:
            town.reply(mail, "accept")
    (turn,) = [mail for mail in town.post() if ADA in mail["To"] and "your move" in mail["Subject"]]
    receipts(town)
    return turn


def test_a_player_who_resigns_while_the_match_goes_on_gets_a_receipt(town: Town) -> None:
    town.reply(parallel(town), "resign")
    town.reply(town.post()[0], "yes")
    (receipt,) = receipts(town)
    assert receipt["Subject"] == "Parallel Multiplayer Go 1: you resigned"
    assert plain(receipt).startswith("You resigned. White and Red to move.\n")
    assert "You played Black." in plain(receipt)


def test_the_receipt_of_a_sealed_choice_doesnt_show_whether_others_have_chosen(town: Town) -> None:
    """In the second match Ben has already sealed a choice; the receipts differ only in the number of the match."""
    turns = [parallel(town), parallel(town)]
    send(town, 2, 2, 1, "e5")
    town.post()
    told = []
    for number, turn in enumerate(turns, start=1):
        town.reply(turn, "c3")
        (noted,) = town.post()
        told.append(
            (noted["Subject"] + plain(noted)).replace(f"Go {number}:", "Go N:").replace(f"/match/{number}", "/N")
        )
    assert "Your order c3 is saved." in told[0]
    assert told[0] == told[1]
    assert receipts(town) == []


def test_a_player_without_receipts_gets_none_for_a_sealed_choice(town: Town) -> None:
    turn = parallel(town)
    answer(town, "receipts off")
    town.reply(turn, "c3")
    assert town.post() == []
    with town.store.reading() as session:
        assert session.scalars(select(Player.receipts).where(Player.email == ADA)).one() is False


def message_from_ada(town: Town) -> EmailMessage:
    """The email that brings Ben a message from Ada."""
    rosette(town)
    (said,) = [mail for mail in town.write(ADA, "match 1\nsay Hello Ben") if "message from" in mail["Subject"]]
    return said


def test_a_player_who_answers_a_message_is_informed_who_got_the_answer(town: Town) -> None:
    town.reply(message_from_ada(town), "Hello Ada!")
    (message, told) = sorted(town.post(), key=lambda mail: BEN in mail["To"])
    assert '"Hello Ada!"' in plain(message)
    assert plain(told).startswith("| Hello Ada!\n\nSent to Black.\n")


def test_a_command_in_the_answer_to_a_message_is_passed_on_and_its_writer_is_informed(town: Town) -> None:
    letter = message_from_ada(town)
    answer(town, "receipts off", sender=BEN)
    town.reply(letter, "I get too many of these.\nmute\nBye")
    (message, told) = sorted(town.post(), key=lambda mail: BEN in mail["To"])
    assert "mute" in plain(message)
    assert "| mute\n\nThis line was sent as part of the message and not carried" in plain(told)


@pytest.mark.parametrize(
    "order", ["standing c3 or d4", "standing c3\nThanks!", "preview c3", "accept pause", "extend 2d"]
)
def test_an_order_of_several_words_in_the_answer_to_a_message_reaches_nobody(town: Town, order: str) -> None:
    parallel(town)
    (asked,) = (mail for mail in town.write(BEN, "match 1\nsay Hello") if ADA in mail["To"])
    town.reply(asked, order)
    (told,) = town.post()
    assert told["To"].addresses[0].addr_spec == ADA
    assert "This looks like an order, but you answered a message" in plain(told)
    town.reply(asked, "Standing ovations for both of you. Accept my apologies!")
    assert len([mail for mail in town.post() if ADA not in mail["To"]]) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Good idea!\n\nc3", "a line of it looks like it's meant for somebody else, or like a move"),
        ("Good idea!\n\nc3 or d4", "a line of it looks like it's meant for somebody else, or like a move"),
        ("Good idea!\n\npreview c3", "a line of it looks like it's meant for somebody else, or like a move"),
        ("Hi Ben,\n\nc3", "This looks like an order, but you answered a message"),
        ("status\nc3", "This looks like an order, but you answered a message"),
    ],
)
def test_a_sealed_choice_below_words_in_the_answer_to_a_message_reaches_nobody(town: Town, text: str, why: str) -> None:
    parallel(town)
    (asked,) = (mail for mail in town.write(BEN, "match 1\nsay Hello") if ADA in mail["To"])
    town.reply(asked, text)
    (told,) = town.post()
    assert told["To"].addresses[0].addr_spec == ADA
    assert why in " ".join(plain(told).split())


def test_a_move_below_words_in_the_answer_to_a_message_is_passed_on_and_its_writer_is_informed(town: Town) -> None:
    town.reply(message_from_ada(town), "Good idea!\n\ng10")
    (message, told) = sorted(town.post(), key=lambda mail: BEN in mail["To"])
    assert "g10" in plain(message)
    assert "| g10\n\nThis line was sent as part of the message and not carried" in plain(told)


def test_the_answer_to_a_message_after_the_result_says_who_got_it(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "resign")
    town.reply(town.post()[0], "yes")
    result = next(mail for mail in town.post() if ADA in mail["To"])
    town.reply(result, "Well played!")
    (message, told) = sorted(town.post(), key=lambda mail: ADA in mail["To"])
    assert plain(message).startswith('Black wrote to you. Watchers can read it too.\n\n"Well played!"\n')
    assert plain(told).startswith("| Well played!\n\nSent to White.\n")
    for text in ("d4", "See you in the next one."):
        town.reply(told, text)
        (refusal,) = town.post()
        assert plain(refusal).startswith("The match is over.")
        assert "You played Black.  " in plain(refusal)
    assert "begin your email with say." in plain(refusal).replace("\n", " ")


@pytest.mark.parametrize("receipts", ["on", "off"])
def test_a_message_after_the_result_to_a_bot_is_answered_too(town: Town, receipts: str) -> None:
    turn = against_bot(town)
    answer(town, f"receipts {receipts}")
    town.reply(turn, "resign")
    town.reply(town.post()[0], "yes")
    (result,) = town.post()
    town.reply(result, "Well played!")
    (told,) = town.post()
    assert plain(told).startswith("| Well played!\n\nNobody else is there to read it, so it wasn't sent.")


def test_a_reply_to_the_letter_that_opened_a_match_is_answered(town: Town) -> None:
    town.write(ADA, f"new rosette base=5 vs {BEN}")
    town.seen = 0
    invitation, opened = town.post()
    town.reply(opened, "Thank you!")
    assert len(town.post()) == 1
    town.reply(invitation, "accept")
    town.post()
    receipts(town)
    town.reply(opened, "g10")
    assert len(town.post() + receipts(town)) >= 1


def test_a_receipt_that_waits_is_dropped_once_its_reader_wants_none(town: Town) -> None:
    turn = rosette(town)[ADA]
    receive(town.site, *town.written(turn, "g10"), "smtp")
    judge_waiting(town.site, 1)
    with town.store.writing() as session:
        session.scalars(select(Player).where(Player.email == ADA)).one().receipts = False
    town.queue.clear()
    swept(town)
    assert receipts(town) == []
    with town.store.reading() as session:
        assert session.get_one(Match, 1).ply == 1
