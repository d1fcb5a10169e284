"""Everything by email: commands, what they do, and the one answer that has a reply to each line."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from service.clock.control import EXAMPLES
from service.config import ROOT
from service.engine.game import Game
from service.games import GAMES
from service.mail.grammar import command_lines
from service.mail.grammar.command_words import COMMANDS, TOPICS, Command
from service.mail.grammar.orders import parse
from service.play.inbox import commands, run_commands
from service.play.inbox.receive import receive
from service.play.match.judge import judge_waiting
from service.play.orders.submit import Incoming, submit
from service.play.outbox import board_images
from service.play.table import board_view, replay
from service.play.table.press import Press
from service.play.talk import messages
from service.render.orientation import Sight, seen
from service.render.png import png
from service.store.models import Match, Player, Submission
from service.store.tables.mail_rows import IncomingMail
from service.store.tables.player_data import Saying
from tests.play.conftest import Town, plain
from tests.play.once import once
from tests.play.timekeeping.test_clocks import begin, log, swept

ADA, BEN = "ada@example.org", "ben@example.net"


def said(mail: EmailMessage) -> dict[str, str]:
    """The answer to each line of an email, by line."""
    blocks = ("\n" + plain(mail).partition("\nOn the web:")[0]).split("\n| ")[1:]
    return {block.partition("\n")[0]: block.partition("\n")[2].strip("\n") for block in blocks}


def answer(town: Town, text: str, sender: str = ADA, subject: str = "") -> dict[str, str]:
    """The answer to a new email, by line."""
    (mail,) = [mail for mail in town.write(sender, text, subject) if mail["Subject"].startswith("Re:")]
    return said(mail)


def test_an_order_among_commands_that_came_too_late_isnt_called_accepted(town: Town) -> None:
    begin(town, "3d/move, no vacation")
    town.post()
    town.now += timedelta(days=3, seconds=2)
    found = " ".join(answer(town, "g10")["g10"].split())
    assert found.startswith("Received: g10 in Rosette 1. It came after a player's time had run out,")
    swept(town, timedelta(seconds=15))
    assert {mail["Subject"] for mail in town.post()} == {"Rosette 1: White won on time"}


@once
def rosette(town: Town) -> dict[str, EmailMessage]:
    """Two people who only send email have begun match 1; the emails they have then, by address."""
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")[0]
    town.reply(invitation, "accept")
    return {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}


def test_commands_are_obeyed_once_if_their_nudge_comes_twice(town: Town) -> None:
    for zone in ("Europe/Lisbon", "Asia/Tokyo"):
        town.write(ADA, f"zone {zone}")
    run_commands.obey(town.site, 1)
    town.work()
    assert town.post() == []
    with town.store.reading() as session:
        assert session.scalars(select(Player.zone).where(Player.email == ADA)).one() == "Asia/Tokyo"


def test_every_command_that_isnt_an_order_has_a_function() -> None:
    assert set(commands.DO) == {command.name for command in COMMANDS if not command.order}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_understood_from_a_person_who_only_sends_email(town: Town, command: Command) -> None:
    rosette(town)
    filled = {"MOVE": "g10", "NUMBER": "1", "MATCH": "1", "GAME": "rosette", "TEXT": "Hello", "HOURS": "8 20"}
    filled |= {"EVENT": "Winter cup", "NAME": "Carl"}
    words = re.sub(r"\[[^]]*\]|\|.*| (?=vs )", " ", command.usage.replace("ADDRESS", "carl@example.org")).split()
    line = " ".join(filled.get(word, word) for word in words)
    assert not answer(town, f"match 1\n{line}")[line].startswith("This line was")


def test_a_person_who_only_sends_email_plays_from_invitation_to_result(town: Town) -> None:
    first = town.write(ADA, f"new rosette base=5 vs {BEN}")
    assert [mail["Subject"] for mail in first] == ["Rosette 1: you're invited to play", "Re: your email"]
    opened = said(first[1])[f"new rosette base=5 vs {BEN}"].replace("\n", " ")
    assert opened.startswith(
        f"You opened Rosette 1 and you're playing Black. An invitation goes to {BEN}. The match begins when every"
    )
    assert opened.endswith(f"{town.settings.public_url}/match/1")
    town.reply(first[0], "accept")
    turn = next(mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA)
    for text in ("g10", "e10", "pass", "pass", "accept"):
        town.reply(turn, text)
        turn = town.post()[-1]
    town.reply(turn, "accept")
    assert ["Rosette 1" in mail["Subject"] for mail in town.post()] == [True, True]
    assert "Rosette 1 with Player 2: over." in answer(town, "status")["status"]


@pytest.mark.parametrize("text", ["yes", "Hello,\nyes", "Dear Ben,\n\nYes!\nWell played."])
@pytest.mark.parametrize(("first", "move"), [("resign", "resign"), ("pass?", "pass")])
def test_a_greeting_may_be_above_the_yes_that_confirms(town: Town, first: str, move: str, text: str) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, first)
    (question,) = town.post()
    town.reply(question, text)
    assert log(town, 1) == [(0, move)]


def test_a_plan_below_the_yes_that_confirms_isnt_sent_to_anybody(town: Town) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "pass?")
    (question,) = town.post()
    town.reply(question, "yes\nif g11 then h10")
    mails = {mail["To"].addresses[0].addr_spec: plain(mail) for mail in town.post()}
    assert "h10" not in mails[BEN]
    assert 'Not carried out: "if g11 then h10"' in mails[ADA]


@pytest.mark.parametrize(
    "text",
    [
        "h12? if g11 then h10",
        "h12?; if g11 then h10",
        "(h12?) if g11 then h10",
        "if g11? then h10",
        "h12? or h10",
    ],
)
def test_a_line_with_a_question_mark_within_it_is_refused(town: Town, text: str) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, text)
    (refusal,) = town.post()
    assert refusal["To"].addresses[0].addr_spec == ADA
    words = " ".join(plain(refusal).split())
    assert "isn't clear." in words or "leaves open which move you mean" in words
    assert log(town, 1) == []
    with town.store.reading() as session:
        assert [seat.ahead for seat in session.get_one(Match, 1).seats] == ["", ""]


def test_a_greeting_may_be_above_a_command_in_reply_to_a_result(town: Town) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "resign")
    town.reply(town.post()[0], "yes")
    result = next(mail for mail in town.post() if mail["To"].addresses[0].addr_spec == ADA)
    town.reply(result, "Hello,\nrematch")
    assert any("invites you" in mail["Subject"] for mail in town.post())


def test_one_answer_has_a_reply_to_every_line(town: Town) -> None:
    rosette(town)
    found = answer(town, "// each week\nstatus\nmove g10\nshow 99\nend\nBest, Ada", subject="games")
    assert list(found) == ["games", "status", "move g10", "show 99", "Best, Ada"]
    assert "No seat is open." in found["games"]
    assert found["status"].startswith("Rosette 1 with Player 2: your move, 6 days 23 hours left")
    assert found["move g10"] == "Accepted: move g10 in Rosette 1."
    assert found["show 99"] == "Rosette 1 has 1 move so far. To see the board as it is now, write show."
    refused = found["Best, Ada"].replace("\n", " ")
    assert refused.startswith("This line was ignored, because the line with end above it ends the commands.")
    assert "help lists them all" in refused


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("show \u1369", "Rosette 1 has no moves so far."),
        (f"show {'9' * 5_000}", "Rosette 1 has no moves so far."),
        (f"most 000000001{'9' * 20}", "Choose between 1 and"),
        (f"new rosette clock=byoyomi 14d {'9' * 5_000}x3d vs open", "Choose between 1 and"),
        (f"new rosette clock=canadian 14d {'9' * 5_000}/3d vs open", "Choose between 1 and"),
    ],
    ids=["Ethiopic", "show", "most", "byoyomi", "canadian"],
)
def test_a_number_that_is_too_long_or_no_number_is_refused(town: Town, line: str, why: str) -> None:
    rosette(town)
    (found,) = answer(town, line).values()
    assert found.startswith(why)


def test_a_letter_to_somebody_else_is_given_back_and_not_obeyed(town: Town) -> None:
    rosette(town)
    (mail,) = town.write(ADA, "I wrote to Ben\npass\nand he said\nresign")
    assert said(mail)["I wrote to Ben"].startswith("This line wasn't understood, so nothing was done.")
    assert (
        said(mail)["resign"]
        .replace("\n", " ")
        .startswith(
            "This wasn't sent to anybody. To send it, write an email about the match that begins with say. "
            'Not carried out: "pass", "resign". Lines below the first are carried out only if every line you wrote is'
        )
    )
    with town.store.reading() as session:
        assert session.scalars(select(Submission.text)).all() == ["accept"]


@pytest.mark.parametrize("text", ["Hello,\n\ngames\n\nThanks, Ada", "Hi!\n\nWhat's on?\n\nBest wishes\nAda Lovelace"])
def test_polite_words_around_a_command_are_not_taken_for_a_message(town: Town, text: str) -> None:
    (mail,) = town.write(ADA, text)
    assert "This wasn't sent to anybody" not in plain(mail)


def test_one_email_has_a_limited_number_of_commands(town: Town) -> None:
    many = answer(town, "\n".join(f"join {number}" for number in range(1, 28)))
    assert many["join 25"] == "There's no match 25."
    assert "One email can have 25 lines of commands;" in many["join 26"].replace("\n", " ")


def test_the_answer_to_commands_reports_a_refused_order(town: Town) -> None:
    rosette(town)
    mails = town.write(BEN, "match 1\nmove g10\nstatus")
    assert len(mails) == 1
    assert said(mails[0])["move g10"] == "It isn't White's turn: the match is waiting for Black."


def test_moves_of_a_game_need_no_word_before_them(town: Town) -> None:
    rosette(town)
    assert answer(town, "g-10")["g-10"] == "Accepted: g-10 in Rosette 1."


def test_the_match_is_known_by_its_thread_its_subject_or_a_line(town: Town) -> None:
    rosette(town)
    answer(town, "new rosette vs open\nnew rosette vs open")
    assert answer(town, "history")["history"].startswith("Which match is this about? Write a line such as match 12")
    assert answer(town, "match 1\nhistory")["history"].startswith("No move has been played in Rosette 1.")
    assert answer(town, "history", subject="Re: Rosette 2: your move")["history"].endswith("in Rosette 2.")
    thread = f"<match-3@{town.settings.mail_domain}>"
    (mail,) = town.write(ADA, "history", In_Reply_To=thread)
    assert said(mail)["history"].endswith("in Rosette 3.")


def test_a_reply_may_have_questions_instead_of_an_order(town: Town) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "preview g10\nshow\nhistory")
    (mail,) = town.post()
    found = said(mail)
    assert "Rosette 1 after g10. This is a preview: nothing was played." in found["preview g10"]
    assert "[X]" in found["preview g10"]
    assert "Rosette 1 as it is now." in found["show"]
    assert mail["In-Reply-To"] == "<3@program.example>"
    assert mail["Auto-Submitted"] == "auto-replied"
    town.reply(mail, "g10")
    assert "Black played g10" in town.post()[-1]["Subject"]


def test_show_and_history_show_the_past(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10\nGood luck")
    town.post()
    found = answer(town, "show 0\nshow 1\nhistory", sender=BEN)
    assert "Rosette 1 before the first move." in found["show 0"]
    assert "Rosette 1 after move 1. Black played g10." in found["show 1"]
    assert found["history"] == '  1  Black  g10\n     "Good luck"'


@pytest.mark.parametrize("reply", ["Yes.", "resign", "Yes 👍", "\u201cYes\u201d"])
def test_a_resignation_has_to_be_confirmed(town: Town, reply: str) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "resign")
    (question,) = town.post()
    said = " ".join(plain(question).split())
    assert "Do you really want to resign Rosette 1? Reply yes or resign to this email" in said
    town.reply(question, reply)
    assert {mail["Subject"] for mail in town.post()} == {"Rosette 1: White won by resignation"}


def test_a_reply_to_the_result_is_passed_on_unless_it_is_a_command(town: Town) -> None:
    mails = rosette(town)
    town.reply(mails[ADA], "resign")
    town.reply(town.post()[0], "yes")
    lost, won = town.post()
    assert "Anything else you reply is sent to White, and watchers can read it too." in plain(lost)
    town.reply(won, "Thank you, that was close.\n\nBen")
    heard, answered = town.post()
    seen_by_watchers = messages.heard(town.site, 1, None)
    assert "that was close" in str(seen_by_watchers)
    assert (heard["To"].addresses[0].addr_spec, "that was close" in plain(heard)) == (ADA, True)
    assert (answered["To"].addresses[0].addr_spec, "Sent to Black." in plain(answered)) == (BEN, True)
    assert "> Thank you, that was close." in plain(answered).replace("|", ">")
    assert "Ben" not in plain(answered), "its first line says which one it was"
    town.write(BEN, "receipts off")
    town.reply(won, "See you.")
    assert [mail["To"].addresses[0].addr_spec for mail in town.post()] == [ADA]
    town.reply(won, "history")
    assert "Black  resign" in plain(town.post()[0])
    town.reply(lost, "rematch")
    assert sorted(mail["Subject"] for mail in town.post()) == [
        "Rosette 1: your rematch is Rosette 2",
        "Rosette 2: Player 1 invites you to play",
    ]


def test_accepting_an_invitation_twice_is_refused(town: Town) -> None:
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")[0]
    for _ in range(2):
        town.reply(invitation, "accept")
    assert [mail["Subject"] for mail in town.post()][-1] == "Rosette 1: you couldn't accept"


def test_a_subject_that_is_the_first_word_of_a_line_is_ignored(town: Town) -> None:
    assert [*answer(town, "new rosette base=5 vs open", subject="New")] == ["new rosette base=5 vs open"]


def test_the_question_about_a_resignation_may_be_answered_with_a_move(town: Town) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "resign")
    town.reply(town.post()[0], "g10")
    assert "Black played g10" in town.post()[-1]["Subject"]


def test_a_player_can_invite_a_limited_number_of_strangers(town: Town) -> None:
    for mail in range(3):
        lines = [f"new lotus vs p{mail}-{number}@example.org" for number in range(20)]
        said = answer(town, "\n".join(lines), subject=f"{mail}")
    assert [text.startswith("You opened") for text in said.values()] == [True] * 10 + [False] * 10
    assert said["new lotus vs p2-19@example.org"].startswith("You can have up to 50 unanswered invitations")
    assert answer(town, "new lotus vs open")["new lotus vs open"].startswith("You opened")
    mails = town.write(BEN, f"new lotus vs {ADA}")
    assert [mail["Subject"] for mail in mails] == ["Lotus 52: you're invited to play", "Re: your email"]


def test_a_seat_is_opened_and_taken_by_email(town: Town) -> None:
    answer(town, "new rosette base=5 komi=5.5 vs open")
    assert "A seat is open in Rosette 1 with Player 1: write join 1." in answer(town, "games", sender=BEN)["games"]
    mails = town.write(BEN, "join 1")
    assert [mail["Subject"] for mail in mails] == [
        "Rosette 1: your move 1 (the match has begun)",
        "Rosette 1: the match has begun",
        "Re: your email",
    ]
    assert "You have a seat in Rosette 1 and you're playing White." in plain(mails[-1])
    with town.store.reading() as session:
        assert session.get_one(Match, 1).options["komi"] == "5.5"


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("new chess vs bot", "There's no game called 'chess' here. Write new and one of"),
        (f"new {40 * 'x'}yz vs bot", f"There's no game called '{40 * 'x'}' here. Write new and one of"),
        ("new rosette", "Name your opponent: write new rosette vs ada@example.org, or vs open, or vs bot."),
        (
            "new rosette big vs bot",
            "'big' isn't an option. Write an option like komi=4.5. For all of them, write",
        ),
        ("new rosette komi=x vs bot", "komi must be"),
        ("new rosette vs nobody", "'nobody' isn't an email address."),
        ("new rosette vs bot clock=1y base=5", "'1y' isn't a clock. Write one of these:"),
        ("new rosette vs bot size=9 clock=3d/move", "Rosette has no option 'size'; it has base,"),
        ("new rosette vs bot bot", "Rosette is for 2 players, not 3."),
        (f"new rosette vs {ADA}", "Each player can take only one seat"),
        ("join", "Write the number of the match, for example join 12."),
        ("join 7", "There's no match 7."),
        ("match 7", "There's no match 7."),
        ("rules", "Which game? Write rules and one of"),
        ("help luck", "There's no help about 'luck'. Write help for all commands, or help and one of clock,"),
        ("show", "Which match is this about?"),
        ("withdraw", "Which event do you mean? Write events to see them all."),
    ],
)
def test_an_impossible_command_is_answered_and_changes_nothing(town: Town, line: str, refusal: str) -> None:
    assert answer(town, line)[line].replace("\n", " ").startswith(refusal)
    with town.store.reading() as session:
        assert session.scalars(select(Match)).all() == []


def test_help_and_rules_are_complete(town: Town) -> None:
    found = answer(town, "help\nhelp rosette\nrules rosette\nstatus\ngames")
    for command in COMMANDS:
        assert f"\n{command.usage}\n" in found["help"]
    assert "komi=4.5" in found["help rosette"]
    assert "\n\nWhen play has ended:\n\naccept\n    Agree that the stones proposed are dead." in found["help rosette"]
    assert "\ndead c3 f7\n    Propose other dead stones instead" in found["help rosette"]
    assert not any(re.search(r"^    [^.:]+: [A-Z]", said, re.MULTILINE) for said in found.values())
    assert "Rosette was invented by Mark Berger in 1975." in found["rules rosette"]
    assert all(len(line) <= 72 for text in found.values() for line in text.splitlines() if "://" not in line)


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_by_email_draw_their_figures_in_letters(town: Town, game: str) -> None:
    found = answer(town, f"rules {game}")[f"rules {game}"]
    figures = (ROOT / "templates" / "rules" / f"{game}.html").read_text().count("{{ diagram(")
    legend = " ".join(GAMES[game].start().view(None).legend[0])
    assert len(re.findall(f"^{legend} ", found, re.MULTILINE)) >= max(figures, 1)
    assert all(len(line) <= 72 for line in found.splitlines() if "://" not in line)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_help_lists_every_word_and_option_of_a_game(town: Town, game: Game) -> None:
    found = answer(town, f"help {game.title}")[f"help {game.title}"]
    assert all(f"\n{word.usage}\n" in found for word in game.words)
    assert all(f"\n{option.name}=" in found for option in game.options)
    assert f"new {game.name} vs ada@example.org" in found.replace("\n", " ")


@pytest.mark.parametrize("word", [*(command.name for command in COMMANDS), *TOPICS])
def test_help_on_any_word_shows_how_it_is_written_with_an_example(town: Town, word: str) -> None:
    found = answer(town, f"help {word.capitalize()}")[f"help {word.capitalize()}"]
    usage = {command.name: command.usage for command in COMMANDS}.get(word, "with" if word == "teams" else f"{word}=")
    assert found.startswith(usage)
    shown = found.rpartition("For example:\n")[2].splitlines()
    assert shown
    assert all(command_lines.line(line).command for line in shown)
    assert all(len(line) <= 72 for line in found.splitlines())


def test_help_lists_every_clock_and_press(town: Town) -> None:
    found = answer(town, "help clock\nhelp press")
    assert all(f"clock={example}\n    " in found["help clock"] for example in EXAMPLES)
    assert "clock=3d/move\n    You have 3 days for each move.\n" in found["help clock"]
    for line in re.findall(r"^press=(\S+)$", found["help press"], re.MULTILINE):
        Press.parse(line)
    assert "press=group-unsigned" in found["help press"]


@pytest.mark.parametrize("words", ["help", "How do I play?"])
def test_help_about_a_match_begins_with_how_its_moves_are_written(town: Town, words: str) -> None:
    town.reply(rosette(town)[ADA], words)
    before, _, after = plain(town.post()[0]).partition("Moves of Rosette:\n\nc7\n    Place a stone there.")
    assert len(before.splitlines()) < 6
    assert after.index("/rules/rosette") < after.index("About a match:")


def test_an_email_after_play_says_what_can_be_answered(town: Town) -> None:
    turn = rosette(town)[ADA]
    for text in ("g10", "e10", "pass", "pass"):
        town.reply(turn, text)
        turn = town.post()[-1]
    told = plain(turn)
    assert "You can answer:\n\naccept\n    Agree that the stones proposed are dead" in told
    assert "\ndead g10\n    Propose other dead stones instead" in told
    assert "\n\nReply with your move on the first line" in told
    town.reply(turn, "dead g10")
    assert "proposes as dead: g10." in plain(town.post()[-1]).replace("\n", " ")


def test_the_boards_of_an_answer_are_pictures_in_its_html(town: Town) -> None:
    town.reply(rosette(town)[ADA], "show\npreview g10\n" + "show\n" * 12)
    (mail,) = town.post()
    pictures = {part["Content-ID"].strip("<>"): part.get_content() for part in mail.walk() if part["Content-ID"]}
    body = mail.get_body(("html",))
    assert body is not None
    html = body.get_content()
    assert re.findall(r'<img class="board" src="cid:([^"]+)"', html) == [*pictures]
    assert len(pictures) == board_images.MOST
    shown, previewed, again, *_ = pictures.values()
    assert shown.startswith(b"\x89PNG")
    assert shown == again != previewed
    assert html.count("X Black") == 14 - board_images.MOST
    assert plain(mail).count("X Black") == 14


def test_the_boards_of_emails_are_turned_for_a_player_who_turned_them_on_the_web(town: Town) -> None:
    turn = rosette(town)[ADA]
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    assert board_view.choose(town.site, ben, 1, Sight(turned=True, coordinates=False))
    town.reply(turn, "g10\nshow")
    pictures = {mail["To"].addresses[0].addr_spec: _pictures(mail) for mail in town.post()}
    with town.store.reading() as session:
        scene = replay.position(session, session.get_one(Match, 1)).view(1)
    turned = png(seen(scene, Sight(turned=True)))
    assert pictures == {ADA: [png(scene)], BEN: [turned]}
    (mail,) = town.write(BEN, "match 1\nshow")
    assert _pictures(mail) == [turned]


def _pictures(mail: EmailMessage) -> list[bytes]:
    return [part.get_content() for part in mail.walk() if part.get_content_type() == "image/png"]


def test_players_set_their_time_zone_and_vacation_by_email(town: Town) -> None:
    rosette(town)
    found = answer(town, "zone lisbon\nvacation off\nzone nowhere\nstatus") | answer(town, "vacation maybe")
    assert found["zone lisbon"].replace("\n", " ") == (
        "Times in your emails are now in the time zone Europe/Lisbon. If your weekends or nights don't count in a "
        "match, they follow it from your next turn on."
    )
    assert found["vacation off"].replace("\n", " ") == (
        "Your vacation isn't used, even when you run out of time. You have 30 vacation days left in 2026."
    )
    assert found["zone nowhere"].startswith("'nowhere' isn't a time zone we know.")
    assert found["vacation maybe"].startswith("Vacation is used automatically, one day at a time.")
    assert found["status"].endswith("(Lisbon).")
    with town.store.reading() as session:
        ada = session.scalars(select(Player).where(Player.email == ADA)).one()
        assert (ada.zone, ada.vacation) == ("Europe/Lisbon", False)


def test_conditional_moves_are_ordered_in_an_email_of_commands(town: Town) -> None:
    rosette(town)
    found = answer(town, "g10 if e10 then g11")
    assert found == {"g10 if e10 then g11": "Accepted: g10 if e10 then g11 in Rosette 1."}
    assert answer(town, "if e10 then e11; if pass then pass")["if e10 then e11; if pass then pass"].startswith(
        "Accepted"
    )
    answer(town, "e10", sender=BEN)
    assert answer(town, "history", sender=BEN)["history"].splitlines()[2:] == ["  3  Black  e11"]
    assert answer(town, "if only I knew")["if only I knew"].startswith("'if only I knew' isn't clear.")


def test_an_invitation_can_also_be_accepted_with_join(town: Town) -> None:
    town.write(ADA, f"new rosette base=5 vs. {BEN}")
    refused = answer(town, "join 1", sender="eve@example.org")["join 1"]
    assert refused == "This match has no open seat. It's waiting for invited players."
    assert "You have a seat in Rosette 1 and you're playing White." in answer(town, "join 1", sender=BEN)["join 1"]
    assert answer(town, "join 1", sender=BEN)["join 1"] == "You already have a seat in this match."


def test_players_talk_without_moving(town: Town) -> None:
    rosette(town)
    lines = ("say A fine evening & <night> to you", "say to black: only you", "say to red: psst")
    mails = [mail for line in lines for mail in town.write(BEN, line)]
    assert [mail["Subject"] for mail in mails] == [
        "Rosette 1: message from White",
        "Re: your email",
        "Rosette 1: message from White to you",
        "Re: your email",
        "Re: your email",
    ]
    assert plain(mails[0]).startswith("White wrote to you. Watchers can read it when the match is over.")
    assert '"A fine evening & <night> to you"' in plain(mails[0])
    assert plain(mails[2]).startswith('White wrote to you, and to nobody else.\n\n"only you"\n')
    assert said(mails[3])["say to black: only you"] == "Sent to Black."
    assert said(mails[4])["say to red: psst"] == "Nobody plays Red in Rosette 1; write say to black: and your words."
    html = mails[0].get_body(("html",))
    assert html is not None
    assert "&amp; &lt;night&gt;" in html.get_content()


def test_emails_about_one_match_or_all_can_be_stopped(town: Town) -> None:
    turns = rosette(town)
    town.reply(turns[BEN], "mute")
    assert "no emails about Rosette 1" in plain(town.post()[0])
    town.reply(turns[ADA], "g10")
    assert town.post() == []
    assert answer(town, "unmute\ne10", sender=BEN)["e10"] == "Accepted: e10 in Rosette 1."
    answer(town, "off", sender=BEN)
    answer(town, "g11")
    assert answer(town, "status\ninstant", sender=BEN)["status"].startswith("Rosette 1 with Player 1: your move, 6")


def test_commands_sent_twice_are_obeyed_once(town: Town) -> None:
    for _ in range(3):
        town.mails = 0
        town.write(ADA, "new rosette vs open")
    with town.store.reading() as session:
        assert len(session.scalars(select(Match)).all()) == 1


def test_a_message_to_two_of_our_addresses_is_obeyed_and_answered_once(town: Town) -> None:
    turn = rosette(town)[ADA]
    raw, (reply,) = town.written(turn, "new lotus vs open\nhelp")
    desk = f"play@{town.settings.mail_domain}"
    raw = raw.replace(b"\r\nSubject:", f"\r\nCc: {desk}\r\nSubject:".encode(), 1)
    for recipients in ([reply, desk], [desk]):
        receive(town.site, raw, recipients, "smtp")
        town.work()
    assert len(town.post()) == 1
    with town.store.reading() as session:
        assert session.scalars(select(IncomingMail.verdict).order_by(IncomingMail.id)).all()[-2:] == [
            "obeyed",
            "repeated",
        ]
        assert len(session.scalars(select(Match)).all()) == 2


def test_an_automatic_email_to_the_desk_creates_no_player(town: Town) -> None:
    assert town.write(ADA, "I am away", subject="Out of office", Auto_Submitted="auto-replied") == []
    assert town.write(f"play@{town.settings.mail_domain}", "help") == []
    with town.store.reading() as session:
        assert session.scalars(select(Player)).all() == []
        assert session.scalars(select(IncomingMail.verdict)).all() == ["automatic", "automatic"]


def test_an_order_among_commands_becomes_a_submission(town: Town) -> None:
    rosette(town)
    answer(town, "move g10")
    with town.store.reading() as session:
        order = session.scalars(select(Submission).order_by(Submission.id.desc())).first()
        assert order is not None
        assert (order.text, order.verdict, order.door, order.received < town.now) == (
            "move g10",
            "accepted",
            "mail",
            True,
        )


def test_an_address_is_never_a_name_and_a_name_is_chosen_by_email(town: Town) -> None:
    opened = answer(town, "new rosette vs open")["new rosette vs open"]
    assert "The others see you as Player 1. To choose a display name, write name and" in " ".join(opened.split())
    said = answer(town, "games\nname  Countess  Lovelace")
    assert said["name  Countess  Lovelace"] == "Other players now see you as Countess Lovelace."
    for line in ("name", "name " + "x" * 61):
        assert answer(town, line)[line] == "A name can have 1 to 60 characters."
    refused = "That may be a sentence, so your name wasn't changed. Begin a name with a capital letter."
    assert " ".join(answer(town, "Name your price.")["Name your price."].split()) == refused
    assert "The others see you" not in answer(town, "new rosette vs open")["new rosette vs open"]
    assert "with Countess Lovelace:" in answer(town, "games", sender=BEN)["games"]


def test_lists_and_links_have_markup_in_html(town: Town) -> None:
    mails = town.write(ADA, f"help\nnew go size=9 vs {BEN}")
    html = next(mail for mail in mails if mail["Subject"].startswith("Re:")).get_body(("html",))
    assert html is not None
    page = html.get_content()
    summary = "See the board now, or as it was after that many moves."
    assert re.search(rf'<p class="word move">show \[NUMBER\]</p>\s*<p class="means">{re.escape(summary)}</p>', page)
    assert re.search(r'The match on the web: <a href="([^"]+/match/1)">\1</a>', page)


def test_after_play_each_possible_answer_is_listed_once(town: Town) -> None:
    mails = {mail["To"].addresses[0].addr_spec: mail for mail in _go(town)}
    turn = mails[ADA]
    for text in ("c3", "g7", "pass", "pass", "dead g7"):
        town.reply(turn, text)
        turn = town.post()[-1] if text != "pass" else next(m for m in town.post() if "your move" in m["Subject"])
    told = plain(turn).partition("You can answer:")[2].partition("\nReply with")[0]
    orders = re.findall(r"^(\S.*)$", told, re.MULTILINE)
    assert orders == ["accept", "dead c3 g7", "dead none", "resume", "estimate"]
    standing = plain(turn).partition("You're playing White.")[2].splitlines()[:4]
    assert standing == ["", "Prisoners: Black 0, White 0.", "Komi: 7.5.", "Points: Black 81, White 7.5."]


def _go(town: Town) -> list[EmailMessage]:
    invitation = town.write(ADA, f"new go size=9 vs {BEN}")[0]
    town.reply(invitation, "accept")
    return town.post()


def test_conditional_moves_below_a_move_are_not_shown_to_the_opponent(town: Town) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "g10\nif g11 then h11")
    mails = {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}
    assert "Black played g10." in plain(mails[BEN])
    assert "if g11" not in plain(mails[BEN])
    assert said(mails[ADA])["if g11 then h11"] == "Accepted: if g11 then h11 in Rosette 1."
    town.reply(mails[BEN], "g11")
    assert "Black played h11" in plain(town.post()[0])


def test_a_move_with_conditional_moves_below_it_is_for_the_board_of_the_email_it_answers(town: Town) -> None:
    turn = rosette(town)[ADA]
    town.reply(turn, "g10")
    town.reply(town.post()[0], "g11")
    town.post()
    town.reply(turn, "h10\nif g12 then h12")
    (answer,) = town.post()
    assert said(answer)["h10"].startswith("That order was for move 1, but the match is now at move 3.")


@pytest.mark.parametrize(
    "below", ["If you have time, then write to me.", "A draw, I think", "Say, how is Eva: I miss her"]
)
def test_a_remark_in_a_sentence_stays_a_remark(town: Town, below: str) -> None:
    town.reply(rosette(town)[ADA], f"g10\n{below}")
    (turn,) = town.post()
    assert below in plain(turn)


def test_help_knows_a_command_by_its_usage_and_a_topic_in_the_singular(town: Town) -> None:
    found = answer(town, "help offer seat\nhelp teams\nhelp if MOVE then MOVE") | answer(town, "help team")
    assert "offer seat [to ADDRESS]\n" in found["help offer seat"]
    assert "with ADDRESS | open\n" in found["help team"]
    assert "if MOVE then MOVE\n" in found["help if MOVE then MOVE"]


def test_an_email_with_nothing_but_a_quotation_is_refused(town: Town) -> None:
    town.reply(rosette(town)[ADA], "")
    (refused,) = town.post()
    assert plain(refused).startswith("Your email has no text of your own.")


def test_no_line_of_show_is_too_long(town: Town) -> None:
    board = answer(town, "new pillars vs bot\nshow")["show"]
    assert "Half-moves" in board
    assert max(map(len, board.splitlines())) <= 72


def test_status_counts_invited_players(town: Town) -> None:
    found = answer(town, f"new multigo size=5 vs {BEN} vs c@example.org\nstatus")
    assert "with 2 invited players: not started yet." in " ".join(found["status"].split())


def test_a_message_includes_all_lines_below_it(town: Town) -> None:
    rosette(town)
    mails = town.write(ADA, "say Well done\nand more\n\nand yet more\nstatus")
    assert '"Well done\nand more\n\nand yet more\nstatus"' in plain(mails[0])
    assert said(mails[1])["say Well done"].replace("\n", " ") == (
        "Sent to White, with the 3 lines below it. Everything below say is part of the message. "
        'Not carried out: "status".'
    )


def test_a_pause_against_a_bot_begins_without_asking(town: Town) -> None:
    town.write(ADA, "new rosette base=5 vs bot")
    (shown,) = town.write(ADA, "match 1\nshow")
    town.reply(shown, "pause")
    (told,) = town.post()
    assert plain(told).startswith("The match is paused until")


def test_players_are_informed_when_a_match_begins(town: Town) -> None:
    town.write(ADA, "name Ada Brown")
    town.write(BEN, "name <b>Ben</b>")
    mails = rosette(town)
    assert plain(mails[BEN]).startswith("The match has begun. Ada Brown is playing Black.\n")
    assert plain(mails[ADA]).startswith("The match has begun. <b>Ben</b> is playing White.\n")
    assert "&lt;b&gt;Ben&lt;/b&gt; is playing White." in html(mails[ADA])


def test_the_first_email_of_an_anonymous_match_has_no_names(town: Town) -> None:
    town.write(ADA, "name Ada Brown")
    invitation = town.write(ADA, f"new rosette base=5 press=group-anonymous vs {BEN}")[0]
    town.reply(invitation, "accept")
    begun = town.post()
    assert len(begun) == 2
    assert all(plain(mail).startswith("The match has begun.\n") and "Brown" not in plain(mail) for mail in begun)


def html(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def test_a_player_who_declines_an_invitation_to_their_address_is_not_named(town: Town) -> None:
    town.write(BEN, "name Ben")
    town.reply(town.write(ADA, f"new rosette base=5 vs {BEN}")[0], "decline")
    (told,) = town.post()
    assert plain(told).startswith("The player invited as White declined, so this match won't be played.")


@pytest.mark.parametrize(
    ("on", "off"),
    [
        ("When a move you sent by email is played", "You won't get receipts"),
        ("Whenever you'd run out of time", "Your vacation isn't used"),
        ("The gazette comes once a week", "You don't get the gazette"),
    ],
    ids=["receipts", "vacation", "gazette"],
)
def test_a_setting_is_turned_on_and_off_whatever_mark_ends_the_line(
    town: Town, on: str, off: str, request: pytest.FixtureRequest
) -> None:
    word = request.node.callspec.id
    for line, told in ((f"{word} on!", on), (f"{word} off,", off), (f"{word} ON.", on)):
        assert answer(town, line)[line].startswith(told)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("say", "The message is missing. Write it on the same line: say Good luck, or say to red: Do you agree?"),
        ("say to white:", "The message is missing."),
        ("say to my team: Look at g10", "You don't share your seat in Rosette 1, so this wasn't sent to anybody."),
        ("offer my chair", "Write offer seat, offer seat to ada@example.org, or offer none."),
    ],
)
def test_a_line_about_a_match_that_lacks_something_says_what(town: Town, line: str, why: str) -> None:
    rosette(town)
    assert answer(town, f"match 1\n{line}")[line].replace("\n", " ").startswith(why)
    with town.store.reading() as session:
        assert session.scalars(select(Saying)).all() == []
        assert [place.sought for place in session.get_one(Match, 1).seats] == [None, None]


def test_an_offered_seat_may_be_followed_by_any_mark(town: Town) -> None:
    town.reply(town.write(ADA, f"new rosette base=5 vs {BEN} substitutes=yes")[0], "accept")
    town.post()
    for line in ("offer seat,", "offer my seat!"):
        assert "is offered to anybody" in answer(town, f"match 1\n{line}")[line].replace("\n", " ")


def test_an_open_match_has_no_moves_to_preview_and_only_its_own_sides(town: Town) -> None:
    town.write(ADA, "new rosette base=5 vs open")
    assert answer(town, "match 1\npreview g10")["preview g10"].startswith("Rosette 1 isn't being played")
    said = answer(town, "join 1 red", BEN)["join 1 red"].replace("\n", " ")
    assert said == "The sides of Rosette 1 are black, white: write join 1 white."
    assert "you're playing White" in answer(town, "join 1 white", BEN)["join 1 white"].replace("\n", " ")


@pytest.mark.parametrize(("first", "second"), [("resign", "resign"), ("pass", "pass"), ("pass", "resign")])
def test_an_email_is_asked_about_one_thing_only(town: Town, first: str, second: str) -> None:
    for _ in range(2):
        mails = town.write(ADA, f"new rosette base=5 vs {BEN}")
        town.reply(next(mail for mail in mails if "invited" in mail["Subject"]), "accept")
    town.post()
    (mail,) = town.write(ADA, f"status\nmatch 1\n{first}\nmatch 2\n{second}")
    refused = "One email can ask about one thing only. Please send this in another email."
    assert refused in " ".join(plain(mail).split())
    town.reply(mail, "yes")
    with town.store.reading() as session:
        assert [session.get_one(Match, number).ply for number in (1, 2)] == [1, 0]


def test_a_question_about_a_command_shows_how_it_is_written_and_does_nothing(town: Town) -> None:
    rosette(town)
    assert "mute" in answer(town, "match 1\nmute?")["mute?"]
    with town.store.reading() as session:
        assert [place.post for place in session.get_one(Match, 1).seats] == ["", ""]


def test_a_draw_a_takeback_or_a_pause_can_be_offered_in_these_words(town: Town) -> None:
    town.reply(town.write(ADA, f"new pillars vs {BEN}")[0], "accept")
    turn = next(mail for mail in town.post() if "your move" in mail["Subject"])
    town.reply(turn, "D2-D4")
    for words, asked in (
        ("Offer a draw.", "a draw is offered"),
        ("offer takeback", "can the last move be taken back?"),
        ("offer pause 3d", "can the match be paused?"),
    ):
        town.post()
        town.reply(turn, words)
        assert [mail["Subject"].partition(": ")[2] for mail in town.post()] == [asked]
    told = answer(town, "match 1\noffer a takeback\noffer seat")
    assert told["offer a takeback"].startswith("You've already asked for that today.")
    assert told["offer seat"] == "This match doesn't allow substitutes."
    assert answer(town, "match 1\noffer a draw?")["offer a draw?"].startswith("Do you mean offer a draw as your order")


def test_a_rematch_and_the_end_of_a_pause_can_be_offered_in_these_words(town: Town) -> None:
    turn = rosette(town)[ADA]
    assert answer(town, "match 1\noffer a rematch")["offer a rematch"].startswith("You can ask for a rematch once")
    assert answer(town, "match 1\noffer resume")["offer resume"] == "The match isn't paused."
    town.post()
    town.reply(turn, "pause")
    town.reply(town.post()[0], "accept")
    town.post()
    town.reply(turn, "offer resume")
    assert [mail["Subject"].partition(": ")[2] for mail in town.post()] == ["can the pause end now?"]
    town.reply(turn, "resign\nyes")
    town.reply(town.post()[0], "yes")
    town.post()
    town.reply(turn, "offer a rematch")
    assert "Rosette 1: your rematch is Rosette 2" in {mail["Subject"] for mail in town.post()}


@pytest.mark.parametrize("line", ["draw", "accept draw"])
def test_a_draw_that_ends_the_match_is_asked_about_below_another_line(town: Town, line: str) -> None:
    town.reply(town.write(ADA, f"new pillars vs {BEN}")[0], "accept")
    town.post()
    for answered, why in (("accept draw", "No draw is offered, so"), ("decline draw", "There's no draw offer")):
        assert answer(town, f"match 1\nstatus\n{answered}", BEN)[answered].startswith(why)
    assert answer(town, "match 1\nstatus\ndraw")["draw"] == "Accepted: draw in Pillars of Medusa 1."
    assert answer(town, "match 1\nstatus\naccept draw")["accept draw"].startswith("Do you mean accept draw")
    assert answer(town, f"match 1\nstatus\n{line}", BEN)[line].startswith(f"Do you mean {line} as your order")
    with town.store.reading() as session:
        assert session.get_one(Match, 1).state == "running"


def test_a_move_that_was_never_committed_leaves_no_board_behind(town: Town) -> None:
    """The database fails as an email is carried out, and its writer plays another move on the web meanwhile."""
    turn = rosette(town)[ADA]
    receive(town.site, *town.written(turn, "move g10\nstatus"), "smtp")
    ((_, number),) = town.queue

    def fail(_session: object) -> None:
        raise OperationalError("COMMIT", {}, Exception("disk I/O error"))

    event.listen(town.store._write, "before_commit", fail)
    with pytest.raises(OperationalError):
        run_commands.obey(town.site, number)
    event.remove(town.store._write, "before_commit", fail)
    with town.store.reading() as session:
        ada = session.get_one(Match, 1).seats[0].player_id or 0
    submit(town.site, Incoming("web:1", 1, 0, ada, None, parse("e10"), "web"))
    known = replay._kept.copy()
    judge_waiting(town.site, 1)
    replay.forget()
    replay._kept.update(known)  # Another process has judged.
    with town.store.reading() as session:
        free = replay.position(session, session.get_one(Match, 1)).moves(1)
    assert ("g10" in free, "e10" in free) == (True, False)
