"""Tokens for programs, and bot accounts: made, shown once, used, revoked."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.accounts import deletion, display_names, recovery
from service.play.accounts.programs import bot_accounts, tokens
from service.play.company import events, pairing, wish_text, wishes
from service.play.match import lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.operations import sweep
from service.play.orders.submit import Incoming, submit
from service.play.ratings.rate import who_is_rated
from service.store.models import Match, Player
from service.store.tables.credentials import Token
from tests.play.conftest import Town, plain, whole
from tests.web.conftest import Visitor, judge, words

PAGE = "/account/programs"


def shown(page: str) -> str:
    found = re.search(r'<code class="token">(stonepost_[a-z2-7]{32})</code>', page)
    assert found is not None, page
    return found[1]


def made(visitor: Visitor, **fields: str) -> str:
    """A token as shown after pressing the button, with the form's defaults or these fields."""
    return shown(visitor.client.post(PAGE, data=form(visitor) | fields).text)


def form(visitor: Visitor) -> dict[str, str | list[str]]:
    page = visitor.get(PAGE).text
    hidden = dict(re.findall(r'name="(csrf_token|nonce)" value="([^"]*)"', page))
    return {**hidden, "scope": re.findall(r'name="scope" value="(\w+)" checked', page), "days": "365"}


def test_a_token_needs_two_presses_and_is_shown_once(town: Town, ada: Visitor) -> None:
    assert PAGE in ada.get("/account").text
    token = made(ada)
    held = tokens.holder(town.site, token)
    assert held is not None
    assert (held.player.id, held.scopes) == (ada.id, frozenset(tokens.USUAL))
    again = ada.get(PAGE)
    assert token not in again.text
    assert "A program used" in words(again)
    assert token not in ada.get("/account/data.json").text


def test_the_database_has_only_a_hash(town: Town, ada: Visitor) -> None:
    token = made(ada, name="Terminal")
    with town.store.reading() as session:
        row = session.scalars(select(Token)).one()
    assert (row.name, row.hash) == ("Terminal", tokens.stored(token))
    assert not {token, token.removeprefix("stonepost_")} & {str(value) for value in vars(row).values()}


def test_a_form_sent_twice_shows_the_same_token_but_never_a_revoked_one(town: Town, ada: Visitor) -> None:
    sent = form(ada)
    first, second = (ada.client.post(PAGE, data=sent) for _ in range(2))
    assert shown(first.text) == shown(second.text)
    ada.send(PAGE, f"{PAGE}/revoke", token=re.findall(r'name="token" value="(\w+)"', ada.get(PAGE).text)[0])
    assert tokens.holder(town.site, shown(first.text)) is None
    third = ada.client.post(PAGE, data=sent)
    assert third.status_code == 422
    assert "revoked this token" in words(third)


def test_a_token_expires_as_chosen(town: Town, ada: Visitor) -> None:
    short, long = made(ada, days="30"), made(ada, days="0")
    town.now += timedelta(days=30)
    assert tokens.holder(town.site, short) is None
    assert tokens.holder(town.site, long) is not None


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"scope": []}, "Tick at least one thing"),
        ({"scope": ["read", "root"]}, "Tick at least one thing"),
        ({"days": "7"}, "Choose one of the times shown."),
        ({"name": "x" * 61}, "A name can have 1 to 60 characters."),
    ],
)
def test_errors_in_the_form_of_a_token_are_explained(ada: Visitor, fields: dict[str, object], sentence: str) -> None:
    answer = ada.client.post(PAGE, data=form(ada) | fields)
    assert answer.status_code == 422
    assert sentence in words(answer)


def test_the_number_of_tokens_is_limited(town: Town, ada: Visitor) -> None:
    for number in range(tokens.MOST):
        tokens.make(town.site, ada.id, "", ["read"], 30, f"form {number}")
    answer = ada.client.post(PAGE, data=form(ada))
    assert "Revoke one that you no longer need" in words(answer)
    town.now += timedelta(days=31)
    assert tokens.make(town.site, ada.id, "", ["read"], 30, "one more")


def test_nobody_can_revoke_somebody_elses_token(town: Town, ada: Visitor, bruno: Visitor) -> None:
    token, row = tokens.make(town.site, ada.id, "", ["read"], 30, "form")
    bruno.send(PAGE, f"{PAGE}/bots", to=f"{PAGE}/revoke", token=row.hash)
    assert tokens.holder(town.site, token) is not None


