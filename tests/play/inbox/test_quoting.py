"""Nothing in our emails becomes a move, a command or words that others read, however a mail program quotes them."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import pytest
from sqlalchemy import select

from service.mail.html import html_text
from service.play.inbox.receive import receive
from service.play.pages import match_page
from service.play.table import press
from service.play.talk import messages
from service.store.models import Entry, Match, Player, Submission
from service.store.tables.player_data import Saying
from tests.play.conftest import Town, whole
from tests.play.match.test_remarks import TWO, table
from tests.play.timekeeping.test_clocks import player

REMARK = "I did not see that coming."
DIVIDERS = {
    "none": "",
    "an unknown language": "Stonepost <play@stonepost.localhost> zrbfl 2026-11-24 18:30",
    "unknown headers": "Zrbfl: Stonepost <play@stonepost.localhost>\nTo: Ada <ada@example.org>\nSubject: Rosette",
}


def unmarked(town: Town, to: EmailMessage, own: str, divider: str = "", *, threaded: bool = True) -> EmailMessage:
    """A reply by a mail program that quotes without marks, below its own divider."""
    town.mails += 1
    reply = EmailMessage(policy=SMTP)
    reply["From"], reply["To"] = to["To"], to["Reply-To"]
    reply["Subject"], reply["Message-ID"] = f"Re: {to['Subject']}", f"<{town.mails}@program.example>"
    if threaded:
        reply["In-Reply-To"] = to["Message-ID"]
    reply.set_content(f"{own}\n\n{divider}\n\n{whole(to)}\n")
    return reply


def send(town: Town, reply: EmailMessage) -> None:
    receive(town.site, reply.as_bytes(), [reply["To"].addresses[0].addr_spec], "smtp")
    town.work()


def turn(town: Town) -> EmailMessage:
    return [mail for mail in town.post() if "your move" in mail["Subject"]][-1]


@pytest.mark.parametrize("threaded", [True, False])
@pytest.mark.parametrize("divider", DIVIDERS.values(), ids=DIVIDERS.keys())
def test_the_public_page_shows_nothing_that_we_wrote(town: Town, divider: str, threaded: bool) -> None:
    match = table(town, TWO, "public anonymous")
    send(town, unmarked(town, turn(town), f"g10\n\n{REMARK}", divider, threaded=threaded))
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    with town.store.reading() as session:
        (entry,) = session.scalars(select(Entry)).all()
        assert (entry.move, entry.remark) == ("g10", REMARK)
    assert REMARK in str(page.entries)
    (told,) = [mail for mail in town.post() if "your move" in mail["Subject"]]
    assert "zrbfl" not in whole(told).lower()
    assert "@" not in whole(told).partition("\n\n")[0]


def test_our_words_in_an_empty_reply_are_not_an_order(town: Town) -> None:
    table(town, TWO)
    send(town, unmarked(town, turn(town), "", DIVIDERS["an unknown language"]))
    (refusal,) = town.post()
    assert "Your email has no text of your own." in whole(refusal).replace("\n", " ")


def test_a_message_is_passed_on_without_its_quotation(town: Town) -> None:
    match = table(town, TWO)
    messages.say(town.site, match, player(town, "ben@example.org"), "Shall we meet at the club on Friday?", "1")
    town.work()
    (said,) = [mail for mail in town.post() if "Shall we meet" in whole(mail)]
    send(town, unmarked(town, said, "Gladly, at half past six as always.", DIVIDERS["unknown headers"]))
    with town.store.reading() as session:
        *_, last = session.scalars(select(Saying).order_by(Saying.id)).all()
        assert last.text.strip() == "Gladly, at half past six as always."


def test_commands_are_obeyed_and_our_lines_below_them_are_ignored(town: Town) -> None:
    table(town, TWO)
    send(town, unmarked(town, turn(town), "status\nhistory", DIVIDERS["an unknown language"]))
    (answer,) = town.post()
    assert "> status" in whole(answer) or "status" in whole(answer)
    assert "wasn't understood" not in whole(answer).lower()
    assert "zrbfl" not in whole(answer)
    with town.store.reading() as session:
        assert not session.scalars(select(Submission)).all()


def test_a_move_is_played_although_the_letter_it_quotes_cannot_be_composed_again(
    town: Town, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    match = table(town, TWO)
    mail = turn(town)
    monkeypatch.setattr("service.play.outbox.compose.letter_words.render", lambda *_args: 1 / 0)
    reply = unmarked(town, mail, "g10\n" + "Some words of mine. " * 5)
    receive(town.site, reply.as_bytes(), [reply["To"].addresses[0].addr_spec], "smtp")
    monkeypatch.undo()
    town.work()
    with town.store.reading() as session:
        assert session.get_one(Match, match).ply == 1
    assert "cannot be written again" in caplog.text


def test_a_reply_about_a_match_may_quote_an_answer_that_isnt_about_it(town: Town) -> None:
    table(town, TWO)
    mail = turn(town)
    (answer,) = town.write("ada@example.org", "status")
    reply = unmarked(town, answer, f"g10\n\n{REMARK}", DIVIDERS["an unknown language"])
    reply.replace_header("To", mail["Reply-To"])
    send(town, reply)
    with town.store.reading() as session:
        (entry,) = session.scalars(select(Entry)).all()
        assert entry.move == "g10"
        assert entry.remark.startswith(REMARK)
        assert "your move" in whole(answer)
        assert "your move" not in entry.remark


ADA = "ada@example.org"


def converted(town: Town, answer: EmailMessage, above: str, below: str, *, threaded: bool) -> list[EmailMessage]:
    """What follows an email to the desk by a program that quotes the HTML part of our answer without marks."""
    part = answer.get_body(("html",))
    assert part is not None
    named = {"In_Reply_To": answer["Message-ID"]} if threaded else {}
    return town.write(ADA, f"{above}{html_text.read(part.get_content())}{below}\n", f"Re: {answer['Subject']}", **named)


@pytest.mark.parametrize("threaded", [True, False])
@pytest.mark.parametrize(
    ("above", "below", "name"),
    [
        ("", "", "Ada"),
        ("", "\n\nname Adaline\n", "Adaline"),
        ("name Adaline\n\n", "", "Adaline"),
        ("name Ada\n\n", "", "Ada"),
        (f"name Adaline\n\n{DIVIDERS['an unknown language']}\n\n", "", "Adaline"),
        ("Thank you, that's all.\n\n", "", "Ada"),
    ],
)
def test_commands_that_our_answer_repeats_are_not_carried_out_again(
    town: Town, above: str, below: str, name: str, threaded: bool
) -> None:
    me = player(town, ADA)
    answer = town.write(ADA, "receipts off\nname Ada")[-1]
    town.write(ADA, "receipts on")
    converted(town, answer, above, below, threaded=threaded)
    with town.store.reading() as session:
        ada = session.get_one(Player, me)
        assert (ada.receipts, ada.name) == (True, name)


def test_a_signed_link_typed_on_the_web_is_left_out(town: Town) -> None:
    match = table(town, TWO)
    link = f"{town.settings.public_url}/mail/stop/WzEsMTJd.C9zYWx0eS1hbmQtc2lnbmVk_1234"
    messages.say(town.site, match, player(town, "ada@example.org"), f"Look at {link} here", "1")
    with town.store.reading() as session:
        row = session.get_one(Match, match)
        assert [saying.text for saying in session.scalars(select(Saying)).all()] == ["Look at here"]
        assert press.kept_remark(row, None, f"f12 {link}") == "f12"


def test_a_players_words_in_a_refusal_can_be_sent_again(town: Town) -> None:
    """A refusal quotes what its reader wrote, so that they can correct the move and send the rest again."""
    table(town, TWO)
    words = "I have long wondered what you would make of this corner,\nand whether you would rather play elsewhere."
    town.reply(turn(town), f"z99\n\n{words}")
    town.work()
    (refusal,) = town.post()
    send(town, unmarked(town, refusal, f"g10\n\n{words}", DIVIDERS["an unknown language"]))
    with town.store.reading() as session:
        (entry,) = session.scalars(select(Entry)).all()
        assert (entry.move, entry.remark) == ("g10", words)


def test_a_command_is_carried_out_though_its_writer_has_another_address_by_then(town: Town) -> None:
    player(town, "ada@example.org")
    mail = EmailMessage(policy=SMTP)
    mail["Authentication-Results"] = f"{town.settings.trusted_authserv_id}; spf=pass smtp.mailfrom=ada@example.org"
    mail["From"], mail["To"], mail["Message-ID"] = "ada@example.org", town.settings.desk, "<later@program.example>"
    mail.set_content("zone Asia/Tokyo\n\nThank you for looking after all of our matches for so many years.\n")
    receive(town.site, mail.as_bytes(), [town.settings.desk], "smtp")
    with town.store.writing() as session:
        session.scalars(select(Player).where(Player.email == "ada@example.org")).one().email = "ada@new.example"
    town.work()
    (answer,) = town.post()
    assert answer["To"].addresses[0].addr_spec == "ada@new.example"
    assert "Asia/Tokyo" in whole(answer)
