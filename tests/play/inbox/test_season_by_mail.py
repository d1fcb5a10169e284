"""A league season, a ladder and a tour by email alone: all that players do here, they do by email."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from service.games import GAMES
from service.play.operations.sweep import sweep
from service.store.models import Match
from service.store.tables.ratings import RatedSeat
from tests.cases import cases
from tests.play.conftest import Town, plain
from tests.play.inbox.test_company_commands import answered

NAMES = ("Ada", "Ben", "Cleo", "Dana", "Emil", "Fay")


def address(name: str) -> str:
    return f"{name.lower()}@example.org"


def swept(town: Town, **later: float) -> list[EmailMessage]:
    """Sweeps this much later; the emails that are sent."""
    town.now += timedelta(**later)
    for _ in range(3):
        sweep(town.site)
        town.work()
        town.now += timedelta(seconds=15)
    return town.post()


def reader(mail: EmailMessage) -> str:
    return str(mail["To"].addresses[0].username).capitalize()


def said(mails: list[EmailMessage]) -> str:
    return " ".join(" ".join(plain(mail).split()) for mail in mails)


def play(town: Town, mails: list[EmailMessage]) -> list[EmailMessage]:
    """Answers each turn with the email's example of a move; from the third move on with resign, if the opponent's name
    comes before the reader's. Returns all other emails."""
    others, waiting = [], [*mails]
    while waiting:
        mail = waiting.pop(0)
        turn = re.search(r" (\d+): your move (\d+)", mail["Subject"])
        if turn is None:
            others.append(mail)
            continue
        if int(turn[2]) > 2 and loses(town, int(turn[1]), reader(mail)):
            town.reply(mail, "resign")
            (asked,) = town.post()
            town.reply(asked, "yes")
        else:
            example = re.search(r"for example:\s+(\S+)", plain(mail))
            assert example is not None, plain(mail)
            town.reply(mail, example[1])
        waiting += town.post()
    return others


def loses(town: Town, match: int, name: str) -> bool:
    with town.store.reading() as session:
        names = [seat.player.name for seat in session.get_one(Match, match).seats if seat.player]
    return name == max(names)


def gather(town: Town) -> None:
    """Everybody's first emails: they choose a name, and ask for notices about Lotus."""
    for name in NAMES:
        answered(town, address(name), f"name {name}\nnotices lotus on\nzone Europe/Lisbon")


def test_a_season_of_a_league_by_email_alone(town: Town) -> None:
    gather(town)
    assert "You've created Winter league (Lotus, clock=1d/move)." in answered(
        town, address("Ada"), "create Winter league at lotus clock=1d/move"
    )
    assert "You're in Winter league." in answered(town, address("Ada"), "join Winter league")
    told = [mail for mail in swept(town, minutes=6) if mail["Subject"] == "Winter league: you can join it"]
    assert sorted(map(reader, told)) == [*NAMES[1:]]
    for mail in told:
        town.reply(mail, "join\n\nThanks!")
        (answer,) = town.post()
        assert "You're in Winter league." in said([answer])
    assert "It begins on" in answered(town, address("Fay"), "events")
    mails = swept(town, days=7, hours=1)
    begun = [mail for mail in mails if mail["Subject"] == "Winter league: season 1 has begun"]
    assert sorted(map(reader, begun)) == [*NAMES]
    assert len([mail for mail in mails if "your move 1" in mail["Subject"]]) == 15
    for mail in (begun[0], next(mail for mail in mails if "your move 1" in mail["Subject"])):
        town.reply(mail, "standings")
        assert "Winter league, Lotus: place, player, points" in said(town.post())
    results = play(town, mails)
    over = [mail for mail in [*results, *swept(town)] if mail["Subject"] == "Winter league: season 1 is over"]
    assert sorted(map(reader, over)) == [*NAMES]
    standings = answered(town, address("Ben"), "standings winter league")
    assert [*re.findall(r"(\d)\. (Ada|Ben|Cleo|Dana|Emil|Fay) (\d)", standings)] == [
        (str(place), name, str(6 - place)) for place, name in enumerate(NAMES, start=1)
    ]
    with town.store.reading() as session:
        assert len(session.scalars(select(RatedSeat)).all()) == 30
    assert re.search(r"Lotus: 1[6-9]\d\d", answered(town, address("Ada"), "rating"))
    assert re.search(r"Lotus: 1[0-3]\d\d", answered(town, address("Ada"), "rating Fay"))
    (fays,) = [mail for mail in over if reader(mail) == "Fay"]
    town.reply(fays, "withdraw")
    assert "You're no longer in Winter league." in said(town.post())
    gus = answered(town, address("Gus"), "name Gus\njoin Winter league")
    assert "You're in" in gus
    again = swept(town, days=7, hours=1)
    second = [reader(mail) for mail in again if mail["Subject"] == "Winter league: season 2 has begun"]
    assert sorted(second) == [*NAMES[:5], "Gus"]


