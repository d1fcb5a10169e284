"""The operators' pages: who gets to see them, what can be done there, and the log of it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect
from sqlalchemy import delete, select
from werkzeug.test import TestResponse

from service.mail.grammar.orders import parse
from service.play import audit
from service.play.accounts import deletion, guests, identity, passkeys, sessions, settings
from service.play.accounts.display_names import AccountError
from service.play.accounts.passkeys import PasskeyError
from service.play.accounts.programs import bot_accounts
from service.play.company import events, wishes
from service.play.company.events import EventError, Plan
from service.play.company.wish_text import WishError, read
from service.play.match import invitations, lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.operations import announcements, operator_acts
from service.play.operations.operator_acts import ActError
from service.play.orders.submit import Incoming, submit
from service.play.pages import records
from service.play.pages.records import RecordRefused
from service.play.talk import comments, messages, moderation
from service.play.talk.messages import TalkError
from service.store.models import Match, Player
from service.store.tables.events import Entrant
from service.store.tables.mail_rows import Letter
from service.store.tables.operators import Ban
from tests.play.conftest import Town, plain, whole
from tests.web.account.test_credentials import AUTHENTICATOR, Device, asked, post
from tests.web.conftest import Forms, Visitor, links, operate, words
from tests.web.live import Live, live

__all__ = ["live"]


@pytest.fixture
def desk(town: Town, app: Flask, ada: Visitor, bruno: Visitor) -> Visitor:
    """Ada, who is an operator and has opened the operators' pages."""
    operate(town, app, ada)
    return ada


def acts(town: Town) -> list[tuple[str | None, str, str]]:
    return [(line.operator, line.act, line.text) for line in audit.lines(town.site)]


def test_a_passkey_opens_the_pages_once_it_was_confirmed_on_the_server(
    town: Town, app: Flask, ada: Visitor, bruno: Visitor
) -> None:
    town.settings = replace(town.settings, operators=frozenset({"ada@example.org"}), public_url="https://play.example")
    app.extensions["site"] = town.site
    assert ada.get("/operator").location == "/operator/open"
    device, visit = Device("https://play.example", ada.id), _key(ada)
    passkeys.add(town.site, ada.id, device.made("one"), "one", "My key")
    assert "stonepost operator confirm 1" in ada.read("/operator/open")
    assert [visitor.get("/operator/open").status_code for visitor in (ada, bruno)] == [200, 404]
    asked = {"csrf_token": dict(Forms(ada.get("/account").text).forms)["/sign-out"]["csrf_token"]}
    options = ada.client.post("/operator/open/options", data=asked)
    assert (options.status_code, options.get_json()["userVerification"]) == (200, "required")
    asked = {"csrf_token": dict(Forms(bruno.get("/account").text).forms)["/sign-out"]["csrf_token"]}
    assert bruno.client.post("/operator/open/options", data=asked).status_code == 404
    with pytest.raises(PasskeyError, match="stonepost operator confirm 1"):
        passkeys.open_operators_pages(town.site, visit, device.answer("two"), "two")
    assert ada.get("/operator").location == "/operator/open"
    assert operator_acts.confirm_passkey(town.site, 1) == "Ada"
    with pytest.raises(PasskeyError, match="a different account"):
        passkeys.open_operators_pages(town.site, _key(bruno), device.answer("three"), "three")
    passkeys.open_operators_pages(town.site, visit, device.answer("four"), "four")
    with pytest.raises(PasskeyError, match="already been used"):
        passkeys.open_operators_pages(town.site, visit, device.answer("four"), "four")
    assert ada.get("/operator").status_code == 200
    town.now += timedelta(hours=8)
    assert ada.get("/operator").location == "/operator/open"
    assert acts(town) == [(None, "passkey-confirmed", "Ada: My key")]


def test_the_pages_close_when_a_passkey_that_opens_them_is_removed(town: Town, app: Flask, ada: Visitor) -> None:
    town.settings = replace(town.settings, operators=frozenset({"ada@example.org"}), public_url="https://play.example")
    app.extensions["site"] = town.site
    devices = [Device("https://play.example", ada.id) for _ in range(2)]
    for number, device in enumerate(devices, 1):
        passkeys.add(town.site, ada.id, device.made(f"{number}"), f"{number}", "My key")
    operator_acts.confirm_passkey(town.site, 1)
    passkeys.open_operators_pages(town.site, _key(ada), devices[0].answer("three"), "three")
    passkeys.remove(town.site, ada.id, 2)
    assert ada.get("/operator").status_code == 200
    passkeys.remove(town.site, ada.id, 1)
    assert ada.get("/operator").location == "/operator/open"


