"""Other players and events: following, creating, blocking, inviting again, and taking over seats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.play.operations import operator_acts, statistics
from service.play.operations.sweep import sweep
from service.store.models import Player
from service.store.tables.ratings import PlayerRating
from tests.api.conftest import Program
from tests.play.conftest import Town

CUP = {"kind": "cup", "name": "Winter Cup", "game": "rosette", "clock": "3d/move"}


def test_following_a_player(town: Town, ada: Program, bruno: Program) -> None:
    cleo = bruno
    assert ada.send(f"/following/players/{cleo.id}", None, "PUT").status == 200
    assert ada.ask(f"/players/{cleo.id}").json["followed"]
    assert not cleo.ask(f"/players/{cleo.id}").json["followed"]
    cleo.send("/matches", {"new": "lotus vs bot"})
    told = ada.ask("/following").json
    assert told["players"] == [{"id": cleo.id, "name": "Bruno"}]
    assert [(one["what"], one["title"], one["who"]) for one in told["news"]] == [("began", "Lotus 1", ["Bruno"])]
    assert told["news"][0]["page"] == f"{town.settings.public_url}/match/1"
    assert ada.send(f"/following/players/{cleo.id}", None, "DELETE").status == 200
    assert ada.ask("/following").json == {"players": [], "contests": [], "news": []}
    refused = ada.send(f"/following/players/{ada.id}", None, "PUT")
    assert (refused.status, refused.json["detail"]) == (422, "You can't follow yourself.")


def test_an_event_is_created_followed_and_ended(ada: Program, bruno: Program) -> None:
    made = [ada.send("/contests", CUP, Idempotency_Key="one") for _ in range(2)]
    assert [answer.status for answer in made] == [201, 201]
    event = made[0].json
    assert (event["id"], event["name"], event["state"]) == (made[1].json["id"], "Winter Cup", "open")
    assert bruno.send(f"/following/contests/{event['id']}", None, "PUT").status == 200
    assert bruno.ask("/following").json["contests"] == [{"id": event["id"], "name": "Winter Cup"}]
    assert bruno.send(f"/following/contests/{event['id']}", None, "DELETE").status == 200
    assert bruno.ask("/following").json["contests"] == []
    assert ada.ask(f"{event['url']}?season=1").json["contest"]["season"] == 1
    refused = ada.ask(f"{event['url']}?season=99")
    assert (refused.status, refused.json["detail"]) == (404, "This event has no season 99.")
    assert bruno.send(f"{event['url']}/end").json["type"] == "/api#refused"
    assert ada.send(f"{event['url']}/end").status == 200
    assert ada.ask(event["url"]).json["contest"]["state"] == "ended"


@pytest.mark.parametrize(
    ("change", "field"),
    [({"name": "Winter"}, "name"), ({"game": "chess"}, "game"), ({"clock": "soon"}, "clock"), ({"seats": 9}, "seats")],
)
def test_an_event_that_cannot_be_created(ada: Program, change: dict[str, object], field: str) -> None:
    answer = ada.send("/contests", CUP | change)
    assert (answer.status, answer.json["field"]) == (422, field)


def test_the_matches_of_an_event_have_their_results(town: Town, ada: Program, enter: Callable[..., Program]) -> None:
    cup = ada.send("/contests", CUP).json["url"]
    for who in (ada, *map(enter, ("bruno", "cleo", "dana"))):
        assert who.send(f"{cup}/join").status == 200
    sweep(town.site)
    tables = ada.ask(cup).json["tables"]
    assert [one["shares"] for one in tables] == [[None, None]] * 6
    mine = next(one for one in tables if "Ada" in one["players"])
    assert ada.order(mine["match"], "resign").status == 200
    sweep(town.site)
    (over,) = (one for one in ada.ask(cup).json["tables"] if one["match"] == mine["match"])
    assert dict(zip(over["players"], over["shares"], strict=True))["Ada"] == "0"
    assert sorted(over["shares"]) == ["0", "1"]
    lines = {one["player"]: one["points"] for one in ada.ask(cup).json["standings"]}
    assert lines == {name: "1" if name in over["players"] and name != "Ada" else "0" for name in lines}


def test_a_ladder_says_who_can_be_challenged(ada: Program, bruno: Program) -> None:
    ladder = ada.send("/contests", {"kind": "ladder", "game": "lotus", "clock": "3d/move"}).json["url"]
    for who in (ada, bruno):
        assert who.send(f"{ladder}/join").status == 200
    assert bruno.ask(ladder).json["may_challenge"] == [{"id": ada.id, "name": "Ada"}]
    assert ada.ask(ladder).json["may_challenge"] == []
    assert bruno.send(f"{ladder}/challenge/{ada.id}").status == 200


def test_a_player_is_blocked(ada: Program, bruno: Program) -> None:
    assert ada.send(f"/players/{bruno.id}/block", None, "PUT").status == 200
    assert ada.ask(f"/players/{bruno.id}").json["blocked"]
    assert not bruno.ask(f"/players/{ada.id}").json["blocked"]
    number = ada.send("/matches", {"new": "lotus vs open"}).json["id"]
    assert bruno.send(f"/matches/{number}/join", {}).status == 422
    invited = bruno.send("/matches", {"new": "lotus vs ada@example.org"})
    assert (invited.status, invited.json["state"]) == (201, "open"), "A refusal would tell whose address it is."
    assert invited.json["id"] not in [one["id"] for one in ada.ask("/matches/mine").json["matches"]]
    assert ada.send(f"/players/{bruno.id}/block", None, "DELETE").status == 200
    assert bruno.send(f"/matches/{number}/join", {}).status == 200
    for nobody in (ada.id, 99):
        assert ada.send(f"/players/{nobody}/block", None, "PUT").status == 404


def test_an_order_whose_message_isnt_passed_on_because_of_a_ban_is_answered(
    town: Town, ada: Program, bruno: Program, match: int
) -> None:
    operator_acts.ban(town.site, bruno.id, ada.id, "Spam.", None)
    for _ in range(2):
        sent = {"text": "e9", "message": "Hello"}
        answer = ada.send(f"/matches/{match}/orders?wait=0", sent, Idempotency_Key="one")
        assert (answer.status, answer.json.get("state")) == (200, "accepted")
    assert ada.send(f"/matches/{match}/orders?wait=0", {"text": "e10"}, Idempotency_Key="one").status == 422
    (entry,) = bruno.ask(f"/matches/{match}").json["log"]
    assert (entry["move"], entry["remark"]) == ("e9", "")


def test_a_ban_applies_to_tokens_and_bots(town: Town, ada: Program, bruno: Program, match: int) -> None:
    made = ada.send("/bots", {"name": "Rose"}).json
    bot = replace(ada, id=made["id"], token=made["token"])
    opened = bruno.send("/matches", {"new": "lotus vs open"}).json["id"]
    operator_acts.ban(town.site, bruno.id, ada.id, "Spam.", None)
    record = "# stonepost replay go --set size=9\n# black: Buy now\ne5\n"
    for asking in (ada, bot):
        for path, body in (
            ("/matches", {"new": "lotus vs open"}),
            (f"/matches/{opened}/join", {}),
            ("/records", {"record": record}),
        ):
            answer = asking.send(path, body)
            assert (answer.status, answer.json["detail"]) == (
                *(422, "You can't do this because you're banned. You can finish your matches. The reason: Spam."),
            ), path
    assert ada.send("/bots", {"name": "Lily"}).status == 422
    assert [one["name"] for one in ada.ask("/bots").json["bots"]] == ["Rose (bot)"]
    assert ada.order(match, "e9").status == 200


def test_a_block_applies_to_bots(ada: Program, bruno: Program) -> None:
    bruno.send(f"/players/{ada.id}/block", None, "PUT")
    made = ada.send("/bots", {"name": "Rose"}).json
    bot = replace(ada, id=made["id"], token=made["token"])
    opened = bruno.send("/matches", {"new": "lotus vs open"}).json["id"]
    answer = bot.send(f"/matches/{opened}/join", {})
    assert (answer.status, answer.json["detail"]) == (422, "Somebody in this match doesn't want to play with you.")
    bot.send("/matches", {"new": "lotus vs bot"})
    answer = bot.send(f"/players/{bruno.id}/matches", {})
    assert (answer.status, "accept invitations from you" in answer.text) == (422, True)
    assert not bruno.ask(f"/players/{bot.id}").json["blocked"], "It isn't blocked on its own, so it can't be unblocked."


def test_a_player_is_reported(town: Town, ada: Program, bruno: Program) -> None:
    from service.play.talk import moderation

    for _ in range(2):
        assert ada.send(f"/players/{bruno.id}/report", {"text": "He shouts."}).status == 200
    (line,) = moderation.reports(town.site)
    assert (line.by, line.about, line.text) == ("Ada", "Bruno", "He shouts.")
    assert ada.send("/players/99/report", {"text": "He shouts."}).status == 422


def test_a_player_is_invited_with_the_settings_of_the_last_match(
    ada: Program, bruno: Program, enter: Callable[..., Program], match: int
) -> None:
    asked = [ada.send(f"/players/{bruno.id}/matches", None, Idempotency_Key="one") for _ in range(2)]
    assert [(answer.status, answer.json["id"]) for answer in asked] == [(201, match + 1)] * 2
    assert ada.ask(f"/matches/{match + 1}").json["options"]["base"] == "5"
    assert ada.send(f"/players/{ada.id}/matches").json["detail"] == "You can't invite yourself."
    assert ada.send("/players/99/matches").json["detail"] == "There's no such player."
    assert enter("cleo").send(f"/players/{ada.id}/matches").json["detail"] == "Choose a game first: open a new match."


def test_a_seat_is_offered_and_taken(ada: Program, bruno: Program, match: int) -> None:
    refused = ada.send(f"/matches/{match}/seat", {"to": "anybody"})
    assert refused.json["detail"] == "This match doesn't allow substitutes."
    number = ada.send("/matches", {"new": "lotus substitutes=yes vs bruno@example.org"}).json["id"]
    bruno.send(f"/matches/{number}/answer", {"accept": True})
    assert ada.send(f"/matches/{number}/seat", {"to": "anybody"}).status == 200
    assert ada.ask(f"/matches/{number}").json["offered"]
    assert ada.send(f"/matches/{number}/seat", {"to": ""}).status == 200
    assert not ada.ask(f"/matches/{number}").json["offered"]


def test_a_wish_is_returned_as_written_or_empty_without_one(ada: Program) -> None:
    none: dict[str, object] = {"wish": "", "since": None, "rests": False, "matches": []}
    assert ada.ask("/wish").json == none
    ada.send("/wish", {"wish": "lotus 1d-7d up to 3"}, "PUT")
    shown = ada.ask("/wish").json
    assert shown == {"wish": "lotus 1d-7d up to 3", "since": shown["since"], "rests": False, "matches": []}
    ada.send("/wish", None, "DELETE")
    assert ada.ask("/wish").json == none


def test_a_match_begins_with_somebody_who_looks_for_opponents(ada: Program, bruno: Program) -> None:
    bruno.send("/wish", {"wish": "lotus 1d-7d up to 3"}, "PUT")
    met = [ada.send("/wishes/lotus/meet", None, Idempotency_Key="one") for _ in range(2)]
    assert [(answer.status, answer.json["state"], answer.json["id"]) for answer in met] == [(201, "running", 1)] * 2
    assert ada.send("/wishes/medusa/meet").status == 422
    assert ada.send("/wishes/chess/meet").status == 404


def test_notices_are_chosen(ada: Program) -> None:
    assert ada.ask("/notices").json == {"games": []}
    assert ada.send("/notices", {"games": ["lotus", "go"]}, "PUT").status == 200
    assert set(ada.ask("/notices").json["games"]) == {"lotus", "go"}
    refused = ada.send("/notices", {"games": ["chess"]}, "PUT")
    assert (refused.status, refused.json["detail"]) == (422, "There's no game called chess here.")


def test_a_comment_is_removed_by_its_author(ada: Program, bruno: Program, match: int) -> None:
    ada.order(match, "resign")
    assert ada.send(f"/matches/{match}/comments", {"ply": 0, "text": "Well played"}).status == 200
    (comment,) = ada.ask(f"/matches/{match}/comments").json["comments"]
    assert (comment["author"], comment["mine"]) == ("Ada", True)
    assert not bruno.ask(f"/matches/{match}/comments").json["comments"][0]["mine"]
    here = f"/matches/{match}/comments/{comment['id']}"
    assert [who.send(here, None, "DELETE").status for who in (bruno, ada, ada)] == [403, 200, 200]
    assert ada.ask(f"/matches/{match}/comments").json["comments"] == []


def test_an_address_removes_only_a_comment_on_its_own_match(ada: Program, bruno: Program, match: int) -> None:
    other = ada.send("/matches", {"new": "lotus vs bruno@example.org"}).json["id"]
    assert bruno.send(f"/matches/{other}/answer", {"accept": True}).status == 200
    for number in (match, other):
        ada.order(number, "resign")
    assert ada.send(f"/matches/{other}/comments", {"ply": 0, "text": "Well played"}).status == 200
    (comment,) = ada.ask(f"/matches/{other}/comments").json["comments"]
    refused = ada.send(f"/matches/{match}/comments/{comment['id']}", None, "DELETE")
    assert (refused.status, refused.json["type"]) == (404, "/api#not-found")
    assert refused.json["detail"] == f"There's no comment {comment['id']} on this match."
    assert ada.ask(f"/matches/{other}/comments").json["comments"] == [comment]


def test_the_statistics_of_a_game(town: Town, ada: Program, bruno: Program, match: int) -> None:
    assert ada.ask("/statistics/rosette").json == {"game": "rosette", "day": None, "settings": []}
    for who, text in ((ada, "e9"), (bruno, "e10"), (ada, "d9"), (bruno, "d10"), (ada, "resign")):
        assert who.order(match, text).status == 200
    for _ in range(9):
        statistics.compute(town.site)
    (setting,) = ada.ask("/statistics/rosette").json["settings"]
    assert (setting["matches"], setting["openings"][0]["move"]) == (1, "e9")
    assert ada.ask("/statistics/chess").status == 404


def test_an_event_that_is_not_there_cannot_be_followed(ada: Program) -> None:
    refused = ada.send("/following/contests/9", None, "PUT")
    assert (refused.status, refused.json["type"]) == (422, "/api#refused")
    assert refused.json["detail"] == "There's no such event."


def test_a_match_is_withdrawn_before_it_begins(ada: Program, bruno: Program) -> None:
    match = ada.send("/matches", {"new": "lotus vs bruno@example.org"}).json["id"]
    for _ in range(2):
        answer = ada.send(f"/matches/{match}/withdraw")
        assert (answer.status, answer.json["id"], answer.json["state"]) == (200, match, "declined")
    late = bruno.send(f"/matches/{match}/answer", {"accept": True})
    assert (late.status, late.json["type"]) == (422, "/api#refused")
    assert late.json["detail"] == "This invitation has already been answered or withdrawn."


def test_a_leaderboard_goes_on_at_the_next_address(town: Town, ada: Program, bruno: Program) -> None:
    rated = {"game": "lotus", "deviation": 50.0, "volatility": 0.06, "matches": 9, "at": town.now}
    with town.store.writing() as session:
        for number in range(52):
            session.add(made := Player(name=f"Player {number + 9}", created=town.now))
            session.flush()
            rating = 1500 - number // 3  # Three of each.
            session.add(PlayerRating(player_id=made.id, rating=rating, floor=rating - 50, **rated))
    first = ada.ask("/ratings/lotus").json
    second = ada.ask(first["next"]).json
    assert second["next"] is None
    found = first["leaders"] + second["leaders"]
    assert [one["place"] for one in found] == [*range(1, 53)]
    assert [one["name"] for one in found] == [f"Player {number + 9}" for number in range(52)]