def test_a_remark_below_a_withdrawal_doesnt_make_it_look_refused(town: Town) -> None:
    answered(town, address("Ada"), "create Spring cup at go")
    for name in ("Cleo", "Dana", "Ada", "Ben"):
        mails = town.write(address(name), "join Spring cup")
    begun = next(mail for mail in mails if mail["Subject"] == "Spring cup has begun" and reader(mail) == "Ben")
    town.reply(begun, "withdraw\nSorry, I'm too busy.")
    answer = said(town.post())
    assert "You're no longer in Spring cup." in answer
    assert "| Sorry, I'm too busy. This wasn't sent to anybody." in answer
    assert "accepted" not in answer
    town.reply(begun, "withdraw\nSorry, I'm too busy.")
    assert "This wasn't sent to anybody, because the order above it wasn't accepted." in said(town.post())


def test_a_ladder_challenge_by_email_alone(town: Town) -> None:
    gather(town)
    assert "You've created the Lotus ladder" in answered(town, address("Ada"), "create lotus ladder clock=1d/move")
    for mail in swept(town, minutes=6):
        if reader(mail) != "Ada":
            town.reply(mail, "join")
    town.post()
    answered(town, address("Ada"), "join Lotus ladder")
    standings = answered(town, address("Ada"), "standings lotus ladder")
    order = re.findall(r"(\d)\. (Ada|Ben|Cleo|Dana|Emil|Fay)\b", standings)
    assert len(order) == 6
    assert order[-1] == ("6", "Ada")
    top = order[0][1]
    mails = town.write(address("Ada"), f"challenge {top} lotus ladder")
    assert f"You've challenged {top} on the Lotus ladder." in said(mails)
    mails += swept(town)
    (challenged,) = [mail for mail in mails if "challenges you" in mail["Subject"]]
    assert (reader(challenged), challenged["Subject"]) == (top, "Lotus ladder: Ada challenges you")
    results = [mail for mail in play(town, mails) if "won" in mail["Subject"]]
    assert "Lotus ladder: reply with standings to see who is ahead." in said(results[:1])
    swept(town)
    town.reply(results[0], "standings")
    assert "Lotus ladder: place, player. 1." in said(town.post())
    after = re.findall(
        r"(\d)\. (Ada|Ben|Cleo|Dana|Emil|Fay)\b", answered(town, address("Ada"), "standings lotus ladder")
    )
    assert after.index(("3", "Ada")) == 2
    assert "aren't on the same ladder" in answered(town, address("Gus"), "challenge Ada ladder")
    assert "You're off the Lotus ladder." in answered(town, address("Ada"), "withdraw from Lotus ladder")
    assert "Ada" not in answered(town, address("Ben"), "standings lotus ladder")