def test_a_device_that_does_not_verify_its_user_is_refused(town: Town, ada: Visitor) -> None:
    town.settings = replace(town.settings, operators=frozenset({"ada@example.org"}), public_url="https://play.example")
    device = Device("https://play.example", ada.id, present=0x01)
    passkeys.add(town.site, ada.id, device.made("one"), "one", "My key")
    operator_acts.confirm_passkey(town.site, 1)
    with pytest.raises(PasskeyError, match="couldn't be checked"):
        passkeys.open_operators_pages(town.site, _key(ada), device.answer("two"), "two")
    assert passkeys.sign_in(town.site, device.answer("three"), "three").id == ada.id


def _key(visitor: Visitor) -> str:
    with visitor.client.session_transaction() as session:
        return str(session["visit"])


def test_only_operators_passkeys_are_confirmed(town: Town, bruno: Visitor) -> None:
    passkeys_of = Device("https://play.example", bruno.id)
    town.settings = replace(town.settings, public_url="https://play.example")
    passkeys.add(town.site, bruno.id, passkeys_of.made("one"), "one", "My key")
    with pytest.raises(ActError, match="isn't in OPERATORS"):
        operator_acts.confirm_passkey(town.site, 1)
    with pytest.raises(ActError, match="no passkey 2"):
        operator_acts.confirm_passkey(town.site, 2)


@pytest.mark.parametrize("path", ["", "/open", "/find?match=1", "/player/1", "/match/1", "/orders", "/reports", "/log"])
def test_others_cannot_open_the_operators_pages(desk: Visitor, bruno: Visitor, anybody: Visitor, path: str) -> None:
    assert bruno.get(f"/operator{path}").status_code == 404
    assert anybody.get(f"/operator{path}").location == "/sign-in"


def test_a_banned_player_can_finish_matches_but_not_begin_join_or_write(
    town: Town, desk: Visitor, bruno: Visitor, match: str
) -> None:
    open_seat = lobby.open_match(town.site, desk.id, "lotus", {}, [Chair("me"), Chair("open")])
    invited = lobby.open_match(town.site, desk.id, "lotus", {}, [Chair("me"), Chair("email", "bruno@example.org")])
    cup = events.found(town.site, desk.id, Plan("Winter cup", "lotus", "3d/move"))
    events.join(town.site, cup, bruno.id)
    wishes.make(town.site, bruno.id, read("rosette"))
    page = f"/operator/player/{bruno.id}"
    answer = desk.send(page, "", page, act="ban", reason="Spam in messages.", days="7")
    assert answer.location == page
    assert "Banned until" in desk.read(page)
    assert wishes.shown(town.site, bruno.id) is None
    why = "You can finish your matches. The reason: Spam in messages."
    for refusal, act in (
        (LobbyError, lambda: lobby.open_match(town.site, bruno.id, "go", {}, [Chair("me"), Chair("open")])),
        (LobbyError, lambda: substitutes.join(town.site, open_seat, bruno.id)),
        (LobbyError, lambda: invitations.answer(town.site, invited, bruno.id, accept=True)),
        (EventError, lambda: events.join(town.site, cup, bruno.id)),
        (EventError, lambda: events.found(town.site, bruno.id, Plan("Spam cup", "lotus", "3d/move"))),
        (WishError, lambda: wishes.make(town.site, bruno.id, read("rosette"))),
        (TalkError, lambda: messages.say(town.site, _number(match), bruno.id, "Buy now", "key")),
    ):
        with pytest.raises(refusal, match=why):
            act()
    town.work()
    (letter,) = [mail for mail in town.post() if mail["Subject"] == "Your Stonepost account was banned"]
    assert "The people who run this site banned the account Bruno until" in plain(letter)
    desk.send(match, f"{match}/order", text="e9", shown="e9")
    town.work()
    bruno.send(match, f"{match}/order", text="e10", shown="e10")
    town.work()
    assert "e10" in desk.read(match)
    town.now += timedelta(days=7)
    messages.say(town.site, _number(match), bruno.id, "I'm back", "back")
    assert acts(town) == [("Ada", "banned", "Spam in messages.")]


def _number(match: str) -> int:
    return int(match.rpartition("/")[2])