def test_bots_are_marked_by_their_names_and_nobody_else_can_have_such_a_name(town: Town, ada: Visitor) -> None:
    ada.send(PAGE, f"{PAGE}/bots", bot="Deep Rose")
    (bot,) = bot_accounts.of(town.site, ada.id)
    assert (bot.name, bot.is_bot, bot.is_guest) == ("Deep Rose (bot)", True, False)
    assert "A bot. Ada runs it. Here since" in words(ada.get(f"/player/{bot.id}"))
    alike = (
        "Rose (b\u043et)",
        "Rose (\u0432\u03bf\u0442)",
        "Rose (b\u00f3t)",
        "Rose [bot]",
        "Rose (b0t)",
        "Rose \u276abot\u276b",
    )
    for name in ("Rose (bot)", "Rose ( BOT )", "Rose (bot).", *alike):
        assert "Only the names of bots end like this." in words(ada.send("/account", name=name)), name
    for name, sentence in (("x" * 55, "A bot's name can have 1 to 54 characters."), ("deep rose", "")):
        assert sentence in words(ada.send(PAGE, f"{PAGE}/bots", bot=name))
    assert len(bot_accounts.of(town.site, ada.id)) == 1


def test_a_form_for_a_bot_deleted_in_another_tab_makes_no_token_for_its_owner(town: Town, ada: Visitor) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    fields = form(ada) | {"holder": str(bot.id)}
    bot_accounts.end(town.site, ada.id, bot.id)
    answer = ada.client.post(PAGE, data=fields)
    assert answer.status_code == 422
    assert "You no longer have this bot. Choose again." in words(answer)
    assert not tokens.of(town.site, ada.id)


def test_a_bot_has_tokens_of_its_own_and_is_deleted_with_its_owner(town: Town, ada: Visitor, bruno: Visitor) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    token = made(ada, holder=str(bot.id))
    held = tokens.holder(town.site, token)
    assert held is not None
    assert held.player.id == bot.id
    refused_too = bruno.client.post(PAGE, data=form(bruno) | {"holder": str(bot.id)})
    assert "You no longer have this bot." in words(refused_too)
    assert not tokens.of(town.site, bruno.id)
    deletion.leave(town.site, ada.id)
    assert tokens.holder(town.site, token) is None
    with town.store.reading() as session:
        assert session.get_one(Player, bot.id).left is not None


LEAVE = deletion.leave