def test_two_wishes_by_email_are_played_to_the_end(town: Town) -> None:
    for name in ("Ada", "Ben"):
        answered(town, address(name), f"name {name}\nwish lotus 1d")
    mails = swept(town)
    results = [mail for mail in play(town, mails) if "won" in mail["Subject"] or "over" in mail["Subject"]]
    assert {reader(mail) for mail in results} == {"Ada", "Ben"}
    assert re.search(r"Lotus: 1[6-9]\d\d\?", answered(town, address("Ada"), "rating"))
    answered(town, address("Ada"), "wish off")
    assert swept(town, hours=1) == []


@pytest.mark.parametrize("games", range(3, cases(4, 10), 6))
def test_a_tour_by_email_alone(town: Town, games: int) -> None:
    """Three games of two weeks each, after which everybody leaves, or all nine."""
    gather(town)
    assert "You've created Grand tour (All games, clock=1d/move)." in answered(
        town, address("Ada"), "create Grand tour clock=1d/move"
    )
    answered(town, address("Ada"), "join Grand tour")
    told = [mail for mail in swept(town, minutes=6) if reader(mail) in NAMES[1:4]]
    assert {mail["Subject"] for mail in told} == {"Grand tour: you can join it"}
    for mail in told:
        assert "You can join Grand tour. It includes all games, a new one every two weeks." in said([mail])
        town.reply(mail, "join")
    assert "It begins on Saturday 28 November" in said(town.post()[-1:])
    playing = [*NAMES[:4]]
    for part, game in enumerate([*GAMES.values()][:games], start=1):
        mails = swept(town, days=7 if part == 1 else 14)
        begun = {reader(mail): mail for mail in mails if mail["Subject"] == f"Grand tour: {game.title} has begun"}
        assert [*begun] == playing
        assert f"The next game in Grand tour is {game.title}: game {part} of 9. You have two matches" in said(mails[:1])
        assert {mail["Subject"] for mail in play(town, mails)} >= {
            f"{game.title} {number}: {winner(town, number)} won by resignation"
            for number in range(4 * part - 3, 4 * part + 1)
        }
        after = swept(town)
        assert table(town, begun["Ada"]) == recount(town)
        if part == 1:
            town.reply(begun["Dana"], "withdraw")
            assert "You're no longer in Grand tour. The event on the web: http" in said(town.post())
            assert "You'll play the games that begin from now on." in answered(
                town, address("Gus"), "name Gus\njoin Grand tour"
            )
            playing[3] = "Gus"
    for name in playing if games < len(GAMES) else []:
        town.reply(begun[name], "withdraw")
    town.post()
    over = {reader(mail): mail for mail in [*after, *swept(town, days=14)] if mail["Subject"] == "Grand tour is over"}
    assert sorted(over) == sorted({*playing, "Dana"})
    assert "Grand tour is over, and Ada won it. You came 2nd." in said([over["Ben"]])
    town.reply(over["Ben"], "join")
    assert "You're in Grand tour. It begins on Saturday 27 November" in said(town.post())


def winner(town: Town, number: int) -> str:
    """The side that has won a match."""
    with town.store.reading() as session:
        match = session.get_one(Match, number)
        won = next(seat.number for seat in match.seats if seat.score == "1")
        return GAMES[match.game].sides(len(match.seats))[won].capitalize()


def table(town: Town, mail: EmailMessage) -> dict[str, int]:
    """The points of each player, as `standings` shows them."""
    town.reply(mail, "standings")
    return {name: int(points) for name, points in re.findall(r"\d\. ([A-Z][a-z]+) (\d+)", said(town.post()))}


def recount(town: Town) -> dict[str, int]:
    """The points counted from the matches: one for each win, and one for each game that a player took part in."""
    points: Counter[str] = Counter()
    parts = set()
    with town.store.reading() as session:
        for match in session.scalars(select(Match)):
            for seat in match.seats:
                assert seat.player is not None
                points[seat.player.name] += seat.score == "1"
                parts.add((match.game, seat.player.name))
    points.update(name for _, name in parts)
    return dict(points)