def test_a_ban_applies_to_the_players_bots_and_records(town: Town, desk: Visitor, bruno: Visitor) -> None:
    bot = bot_accounts.make(town.site, bruno.id, "Rose").id
    open_seat = lobby.open_match(town.site, desk.id, "lotus", {}, [Chair("me"), Chair("open")])
    pair = [Chair("me"), Chair("paired", player_id=bot)]
    running, over = (lobby.open_match(town.site, desk.id, "rosette", {"base": "5"}, pair) for _ in range(2))
    _order(town, over, desk.id, 0, "resign")
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", 7)
    for refusal, act in (
        (LobbyError, lambda: lobby.open_match(town.site, bot, "go", {}, [Chair("me"), Chair("open")])),
        (LobbyError, lambda: substitutes.join(town.site, open_seat, bot)),
        (TalkError, lambda: messages.say(town.site, running, bot, "Buy now", "key")),
        (TalkError, lambda: comments.add(town.site, over, bot, 0, "Buy now", "key")),
        (RecordRefused, lambda: records.bring(town.site, bot, RECORD)),
        (RecordRefused, lambda: records.bring(town.site, bruno.id, RECORD)),
        (AccountError, lambda: bot_accounts.make(town.site, bruno.id, "Lily")),
    ):
        with pytest.raises(
            refusal, match=r"banned until 28 November 2026\. You can finish your matches\. The reason: Spam\."
        ):
            act()
    assert bot_accounts.make(town.site, bruno.id, "Rose").id == bot, "Its program may need another token."
    _order(town, running, desk.id, 0, "e9")
    _order(town, running, bot, 1, "e10", "Buy my watches")
    assert "e10" in desk.get(f"/match/{running}").text
    assert "watches" not in desk.get(f"/match/{running}").text
    town.now += timedelta(days=7)
    messages.say(town.site, running, bot, "I'm back", "back")


RECORD = b"# stonepost replay go --set size=9\n# black: Buy now\ne5  # 2026-01-01T00:00:00+00:00\n"


def _order(town: Town, match: int, player_id: int, seat: int, text: str, remark: str = "") -> None:
    submit(town.site, Incoming(f"web:{match}:{text}", match, seat, player_id, None, parse(text), "web", remark=remark))
    town.work()


@pytest.mark.parametrize("days", [7, 30, 365])
def test_a_ban_lasts_as_long_as_its_form_says(town: Town, desk: Visitor, bruno: Visitor, days: int) -> None:
    page = f"/operator/player/{bruno.id}"
    desk.send(page, "", page, act="ban", reason="Spam.", days=str(days))
    banned = operator_acts.banned_until(town.site, bruno.id)
    assert banned is not None
    assert banned[0] == town.now + timedelta(days=days)


def test_a_ban_of_an_unknown_length_is_refused_and_what_was_typed_stays(
    town: Town, desk: Visitor, bruno: Visitor
) -> None:
    page = f"/operator/player/{bruno.id}"
    answer = desk.send(page, "", page, act="ban", reason="Spam.", days="14")
    assert answer.status_code == 422
    assert "Choose how long the ban lasts." in words(answer)
    assert 'value="Spam."' in answer.text
    assert operator_acts.banned_until(town.site, bruno.id) is None
    answer = desk.send(page, "", page, act="ban", reason=" ", days="365")
    assert answer.status_code == 422
    assert '<option value="365" selected>' in answer.text


def test_a_banned_player_who_claims_a_banned_guest_stays_banned(town: Town, desk: Visitor, bruno: Visitor) -> None:
    guest = guests.enter(town.site, "key", "a browser").id
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", 7)
    operator_acts.ban(town.site, desk.id, guest, "More spam.", None)
    with town.store.writing() as session:
        guests.claim(session, guest, bruno.id)
    assert operator_acts.banned_until(town.site, bruno.id) == (None, "More spam.")


@pytest.mark.parametrize(("first", "then"), [(7, 30), (30, 7), (7, None), (None, 7)])
def test_a_ban_can_be_given_another_length_for_the_same_reason(
    town: Town, desk: Visitor, bruno: Visitor, first: int | None, then: int | None
) -> None:
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", first)
    town.now += timedelta(days=1)
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", then)
    until = None if then is None else town.now + timedelta(days=then)
    assert operator_acts.banned_until(town.site, bruno.id) == (until, "Spam.")


def test_the_email_about_a_ban_of_a_year_names_the_year(town: Town, desk: Visitor, bruno: Visitor) -> None:
    """It ends on the same day of the next one."""
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", 365)
    until = f"{town.now + timedelta(days=365):%A %-d %B %Y, %H:%M}"
    town.work()
    (letter,) = [mail for mail in town.post() if "banned" in str(mail["Subject"])]
    assert f"banned the account Bruno until {until} (UTC)." in " ".join(plain(letter).split())