def test_bots_are_deleted_even_if_a_process_dies_just_after_deleting_their_owner(
    town: Town, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    with monkeypatch.context() as dying:
        dying.setattr(deletion, "leave", None)
        with pytest.raises(TypeError):
            LEAVE(town.site, ada.id)
    sweep.sweep(town.site)
    with town.store.reading() as session:
        assert session.get_one(Player, bot.id).left is not None


def test_a_bot_is_deleted_on_a_page_that_asks_for_confirmation(town: Town, ada: Visitor, bruno: Visitor) -> None:
    bot, other = (bot_accounts.make(town.site, ada.id, name) for name in ("Rose", "Aster"))
    assert bruno.get(f"{PAGE}/bots/{bot.id}/delete").status_code == 404
    bot_accounts.end(town.site, bruno.id, bot.id)
    assert [one.id for one in bot_accounts.of(town.site, ada.id)] == [other.id, bot.id]
    assert "Rose" in ada.read(f"{PAGE}/bots/{bot.id}/delete")
    ada.send(f"{PAGE}/bots/{bot.id}/delete")
    assert [one.id for one in bot_accounts.of(town.site, ada.id)] == [other.id]
    assert "Rose" not in ada.read(PAGE)


def test_wishes_and_events_are_only_for_people(town: Town, ada: Visitor) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    with pytest.raises(wish_text.WishError, match="Only people can look for opponents"):
        wishes.make(town.site, bot.id, wish_text.read("lotus"))
    with pytest.raises(events.EventError, match="Only people can take part in events"):
        events.found(town.site, bot.id, events.Plan("A cup", "lotus", "3d/move"))
    cup = events.found(town.site, ada.id, events.Plan("A cup", "lotus", "3d/move"))
    with pytest.raises(events.EventError, match="Only people can take part in events"):
        events.join(town.site, cup, bot.id)
    wishes.make(town.site, ada.id, wish_text.read("lotus"))
    with pytest.raises(LobbyError, match="Only people can look for opponents"):
        pairing.meet(town.site, bot.id, "lotus", "once")


@pytest.mark.parametrize(("owner", "rated"), [("ada", False), ("bruno", True)])
def test_an_owner_gains_no_rating_from_a_bot(town: Town, ada: Visitor, bruno: Visitor, owner: str, rated: bool) -> None:
    bot = bot_accounts.make(town.site, {"ada": ada, "bruno": bruno}[owner].id, "Rose")
    chairs = [Chair("me"), Chair("paired", player_id=bot.id)]
    number = lobby.open_match(town.site, ada.id, "rosette", {"base": "5"}, chairs)
    for player, seat, move in ((ada.id, 0, "e9"), (bot.id, 1, "e10")):
        submit(town.site, Incoming(move, number, seat, player, None, parse(move), "web"))
        judge(town)
    with town.store.reading() as session:
        assert bool(who_is_rated(session, session.get_one(Match, number))) is rated


def test_a_bot_cannot_join_its_owner_in_a_match_that_others_agreed_to_be_rated(
    town: Town, ada: Visitor, bruno: Visitor
) -> None:
    bots = {
        owner.id: bot_accounts.make(town.site, owner.id, name).id for owner, name in ((ada, "Rose"), (bruno, "Ivy"))
    }
    chairs = [Chair("me"), Chair("open"), Chair("open"), Chair("open")]
    together, alone = (lobby.open_match(town.site, ada.id, "multigo", {}, chairs) for _ in range(2))
    substitutes.join(town.site, together, bruno.id)
    for owner in (ada, bruno):
        with pytest.raises(LobbyError, match="This match is rated, so only one of a player and their bots"):
            substitutes.join(town.site, together, bots[owner.id])
    substitutes.join(town.site, alone, bots[ada.id])
    invited = lobby.open_match(town.site, ada.id, "lotus", {}, [Chair("me"), Chair("player", player_id=bots[ada.id])])
    with town.store.reading() as session:
        assert [session.get_one(Match, one).rated for one in (together, alone, invited)] == [True, False, False]


def test_taking_an_account_back_ends_its_tokens_too(town: Town, ada: Visitor) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    made_here = [tokens.make(town.site, one, "", ["read"], None, "form")[0] for one in (ada.id, bot.id)]
    recovery.recover(town.site, recovery.link(town.site, _player(town, ada.id), town.now).rpartition("/")[2])
    assert [tokens.holder(town.site, token) for token in made_here] == [None, None]


def _player(town: Town, player_id: int) -> Player:
    with town.store.reading() as session:
        return session.get_one(Player, player_id)


def test_names_of_bots_are_unique(town: Town, ada: Visitor, bruno: Visitor) -> None:
    bot_accounts.make(town.site, ada.id, "Rose")
    with pytest.raises(display_names.NameRefused, match="is taken"):
        bot_accounts.make(town.site, bruno.id, "ROSE")


def test_an_email_says_that_a_token_was_made_also_for_a_bot(town: Town, ada: Visitor) -> None:
    sent = form(ada) | {"name": "Terminal"}
    for _ in range(2):
        ada.client.post(PAGE, data=sent)
    bot = bot_accounts.make(town.site, ada.id, "Deep Rose")
    made(ada, holder=str(bot.id))
    town.work()
    first, second = town.post()
    assert first["Subject"] == "A token was made for Ada: Terminal"
    assert second["Subject"] == "A token was made for Deep Rose (bot): A program"
    assert {mail["To"].addresses[0].addr_spec for mail in (first, second)} == {"ada@example.org"}
    assert 'the token "Terminal" was made for the account Ada' in " ".join(plain(first).split())
    found = re.search(r"https?://[^/\s]+(/account/not-me/\S+)", whole(first))
    assert found is not None
    ada.send(found[1])
    assert tokens.of(town.site, ada.id) == tokens.of(town.site, bot.id) == []


def test_a_player_owns_five_bots_at_most_and_may_delete_one_for_another(town: Town, ada: Visitor) -> None:
    bots = [bot_accounts.make(town.site, ada.id, f"Rose {number}") for number in range(bot_accounts.MOST)]
    why = "You can own up to 5 bots. Delete one that you no longer need."
    answer = ada.send(PAGE, f"{PAGE}/bots", bot="Lily")
    assert (answer.status_code, why in words(answer)) == (422, True)
    assert 'value="Lily"' in answer.text
    ada.send(f"{PAGE}/bots/{bots[0].id}/delete")
    ada.send(PAGE, f"{PAGE}/bots", bot="Lily")
    assert "Lily (bot)" in [bot.name for bot in bot_accounts.of(town.site, ada.id)]


def test_a_name_typed_with_the_mark_of_bots_gets_no_second_mark(town: Town, ada: Visitor) -> None:
    ada.send(PAGE, f"{PAGE}/bots", bot="Deep Rose (Bot)")
    assert [bot.name for bot in bot_accounts.of(town.site, ada.id)] == ["Deep Rose (bot)"]
