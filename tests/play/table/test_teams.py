"""Teams: players who share a seat take turns, whatever the game, and only they hear what they say to each other."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlalchemy import select

from service.engine.game import MoveError
from service.mail.grammar.orders import parse
from service.play.accounts import data_export, deletion, display_names, identity
from service.play.match import invitations, lobby, proposal, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists, match_page, profiles, records
from service.play.talk import messages
from service.store.models import Entry, Match, Submission
from service.store.tables.ratings import RatedSeat
from tests.play.conftest import Town, plain
from tests.play.match.test_substitutes import pass_time
from tests.play.once import once

NAMES = ("ada", "ben", "cleo", "dana", "eva", "finn")
AT_NO_TIME = "none"


def address(name: str) -> str:
    return f"{name}@example.org"


def person(town: Town, name: str) -> int:
    with town.store.writing() as session:
        return identity.by_email(session, address(name), town.now).id


def team(*names: str) -> Chair:
    """The chair of these players. Ada opens the match."""
    first, *mates = (Chair("me") if name == "ada" else Chair("email", address(name)) for name in names)
    return Chair(first.kind, first.email, mates=tuple(mates))


@once
def begun(town: Town, /, game: str, *chairs: Chair, clock: str = AT_NO_TIME, **more: object) -> int:
    """A running match that all have accepted."""
    for name in NAMES:
        with town.store.writing() as session:
            display_names.take(session, identity.by_email(session, address(name), town.now), name.capitalize())
    options = {"base": "5"} if game == "rosette" else {"size": "5"}
    match = lobby.open_match(town.site, person(town, "ada"), game, options, chairs, clock, **more)  # type: ignore[arg-type]
    for chair in [one for first in chairs for one in (first, *first.mates)]:
        if chair.kind == "email":
            invitations.answer(town.site, match, person(town, chair.email.partition("@")[0]), True)
    town.work()
    return match


def order(town: Town, match: int, name: str, text: str, remark: str = "") -> str:
    """Sends an order from a page; returns the refusal, or ""."""
    viewer = person(town, name)
    line = line_of(town, match, name)
    seat = 0 if line.my_seat is None else line.my_seat
    key = f"web:{match}:{name}:{text}:{town.now.isoformat()}"
    submit(town.site, Incoming(key, match, seat, viewer, line.round, parse(text), "web", remark))
    town.work()
    verdict = match_page.verdict(town.site, key, viewer)
    assert verdict is not None
    assert verdict.state in ("accepted", "refused")
    return verdict.message if verdict.state == "refused" else ""


def line_of(town: Town, match: int, name: str | None) -> match_lists.MatchLine:
    line = match_lists.match_line(town.site, match, None if name is None else person(town, name))
    assert line is not None
    return line


def page_of(town: Town, match: int, name: str | None) -> match_page.MatchPage:
    page = match_page.match_page(town.site, match, None if name is None else person(town, name))
    assert page is not None
    return page


def movers(town: Town, match: int) -> list[str]:
    """In each seat, the player whose turn it is, or will be."""
    with town.store.reading() as session:
        return [seat.player.name.lower() if seat.player else "" for seat in session.get_one(Match, match).seats]


def authors(town: Town, match: int) -> list[tuple[int, str]]:
    """The seat of each move in the log, and who ordered it."""
    log = select(Entry.seat, Submission.player_id).join(Submission, Submission.id == Entry.submission_id)
    ids = {person(town, name): name for name in NAMES}
    with town.store.reading() as session:
        rows = session.execute(log.where(Entry.match_id == match).order_by(Entry.ply)).all()
    return [(seat, ids[player]) for seat, player in rows]


def to(mails: list[EmailMessage]) -> dict[str, EmailMessage]:
    return {mail["To"].addresses[0].username: mail for mail in mails}


def flat(mail: EmailMessage) -> str:
    return " ".join(plain(mail).split())


PAIRS = (team("ada", "eva"), team("ben", "cleo"))


def test_two_against_two_play_from_invitation_to_result_by_email_and_on_the_web(town: Town) -> None:
    begun(town, "rosette", team("ada"), team("ben"))
    town.post()
    wanted = "new rosette with eva@example.org base=5 vs ben@example.org with cleo@example.org"
    mails = to(town.write(address("ada"), wanted))
    assert "Invitations go to ben@example.org, cleo@example.org and eva@example.org." in flat(mails["ada"])
    assert "You'd play White and take turns with an invited player." in flat(mails["cleo"])
    assert "If you run out of time, you leave the match." in flat(mails["cleo"]), "The rest of the team plays on."
    assert "you lose." not in flat(mails["cleo"])
    assert "You'd play Black and take turns with Ada." in flat(mails["eva"])
    assert "White: an invited player & an invited player." in flat(mails["eva"])
    assert not [mail for name, mail in mails.items() if name != "ada" and ("Ben" in flat(mail) or "Cleo" in flat(mail))]
    for name in ("ben", "cleo", "eva"):
        assert line_of(town, 2, name).invited
        town.reply(mails[name], "accept")
    mails = to(town.post())
    assert "your move 1" in mails["ada"]["Subject"]
    assert "You share your seat with Eva and take turns." in flat(mails["ada"])
    assert "Ben & Cleo are playing White." in flat(mails["ada"])
    assert {name for name, mail in mails.items() if "begun" in mail["Subject"] and name != "ada"} == {
        "ben",
        "cleo",
        "eva",
    }
    assert "You're playing Black and take turns with Ada" in flat(mails["eva"])
    turn, played = mails["ada"], []
    for name, following, move in (
        ("ada", "ben", "e5"),
        ("ben", "eva", "e6"),
        ("eva", "cleo", "f5"),
        ("cleo", "ada", "f6"),
    ):
        if name in ("ada", "cleo"):
            town.reply(turn, move)
        else:
            assert order(town, 2, name, move) == ""
        played.append((("ada", "eva").count(name) == 0, name))
        mails = to(town.post())
        assert set(mails) == {following}, "Nobody but whose turn it is gets a mail."
        turn = mails[following]
    assert "White (Ben) played e6. Black (Eva) played f5. White played f6." in flat(turn)
    assert authors(town, 2) == played
    for name, move in (("ada", "pass"), ("ben", "pass"), ("eva", "accept"), ("cleo", "accept")):
        assert order(town, 2, name, move) == ""
    assert line_of(town, 2, None).state == "over"
    assert {name for name, mail in to(town.post()).items() if "points" in flat(mail)} == {"ada", "ben", "cleo", "eva"}
    won = {name: results(town, name) for name in ("ada", "ben", "cleo", "eva")}
    assert won["ada"] == won["eva"] != won["ben"] == won["cleo"]


def results(town: Town, name: str) -> tuple[int, int]:
    profile = profiles.profile(town.site, person(town, name), None)
    assert profile is not None
    assert profile.matches.lines[0].id == 2
    return sum(result.won for result in profile.results), sum(result.lost for result in profile.results)


def test_a_player_cannot_order_in_a_partners_turn(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    turn = to(town.post())["ada"]
    refused = "It's Ada's turn in your team, and only they can act for it now."
    for word in ("f12", "pass", "resign", "takeback", "draw", "extend 2d", "if e6 then e7"):
        assert order(town, match, "eva", word).startswith(refused)
    (answer,) = town.write(address("eva"), f"match {match}\ne5\nresign\npreview e5")
    assert flat(answer).count(refused) == 3
    town.reply(turn, "e5")
    town.post()
    town.reply(turn, "E5.", message_id="<again@program.example>")
    assert "e5 was already played as move 1, so it wasn't played again." in flat(to(town.post())["ada"])
    town.reply(turn, "e9", message_id="<more@program.example>")
    assert "It's Eva's turn in your team" in flat(to(town.post())["ada"])
    assert [entry.move for entry in page_of(town, match, None).entries] == ["e5"]


def test_lists_show_a_team_and_whose_turn_it_is(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    for name, waits in (("ada", True), ("eva", False), ("ben", False)):
        assert match_lists.needing(town.site, person(town, name)) == waits
        assert [line.my_turn for line in match_lists.my_matches(town.site, person(town, name))] == [waits]
    page = page_of(town, match, "eva")
    assert [seat.name for seat in page.line.seats] == ["Ada & Eva", "Ben & Cleo"]
    assert (page.line.my_seat, page.line.speaks, page.draft) == (0, False, None)
    assert page.line.seats[0].waited == "Black (Ada)"
    town.post()
    (answer,) = town.write(address("eva"), "status")
    assert "Rosette 1 with Ben & Cleo: Black (Ada) to move." in flat(answer)
    order(town, match, "ada", "e5")
    page = page_of(town, match, "ada")
    assert [(entry.move, entry.name) for entry in page.entries] == [("e5", "Ada")]
    assert [line.id for line in profiles.search(town.site, profiles.Search(player="cleo"), None).lines] == [match]
    for notation in page.notations:
        text = records.export(town.site, match, notation) or ""
        assert "Ada & Eva" in text
        assert records.bring(town.site, person(town, "ada"), text.encode()) > match


def test_a_team_plays_a_game_with_simultaneous_moves_to_the_end(town: Town) -> None:
    match = begun(town, "multigo-parallel", team("ada", "eva"), team("ben"), team("cleo"), clock="3d/move")
    rounds = (("ada", "a1"), ("eva", "c3"), ("ada", "e5"))
    for number, (name, move) in enumerate(rounds, start=1):
        other = "eva" if name == "ada" else "ada"
        assert order(town, match, other, "d1").startswith(f"It's {name.capitalize()}'s turn in your team")
        assert order(town, match, name, "b1") == ""
        assert order(town, match, name, move) == "", "A sealed choice is still its player's to replace."
        assert movers(town, match)[0] == name
        assert order(town, match, "ben", f"b{number + 2}") == ""
        assert order(town, match, "cleo", f"d{number + 1}") == ""
        assert movers(town, match)[0] == other
    assert [entry.move for entry in page_of(town, match, None).entries if entry.seat == 0] == [m for _, m in rounds]
    for name in ("eva", "ben", "cleo"):
        assert order(town, match, name, "pass") == ""
    speaker = movers(town, match)[0]
    while line_of(town, match, None).state == "running":
        for name in (speaker, "ben", "cleo"):
            order(town, match, name, "accept")
    assert {name for name, mail in to(town.post()).items()} >= {"ada", "eva", "ben", "cleo"}
    with town.store.reading() as session:
        ended = session.get_one(Match, match)
        assert (ended.reason, ended.teams) == ("points", True)


def test_nobody_else_hears_what_a_team_says_to_itself(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    town.post()
    mails = to(town.write(address("eva"), f"match {match}\nsay to team: hidden words"))
    assert set(mails) == {"ada", "eva"}
    assert "Sent to your team." in flat(mails["eva"])
    assert "Black (Eva) wrote to your team, and to nobody else." in flat(mails["ada"])
    town.reply(mails["ada"], "hidden answer")
    mails = to(town.post())
    assert set(mails) == {"ada", "eva"}
    assert "Sent to your team." in flat(mails["ada"])
    messages.say(town.site, match, person(town, "ada"), "for all", "web:1")
    for name, words in (("ada", 3), ("eva", 3), ("ben", 1), ("cleo", 1)):
        assert len(messages.heard(town.site, match, person(town, name)).lines) == words
    order(town, match, "ada", "resign")
    assert [line.text for line in messages.heard(town.site, match, None).lines] == ["for all"]
    assert "hidden" not in str(data_export.everything(town.site, person(town, "ben")))
    town.post()
    (answer,) = town.write(address("finn"), f"match {match}\nsay to team: psst")
    assert "You have no seat in" in flat(answer)


def test_a_team_may_talk_in_private_unless_the_match_is_silent(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS, talk="group")
    messages.say(town.site, match, person(town, "ada"), "psst", "web:1", [0])
    assert [line.text for line in messages.heard(town.site, match, person(town, "eva")).lines] == ["psst"]
    with pytest.raises(messages.TalkError, match="goes to the whole table"):
        messages.say(town.site, match, person(town, "ada"), "psst", "web:2", [1])
    silent = begun(town, "rosette", *PAIRS, talk="none")
    with pytest.raises(messages.TalkError, match="Messages are off"):
        messages.say(town.site, silent, person(town, "ada"), "psst", "web:3", [0])


def test_a_move_that_was_taken_back_is_made_again_by_the_same_player(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    for name, move in (("ada", "e5"), ("ben", "e6"), ("eva", "f5")):
        order(town, match, name, move)
    assert movers(town, match) == ["ada", "cleo"]
    assert order(town, match, "eva", "takeback").startswith("It's Ada's turn")
    assert order(town, match, "ada", "takeback") == ""
    assert [offer.kind for offer in page_of(town, match, "eva").agreements.offers] == ["takeback"]
    assert not page_of(town, match, "ben").agreements.speaks
    assert order(town, match, "ben", "accept takeback").startswith("It's Cleo's turn")
    assert order(town, match, "cleo", "accept takeback") == ""
    assert movers(town, match) == ["eva", "cleo"]
    assert order(town, match, "eva", "g5") == ""
    assert movers(town, match) == ["ada", "cleo"]


def test_conditional_moves_are_only_for_the_players_own_turn(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    assert order(town, match, "ada", "e5 if e6 then f5").startswith("The next reply is your partner's turn.")
    assert order(town, match, "ada", "e5") == ""
    assert order(town, match, "eva", "if e6 then f5 if f6 then g5").startswith("After your reply")
    assert order(town, match, "eva", "if e6 then f5") == ""
    assert [page_of(town, match, name).ahead for name in ("ada", "eva", "ben")] == ["", "if e6 then f5", ""]
    order(town, match, "ben", "e6")
    assert [entry.name for entry in page_of(town, match, None).entries] == ["Ada", "Ben", "Eva"]
    assert movers(town, match) == ["ada", "cleo"]
    assert page_of(town, match, "eva").ahead == ""


def test_a_standing_order_is_played_only_in_its_writers_turn(town: Town) -> None:
    clock = "3d/move, no vacation, late passes"
    match = begun(town, "multigo", team("ada", "eva"), team("ben"), team("cleo"), clock=clock)
    assert order(town, match, "eva", "standing c3") == ""
    assert [page_of(town, match, name).standing for name in ("ada", "eva", "ben")] == ["", "c3", ""]
    town.post()
    pass_time(town, 3.1)
    mail = flat(to(town.post())["ben"])
    assert ("Black (Ada) was late and passed." in mail, "Black passed." in mail) == (True, False)
    for name, move in (("ben", "a1"), ("cleo", "a5")):
        assert order(town, match, name, move) == ""
    pass_time(town, 3.1)
    log = [(entry.name, entry.move) for entry in page_of(town, match, None).entries if entry.seat == 0]
    assert log == [("Ada", "pass"), ("Eva", "c3")]


def test_a_player_who_runs_out_of_time_drops_out_and_the_last_one_loses_the_seat(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS, clock="3d/move, no vacation")
    order(town, match, "ada", "e5")
    town.post()
    pass_time(town, 3.1)
    mails = to(town.post())
    assert "You're no longer in White's team" in flat(mails["ben"])
    assert "Ben is no longer in White's team." in flat(mails["ada"])
    assert "your move 2" in mails["cleo"]["Subject"]
    assert "You have 3 days" in flat(mails["cleo"])
    assert "White's players have changed." in flat(mails["cleo"])
    assert [seat.name for seat in line_of(town, match, None).seats] == ["Ada & Eva", "Cleo"]
    for name, move in (("cleo", "e6"), ("eva", "f5")):
        assert order(town, match, name, move) == ""
    assert movers(town, match) == ["ada", "cleo"]
    pass_time(town, 3.1)
    assert [seat.score for seat in line_of(town, match, None).seats] == ["1", "0"]


@pytest.mark.parametrize("game", ["rosette", "multigo-parallel"])
def test_a_player_whose_partner_ran_out_of_time_in_a_round_has_the_next_one_for_the_turn(town: Town, game: str) -> None:
    match = begun(town, game, *PAIRS, clock="rounds at 18:00")
    pass_time(town, 0.5)
    assert movers(town, match)[0] == "eva"
    pass_time(town, 0.5)
    assert [seat.score for seat in line_of(town, match, None).seats] == [None, None]
    pass_time(town, 0.5)
    assert [seat.score for seat in line_of(town, match, None).seats] == ["0", "1"]


def test_a_player_who_leaves_a_team_or_the_site_leaves_the_seat_to_the_others(town: Town) -> None:
    match = begun(town, "rosette", team("ada", "eva", "finn"), team("ben", "cleo"))
    for name, move in (("ada", "e5"), ("ben", "e6")):
        order(town, match, name, move)
    town.post()
    assert order(town, match, "ada", "leave team", "Farewell, all of you.") == ""
    mails = town.post()
    assert {"eva", "finn", "ben", "cleo"} <= set(to(mails))
    assert "Black is now yours" not in flat(to(mails)["eva"])
    assert sorted(mail["To"].addresses[0].username for mail in mails if "Farewell" in plain(mail)) == [
        *("ben", "cleo", "eva", "finn")
    ]
    assert movers(town, match) == ["eva", "cleo"]
    assert order(town, match, "ada", "g5").startswith("Somebody else has that seat now.")
    deletion.leave(town.site, person(town, "eva"))
    town.work()
    assert movers(town, match) == ["finn", "cleo"]
    assert "your move" in to(town.post())["finn"]["Subject"]
    assert page_of(town, match, "ben").rows[-1].cells[0][0].move == "players changed"
    (listed,) = town.write(address("ben"), f"match {match}\nhistory")
    assert "3  Black  players changed" in plain(listed)
    assert order(town, match, "finn", "leave team").startswith("You're the only player in this seat")
    deletion.leave(town.site, person(town, "finn"))
    town.work()
    assert [seat.score for seat in line_of(town, match, None).seats] == ["0", "1"]


@pytest.mark.parametrize("handed_over", [False, True])
@pytest.mark.parametrize(("resigns", "signs"), [("eva", (-1, -1)), ("ben", (0, 1))])
def test_a_player_who_gives_up_a_place_in_a_team_can_lose_points_but_not_gain_any(
    town: Town, handed_over: bool, resigns: str, signs: tuple[int, int]
) -> None:
    match = begun(town, "rosette", *PAIRS)
    for name, move in (("ada", "a5"), ("ben", "b5"), ("eva", "c5"), ("cleo", "d5")):
        order(town, match, name, move)
    ada, eva = person(town, "ada"), person(town, "eva")
    if handed_over:
        substitutes.offer(town.site, match, ada, "anybody")
        substitutes.join(town.site, match, person(town, "finn"))
        order(town, match, "finn", "e3")
    else:
        order(town, match, "ada", "leave team")
        order(town, match, "eva", "e3")
    order(town, match, resigns, "resign")
    with town.store.reading() as session:
        rows = session.scalars(select(RatedSeat).where(RatedSeat.seat == 0))
        points = {row.player_id: row.rating - row.rating_before for row in rows}
    assert {one: (gained > 0) - (gained < 0) for one, gained in points.items()} == {ada: signs[0], eva: signs[1]}


@pytest.mark.parametrize("moves", [True, False])
def test_a_move_in_a_team_ends_an_absence(town: Town, moves: bool) -> None:
    together = begun(town, "rosette", *PAIRS)
    for days in (2, 4):
        chairs = [Chair("me"), Chair("email", address("ben"))]
        clock = f"{days}d/move, no vacation"
        match = lobby.open_match(town.site, person(town, "ada"), "rosette", {"base": "5"}, chairs, clock)
        invitations.answer(town.site, match, person(town, "ben"), True)
        for name, move in (("ada", "a5"), ("ben", "b5"), ("ada", "c5")):
            assert order(town, match, name, move) == ""
    pass_time(town, 2.1)
    for name, move in (("ada", "a5"), ("ben", "b5")) if moves else ():
        assert order(town, together, name, move) == ""
    pass_time(town, 2.1)
    with town.store.reading() as session:
        absences = session.scalars(select(RatedSeat.absence).where(RatedSeat.seat == 1)).all()
    assert (len(absences), len({*absences})) == (2, 1 + moves)


def test_a_player_in_a_team_may_offer_their_place_to_a_substitute(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    town.write(address("eva"), f"match {match}\noffer seat")
    assert [line.id for line in match_lists.open_matches(town.site)] == [match]
    mails = town.write(address("finn"), f"join {match}")
    assert "You now share Black with Ada and take turns." in " ".join(map(flat, mails))
    assert [seat.name for seat in line_of(town, match, None).seats] == ["Ada & Finn", "Ben & Cleo"]
    assert movers(town, match) == ["ada", "ben"]
    for name, move in (("ada", "e5"), ("ben", "e6")):
        assert order(town, match, name, move) == ""
    assert movers(town, match) == ["finn", "cleo"]
    substitutes.offer(town.site, match, person(town, "finn"), address("dana"))
    substitutes.join(town.site, match, person(town, "dana"))
    town.work()
    assert movers(town, match) == ["dana", "cleo"]
    assert order(town, match, "dana", "f5") == ""
    assert [name for _, name in authors(town, match)] == ["ada", "ben", "dana"]
    with pytest.raises(LobbyError, match="has no open seat"):
        substitutes.join(town.site, match, person(town, "eva"))


def test_players_join_open_places_of_a_chosen_side_and_the_match_begins_with_the_last(town: Town) -> None:
    for name in NAMES:
        with town.store.writing() as session:
            display_names.take(session, identity.by_email(session, address(name), town.now), name.capitalize())
    town.write(address("ada"), "new rosette with open vs open with open")
    assert [line.id for line in match_lists.open_matches(town.site)] == [1]
    town.write(address("ben"), "join 1 white")
    substitutes.join(town.site, 1, person(town, "cleo"), 1)
    with pytest.raises(LobbyError, match="That side no longer has an open seat"):
        substitutes.join(town.site, 1, person(town, "eva"), 1)
    assert line_of(town, 1, None).state == "open"
    town.write(address("eva"), "join 1")
    assert [seat.name for seat in line_of(town, 1, None).seats] == ["Ada & Eva", "Ben & Cleo"]
    assert line_of(town, 1, None).state == "running"


@pytest.mark.parametrize(
    ("chairs", "why"),
    [
        ((team("ada"), Chair("bot", mates=(Chair("open"),))), "A computer opponent can't share a seat"),
        ((team("ada", "ben"), team("ben")), "Each player can take only one seat"),
        ((Chair("me", mates=(Chair("me"),)), team("ben")), "You can only take one seat"),
        ((Chair("me", mates=(Chair("open"),) * 10), team("ben")), "Up to 10 players"),
    ],
)
def test_impossible_teams_are_refused(town: Town, chairs: tuple[Chair, ...], why: str) -> None:
    with pytest.raises(LobbyError, match=why):
        lobby.open_match(town.site, person(town, "ada"), "rosette", {}, chairs)


def test_a_rematch_keeps_the_teams_and_changes_the_sides(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS)
    order(town, match, "ada", "resign")
    assert order(town, match, "cleo", "rematch") == ""
    for name in ("ada", "ben"):
        assert order(town, match, name, "rematch") == ""
    assert line_of(town, match + 1, None).state == "open"
    assert order(town, match, "eva", "rematch") == ""
    line = line_of(town, match + 1, None)
    assert (line.state, [seat.name for seat in line.seats]) == ("running", ["Ben & Cleo", "Ada & Eva"])


def test_in_an_anonymous_match_nobody_sees_who_shares_a_seat(town: Town) -> None:
    match = begun(town, "rosette", *PAIRS, talk="private anonymous")
    for name in ("ada", "eva", "ben", "cleo"):
        line = line_of(town, match, name)
        assert all(
            member.is_me or member.name.startswith(seat.side.capitalize())
            for seat in line.seats
            for member in seat.team
        )
        assert [seat.name for seat in line.seats] == ["Black", "White"]
    for mail in town.post():
        own = mail["To"].addresses[0].username.capitalize()
        if "your move" in mail["Subject"] or "begun" in mail["Subject"]:
            assert not [name for name in NAMES if name.capitalize() != own and name.capitalize() in plain(mail)]


def test_each_player_in_a_team_chooses_their_own_emails(
    town: Town,
) -> None:
    match = begun(town, "rosette", *PAIRS)
    town.write(address("eva"), f"match {match}\nmute")
    order(town, match, "ada", "e5")
    assert (page_of(town, match, "ada").post, page_of(town, match, "eva").post) == ("", "mute")
    town.post()
    order(town, match, "ben", "e6")
    assert town.post() == []
    order(town, match, "eva", "f5")
    assert (page_of(town, match, "ada").post, page_of(town, match, "eva").post) == ("", "mute")


def test_how_teams_are_written() -> None:
    asked = proposal.read("go with e@x.org with f@x.org komi=4.5 vs a@x.org with b@x.org, c@x.org")
    assert [[one.email or one.kind for one in (chair, *chair.mates)] for chair in asked.chairs] == [
        ["me", "e@x.org", "f@x.org"],
        ["a@x.org", "b@x.org"],
        ["c@x.org"],
    ]
    assert asked.options == {"komi": "4.5"}


def test_the_refusal_of_an_order_in_a_partners_turn_doesnt_ask_for_a_move(town: Town) -> None:
    begun(town, "rosette", team("ada", "ben"), team("cleo", "dana"))
    mails = {mail["To"].addresses[0].username: mail for mail in town.write(address("ben"), "match 1\nshow")}
    town.reply(mails["ben"], "g10")
    (refused,) = town.post()
    assert plain(refused).startswith("It's Ada's turn in your team")
    assert "Reply with your move" not in plain(refused)


def test_a_farewell_where_nothing_is_said_is_heard_by_nobody_and_its_writer_reads_so(town: Town) -> None:
    match = begun(town, "rosette", team("ada", "cleo"), team("ben", "dana"), talk="none")
    turn = to(town.post())["cleo"]
    town.reply(turn, "leave team\n\nI have no time to play now.")
    mails = to(town.post())
    assert {name for name, mail in mails.items() if "no time to play" in flat(mail)} == {"cleo"}
    assert "wasn't sent to anybody, because messages are off in this match:" in flat(mails["cleo"])
    assert page_of(town, match, "cleo").line.state == "running"


def test_the_last_of_a_team_has_none_to_leave(town: Town) -> None:
    match = begun(town, "rosette", team("ada", "cleo"), team("ben", "dana"))
    assert order(town, match, "cleo", "leave team") == ""
    with pytest.raises(MoveError) as refused:
        match_page.preview(town.site, match, person(town, "ada"), "leave team")
    assert str(refused.value) == order(town, match, "ada", "leave team") == substitutes.NO_TEAM


def test_without_teams_nobody_has_one_to_leave(town: Town) -> None:
    match = begun(town, "rosette", team("ada"), team("ben"))
    with pytest.raises(MoveError) as refused:
        match_page.preview(town.site, match, person(town, "ada"), "leave team")
    assert str(refused.value) == order(town, match, "ada", "leave team") == substitutes.NO_TEAM