def test_a_bot_can_be_banned_without_its_owner_who_hears_of_it(town: Town, desk: Visitor, bruno: Visitor) -> None:
    rose, lily = (bot_accounts.make(town.site, bruno.id, name).id for name in ("Rose", "Lily"))
    page, chairs = f"/operator/player/{rose}", [Chair("me"), Chair("open")]
    desk.send(page, "", page, act="ban", reason="It never stops.", days="")
    town.work()
    (letter,) = [mail for mail in town.post() if "banned" in str(mail["Subject"])]
    assert "bruno@example.org" in str(letter["To"])
    assert "banned the account Rose (bot). Their reason: It never stops." in " ".join(plain(letter).split())
    with pytest.raises(LobbyError, match="It never stops"):
        lobby.open_match(town.site, rose, "lotus", {}, chairs)
    for other in (bruno.id, lily):
        assert lobby.open_match(town.site, other, "lotus", {}, chairs)
    desk.send(page, "", page, act="lift")
    assert lobby.open_match(town.site, rose, "lotus", {}, chairs)
    town.work()
    (letter,) = [mail for mail in town.post() if "banned" in str(mail["Subject"])]
    assert "The account Rose (bot) is no longer banned." in " ".join(plain(letter).split())


@pytest.mark.parametrize("order", [1, -1])
def test_the_longest_ban_counts(town: Town, desk: Visitor, bruno: Visitor, order: int) -> None:
    """A bot's own ban that is over or lifted leaves its owner's ban in force, whichever was made first."""
    bot = bot_accounts.make(town.site, bruno.id, "Rose").id
    for banned, reason, days in ((bot, "Noise.", 7), (bruno.id, "Spam.", None))[::order]:
        operator_acts.ban(town.site, desk.id, banned, reason, days)
        town.now += timedelta(hours=1)
    page = desk.read(f"/operator/player/{bot}")
    assert "This is a bot account of Bruno" in page
    assert "Bruno is banned, and so is this bot." in page
    for days in (0, 8):
        town.now += timedelta(days=days)
        assert operator_acts.banned_until(town.site, bot) == (None, "Spam.")
    operator_acts.lift(town.site, desk.id, bot)
    assert operator_acts.banned_until(town.site, bruno.id) == (None, "Spam.")
    operator_acts.lift(town.site, desk.id, bruno.id)
    assert operator_acts.banned_until(town.site, bot) is None


def test_a_ban_withdraws_matches_that_wait_for_others_including_those_of_bots(
    town: Town, desk: Visitor, bruno: Visitor
) -> None:
    rose, lily = (bot_accounts.make(town.site, bruno.id, name).id for name in ("Rose", "Lily"))
    opened = [
        lobby.open_match(town.site, host, "lotus", {}, [Chair("me"), Chair("open")]) for host in (rose, lily, bruno.id)
    ]
    invited = lobby.open_match(town.site, bruno.id, "go", {}, [Chair("me"), Chair("player", player_id=desk.id)])

    def states() -> list[str]:
        with town.store.reading() as session:
            return [session.get_one(Match, number).state for number in (*opened, invited)]

    operator_acts.ban(town.site, desk.id, rose, "Noise.", None)
    assert states() == ["declined", "open", "open", "open"]
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", None)
    assert states() == ["declined"] * 4


def test_a_banned_player_keeps_the_name_that_others_know(town: Town, desk: Visitor, bruno: Visitor) -> None:
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", None)
    with town.store.reading() as session:
        habits = settings.of(session.get_one(Player, bruno.id))
    with pytest.raises(settings.SettingsRefused) as refused:
        settings.keep(town.site, bruno.id, replace(habits, name="Somebody New"))
    assert "banned" in refused.value.errors["name"]
    settings.keep(town.site, bruno.id, replace(habits, look="dark"))
    _, answer = town.write("bruno@example.org", "name Somebody New")
    assert "You can't do this because you're banned." in whole(answer)
    assert "Somebody New" not in desk.read(f"/player/{bruno.id}")


def test_a_banned_player_whose_name_was_replaced_cant_take_it_again(
    town: Town, desk: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    operator_acts.rename(town.site, desk.id, bruno.id, "An insult.")
    operator_acts.ban(town.site, desk.id, bruno.id, "An insult.", None)
    answer = bruno.send("/new/rosette", name="Insult", other1="email", address1="carla@example.org")
    assert "You can't do this because you're banned." in words(answer)
    assert "Insult" not in desk.read(f"/operator/player/{bruno.id}")
    anybody.send("/sign-in", "/sign-in", email="bruno@example.org")
    town.work()
    assert anybody.send(links(town)[0], name="Insult").status_code == 303
    assert "Insult" not in desk.read(f"/operator/player/{bruno.id}")


def test_a_remark_by_a_banned_player_reaches_nobody(town: Town, desk: Visitor, bruno: Visitor, match: str) -> None:
    desk.send(match, f"{match}/order", text="e9", shown="e9")
    town.work()
    turn = next(mail for mail in town.post() if "bruno@" in str(mail["To"]) and "your move" in mail["Subject"])
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", None)
    assert operator_acts.banned_until(town.site, bruno.id) == (None, "Spam.")
    town.reply(turn, "e10\n\nBuy my watches", sender="bruno@example.org")
    town.work()
    assert "e10" in desk.read(match)
    assert "watches" not in desk.get(match).text
    assert not [mail for mail in town.post() if "ada@" in str(mail["To"]) and "watches" in plain(mail)]


def test_a_ban_is_lifted_and_the_player_hears_of_it(town: Town, desk: Visitor, bruno: Visitor) -> None:
    page = f"/operator/player/{bruno.id}"
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", None)
    desk.send(page, "", page, act="lift")
    events.found(town.site, bruno.id, Plan("Winter cup", "lotus", "3d/move"))
    town.work()
    assert "Your Stonepost account is no longer banned" in [mail["Subject"] for mail in town.post()]
    assert [act for _, act, _ in acts(town)] == ["ban-lifted", "banned"]


def test_a_ban_applies_to_a_new_account_with_the_address_of_a_deleted_one(
    town: Town, desk: Visitor, bruno: Visitor
) -> None:
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", None)
    deletion.leave(town.site, bruno.id)
    with town.store.writing() as session:
        assert "bruno" not in str(session.get_one(Ban, bruno.id).address)
        back = identity.by_email(session, "bruno@example.org", town.now).id
    plan = Plan("Winter cup", "lotus", "3d/move")
    with pytest.raises(EventError, match="You can't do this because you're banned"):
        events.found(town.site, back, plan)
    page = f"/operator/player/{back}"
    assert "Spam." in desk.read(page)
    desk.send(page, "", page, act="lift")
    assert events.found(town.site, back, plan)


def test_operators_cannot_be_banned_and_a_ban_needs_a_reason(desk: Visitor, bruno: Visitor) -> None:
    own, page = f"/operator/player/{desk.id}", f"/operator/player/{bruno.id}"
    refused = desk.send(own, "", own, act="ban", reason="A test", days="7")
    assert "An operator can't be banned." in words(refused)
    assert 'value="A test"' in refused.text
    assert "Write a reason." in words(desk.send(page, "", page, act="ban", reason=" ", days="7"))
    long = words(desk.send(page, "", page, act="ban", reason="x" * 401, days="7"))
    assert "A reason can have up to 400 characters; this one has 401." in long
    assert desk.send(page, "", page, act="ban", reason="x" * 400, days="7").status_code == 303


def test_a_name_is_replaced_and_a_player_signed_out(town: Town, desk: Visitor, bruno: Visitor) -> None:
    page = f"/operator/player/{bruno.id}"
    desk.send(page, "", page, act="rename", reason="An insult.")
    assert f"Player {bruno.id}" in desk.read(page)
    desk.send(page, "", page, act="sign-out")
    assert bruno.get("/account").location == "/sign-in"
    assert acts(town) == [("Ada", "signed-out", ""), ("Ada", "renamed", "Bruno: An insult.")]


def test_a_player_is_found_by_name_number_or_whole_address(desk: Visitor, bruno: Visitor, match: str) -> None:
    page = f"/operator/player/{bruno.id}"
    for text in ("bruno", "BRUNO", str(bruno.id), f"Player {bruno.id}", "bruno@example.org"):
        assert desk.get(f"/operator/find?player={text}").location == page
    assert desk.get(f"/operator/find?match={_number(match)}").location == f"/operator{match}"
    for text in ("player=bruno@", "player=nobody", "match=999", "match=x", "player=99999999999999999999"):
        assert desk.get(f"/operator/find?{text}").status_code == 404
    told = desk.get("/operator/find?player=nobody").text
    assert 'value="nobody" aria-invalid="true" aria-describedby="find-error"' in told
    for text in ("999", "x"):
        told = desk.get(f"/operator/find?match={text}").text
        assert f'value="{text}" aria-invalid="true" aria-describedby="match-error"' in told
        assert '<p class="wrong" id="match-error">There&#39;s no such match.</p>' in told
    assert "There's no player with this name" in desk.read("/operator/find?player=+")
    assert [desk.get(f"/operator/{page}/999").status_code for page in ("player", "match")] == [404, 404]
    assert "bruno@example.org" not in desk.get(page).text


def test_a_name_that_is_a_number_is_found_before_the_number(town: Town, desk: Visitor, bruno: Visitor) -> None:
    identity.rename(town.site, bruno.id, str(desk.id))
    assert desk.get(f"/operator/find?player={desk.id}").location == f"/operator/player/{bruno.id}"
    assert desk.get(f"/operator/find?player=player+{desk.id}").location == f"/operator/player/{desk.id}"


def test_a_bot_that_is_renamed_still_looks_like_one(town: Town, desk: Visitor, bruno: Visitor) -> None:
    bot = bot_accounts.make(town.site, bruno.id, "An insult")
    page = f"/operator/player/{bot.id}"
    desk.send(page, "", page, act="rename", reason="An insult.")
    assert [one.name for one in bot_accounts.of(town.site, bruno.id)] == [f"Player {bot.id} (bot)"]
    assert desk.get(f"/operator/find?player=Player+{bot.id}+(bot)").location == page
    asked = town.write("bruno@example.org", f"rating Player {bot.id} (bot)")
    assert f"Player {bot.id} (bot) hasn't finished a rated match yet." in whole(asked[-1])


def test_a_match_is_annulled_with_its_reason(town: Town, desk: Visitor, bruno: Visitor, match: str) -> None:
    page = f"/operator{match}"
    assert desk.client.post(page, data={**_token(desk), "act": "annul"}).status_code == 400
    bruno.send(match, f"{match}/order", text="resign", shown="resign")
    town.work()
    desk.send(page, "", page, act="annul", reason="Thrown.")
    shown = desk.read(page)
    assert "State: over (annulled), not rated" in shown
    assert "Annul this match" not in shown
    assert "This match was annulled and doesn't count." in bruno.read(match)
    assert acts(town) == [("Ada", "annulled", "Thrown.")]


def test_a_report_is_read_and_closed(town: Town, desk: Visitor, bruno: Visitor) -> None:
    bruno.send(f"/player/{desk.id}", f"/player/{desk.id}/report", text="<b>Rude</b>")
    assert "1 report is open" in desk.read("/operator")
    assert "&lt;b&gt;Rude&lt;/b&gt;" in desk.get("/operator/reports").text
    for _ in range(2):
        desk.client.post("/operator/reports", data={**_token(desk), "report": "1"})
    assert "0 reports are open" in desk.read("/operator")
    assert [act for _, act, _ in acts(town)] == ["report-closed"]


def test_a_report_is_open_again_if_the_same_words_are_written_after_it_was_closed(
    desk: Visitor, bruno: Visitor, town: Town
) -> None:
    for number in (0, 1):
        town.now += timedelta(hours=2 * number)
        for _ in range(2):
            bruno.send(f"/player/{desk.id}", f"/player/{desk.id}/report", text="Rude again.")
        assert "1 report is open" in desk.read("/operator")
        line = moderation.reports(town.site)[0]
        assert line.made >= town.now - timedelta(hours=1)
        desk.client.post("/operator/reports", data={**_token(desk), "report": str(line.id)})
        assert "0 reports are open" in desk.read("/operator")


def test_no_bot_takes_the_name_that_another_bot_gets_from_an_operator(
    town: Town, desk: Visitor, bruno: Visitor
) -> None:
    bot = bot_accounts.make(town.site, bruno.id, "Insult")
    with pytest.raises(AccountError, match=rf"Names like Player {bot.id} \(bot\) are reserved"):
        bot_accounts.make(town.site, desk.id, f"Player {bot.id}")
    for _ in range(2):
        operator_acts.rename(town.site, desk.id, bot.id, "An insult.")


def _token(visitor: Visitor) -> dict[str, str]:
    page = visitor.get("/account").text
    return {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}


def test_accounts_of_one_event_that_share_an_address_are_listed(town: Town, desk: Visitor, bruno: Visitor) -> None:
    assert words(desk.get("/operator/pairs")).count("None.") == 2
    cup = events.found(town.site, desk.id, Plan("<i> cup", "lotus", "3d/move"))
    for one in (desk, bruno):
        events.join(town.site, cup, one.id)
        sessions.begin(town.site, one.id, "Firefox", network="2001:db8::/64")
    page = desk.get("/operator/pairs")
    assert "&lt;i&gt; cup Ada , Bruno" in words(page)
    assert f'href="/events/{cup}"' in page.text
    assert f'href="/operator/player/{bruno.id}"' in page.text
    assert "2001:db8" not in page.text


def test_an_announcement_is_on_every_page_until_it_ends(town: Town, desk: Visitor, anybody: Visitor) -> None:
    desk.send("/operator", "/operator/announcement", text="Off on <Sunday>.", hours="1")
    assert "Off on &lt;Sunday&gt;." in anybody.get("/").text
    town.now += timedelta(hours=1)
    assert "Sunday" not in anybody.get("/").text
    refused = desk.send("/operator", "/operator/announcement", text="x" * 401, hours="8")
    assert "this one has 401" in words(refused)
    assert re.findall(r'<option value="(\d+)" selected>', refused.text) == ["8"]
    with pytest.raises(announcements.AnnouncementError, match="this one has 401"):
        announcements.announce(town.site, desk.id, "x" * 401, timedelta(hours=8))
    announcements.announce(town.site, desk.id, "Back", timedelta(hours=8))
    announcements.announce(town.site, desk.id, "", timedelta())
    assert announcements.current(town.site) == ""


def test_an_announcement_that_is_removed_is_not_said_to_be_shown(desk: Visitor) -> None:
    for text, told in (("Off at 8.", "Every page shows it within 15 seconds."), ("", "The announcement is removed.")):
        desk.client.post("/operator/announcement", data={**_token(desk), "text": text, "hours": "1"})
        assert told in desk.read("/operator")


def test_waiting_orders_are_shown_without_their_text(desk: Visitor, bruno: Visitor, match: str) -> None:
    desk.send(match, f"{match}/order", text="e9", shown="e9")
    page = desk.read("/operator/orders")
    assert f"Match {_number(match)}" in page
    assert "Kind move, from seat 1, by web" in page
    assert "e9" not in page
    assert desk.send(f"/operator{match}", "", f"/operator{match}", act="judge").status_code == 303


def test_the_page_of_a_match_lists_the_emails_that_were_not_sent(
    town: Town, desk: Visitor, bruno: Visitor, match: str
) -> None:
    with town.store.writing() as session:
        session.execute(delete(Letter))
        for player, attempts, due in ((desk, 1, town.now), (bruno, 12, None)):
            session.add(
                Letter(
                    key=f"said:{player.id}",
                    kind="said",
                    data={},
                    player_id=player.id,
                    match_id=_number(match),
                    created=town.now,
                    due=due,
                    attempts=attempts,
                    error="451 later",
                )
            )
    page = desk.read(f"/operator{match}")
    when = "Saturday 21 November, 12:00 (UTC)"
    assert (
        f"Said to b*** at example.org {when} , 12 attempts, given up Said to a*** at example.org {when} , 1 att" in page
    )
    assert page.count("Said to") == 2


def test_the_log_has_pages(town: Town, desk: Visitor, bruno: Visitor) -> None:
    for _ in range(audit.LISTED + 1):
        operator_acts.sign_out(town.site, desk.id, bruno.id)
    assert "/operator/log?before=2" in desk.get("/operator/log").text
    assert desk.get("/operator/log?before=3").text.count("Signed a player out") == 2


@pytest.mark.processes
def test_an_operator_opens_the_pages_in_a_browser(browser: Browser, live: Live) -> None:
    person = live.person(browser, "kim@example.org")
    page, device = person.page, person.page.context.new_cdp_session(person.page)
    device.send("WebAuthn.enable")
    device.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    operated = replace(live.site, settings=replace(live.site.settings, operators=frozenset({"kim@example.org"})))
    live.app.extensions["site"] = operated
    try:
        page.goto("/operator")
        expect(page.get_by_role("main")).to_contain_text("You have no passkey.")
        page.get_by_role("link", name="Add one").click()
        page.get_by_label("Name of the new passkey").fill("My key")
        page.get_by_role("button", name="Add a passkey").click()
        expect(page.get_by_role("status")).to_contain_text("Done.")
        page.goto("/operator")
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_role("alert")).to_contain_text("stonepost operator confirm")
        (key,) = passkeys.of(operated, live.player("kim@example.org"))
        operator_acts.confirm_passkey(operated, key.id)
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Operators' pages")
        page.get_by_label("A player's name").fill("kim")
        page.get_by_role("button", name="Find the player").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Kim")
    finally:
        live.app.extensions["site"] = live.site
    assert person.faults == []
    page.context.close()


def test_an_operator_opens_the_pages_with_a_confirmed_passkey(
    town: Town, app: Flask, ada: Visitor, bruno: Visitor
) -> None:
    town.settings = replace(town.settings, operators=frozenset({"ada@example.org"}), public_url="https://play.example")
    app.extensions["site"] = town.site
    device = Device("https://play.example", ada.id)
    passkeys.add(town.site, ada.id, device.made("one"), "one", "My key")

    def unlocked() -> TestResponse:
        challenge = asked(ada, "/operator/open")
        return post(ada, "/operator/open", answer=device.answer(challenge))

    refused = unlocked()
    assert refused.status_code == 422
    assert "stonepost operator confirm 1" in refused.get_json()["message"]
    assert ada.get("/operator").location == "/operator/open"
    operator_acts.confirm_passkey(town.site, 1)
    assert unlocked().get_json() == {"to": "/operator"}
    assert ada.get("/operator").status_code == 200
    assert post(bruno, "/operator/open", answer="").status_code == 404


def test_an_unknown_act_changes_nothing(town: Town, desk: Visitor, bruno: Visitor) -> None:
    page = f"/operator/player/{bruno.id}"
    assert desk.client.post(page, data={**_token(desk), "act": "praise", "reason": "Kind."}).status_code == 400


def test_a_form_sent_twice_bans_and_lifts_once(town: Town, desk: Visitor, bruno: Visitor) -> None:
    for _ in range(2):
        operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", 7)
        town.now += timedelta(minutes=1)
    for _ in range(2):
        operator_acts.lift(town.site, desk.id, bruno.id)
    town.work()
    assert [act for _, act, _ in acts(town)] == ["ban-lifted", "banned"]
    subjects = [mail["Subject"] for mail in town.post()]
    assert subjects == ["Your Stonepost account was banned", "Your Stonepost account is no longer banned"]


def test_a_ban_leaves_alone_the_events_that_a_player_has_left(town: Town, desk: Visitor, bruno: Visitor) -> None:
    cups = [events.found(town.site, desk.id, Plan(name, "lotus", "3d/move")) for name in ("One cup", "Another cup")]
    for cup in cups:
        events.join(town.site, cup, bruno.id)
    events.end(town.site, cups[0], desk.id, is_operator=True)
    operator_acts.ban(town.site, desk.id, bruno.id, "Spam.", None)
    with town.store.reading() as session:
        assert session.get(Entrant, (cups[0], bruno.id)) is not None
        assert session.get(Entrant, (cups[1], bruno.id)) is None
        assert session.get(Ban, bruno.id) is not None


def test_a_player_who_has_left_is_not_banned(town: Town, desk: Visitor, bruno: Visitor) -> None:
    deletion.leave(town.site, bruno.id)
    page = f"/operator/player/{bruno.id}"
    told = desk.client.post(page, data={"act": "ban", "reason": "Spam.", "days": "7"} | _token(desk))
    assert (told.status_code, "The account has been deleted." in words(told)) == (422, True)
    assert acts(town) == []


def test_older_reports_are_on_a_page_of_their_own(town: Town, desk: Visitor, bruno: Visitor) -> None:
    for text in ("The first report", "The second report"):
        moderation.report(town.site, bruno.id, desk.id, text)
    latest = moderation.reports(town.site)[0].id
    assert "The second report" in desk.read("/operator/reports")
    older = desk.read(f"/operator/reports?before={latest}")
    assert ("The first report" in older, "The second report" in older) == (True, False)


def test_all_open_reports_are_counted_even_if_a_page_lists_fewer(
    town: Town, desk: Visitor, bruno: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("The first report", "The second report", "The third report"):
        moderation.report(town.site, bruno.id, desk.id, text)
    monkeypatch.setattr(moderation, "LISTED", 2)
    assert "3 reports are open" in desk.read("/operator")


def test_a_guest_who_is_banned_is_owed_no_email(town: Town, desk: Visitor) -> None:
    guest = guests.enter(town.site, "key", "a browser").id
    page = f"/operator/player/{guest}"
    ban = {"act": "ban", "reason": "Spam.", "days": "7"}
    for form in (ban, {"act": "lift"}):
        told = desk.client.post(page, data=form | _token(desk), follow_redirects=True)
        assert "email" not in words(told).partition("Ban")[0]
    with town.store.reading() as session:
        assert session.scalars(select(Letter).where(Letter.player_id == guest)).all() == []
