"""Teams on the web: the form that sets them up, open places, and the page for a player whose turn it isn't."""

from __future__ import annotations

from collections.abc import Callable

from service.play.pages import match_lists
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, judge, words

SignIn = Callable[[str], Visitor]


def set_up(ada: Visitor) -> str:
    """The path of a small match of Ada and Eva against Bruno and anybody who joins."""
    fields = {"other1": "email", "address1": "bruno@example.org", "base": "5"}
    answer = ada.send("/new/rosette", mates0="eva@example.org", mates1="open", **fields)
    assert answer.status_code == 303, words(answer)
    return str(answer.location)


def test_a_team_is_set_up_in_the_form_and_begins_when_it_is_complete(
    town: Town, ada: Visitor, bruno: Visitor, sign_in: SignIn
) -> None:
    path = set_up(ada)
    eva, cleo = sign_in("eva@example.org"), sign_in("cleo@example.org")
    assert "Ada would like to play Rosette with you. You'd play Black, taking turns with Ada." in eva.read(path)
    assert "Ada &amp; Eva &nbsp; (you) Black" in eva.read(path), "each sees their own name"
    assert "Ada &nbsp; (you) &amp; an invited player Black" in ada.read(path)
    assert "You're invited" in eva.read("/")
    assert "Waiting for an invited player to take Black. Waiting for an invited player to take White." in ada.read(path)
    eva.send(path, f"{path}/answer", answer="accept")
    assert "Waiting for an invited player to take White. Waiting for anyone to take White." in eva.read(path)
    assert "Play White with an invited player" in cleo.read(path)
    cleo.send(path, f"{path}/join", side="1")
    bruno.send(path, f"{path}/answer", answer="accept")
    assert "Your move" in ada.read(path)
    assert "You share Black with Eva and take turns." in ada.read(path)
    assert "Ada & Eva" in cleo.get("/").text.replace("&amp;", "&")


def begun(ada: Visitor, bruno: Visitor, sign_in: SignIn) -> tuple[str, Visitor]:
    path = set_up(ada)
    eva, cleo = sign_in("eva@example.org"), sign_in("cleo@example.org")
    cleo.send(path, f"{path}/join", side="1")
    for visitor in (eva, bruno):
        visitor.send(path, f"{path}/answer", answer="accept")
    return path, eva


def test_a_player_whose_turn_it_is_not_sees_whose_it_is_and_cannot_order(
    town: Town, ada: Visitor, bruno: Visitor, sign_in: SignIn
) -> None:
    path, eva = begun(ada, bruno, sign_in)
    page = eva.read(path)
    assert "Black (Ada) to move" in page
    assert "Ada has the next move, and speaks for the team until then." in page
    orders = [fields.get("text") for action, fields in Forms(eva.get(path).text).forms if action.endswith("/order")]
    assert orders == ["leave team"]
    answer = eva.send(path, f"{path}/order", text="e5", shown="e5", nonce="one")
    judge(town)
    refused = "It's Ada's turn in your team, and only they can act for it now."
    assert refused in eva.read(str(answer.location)).replace("&#39;", "'")
    preview = eva.send(path, f"{path}/order", to=f"{path}/preview", text="e5")
    assert refused in words(preview).replace("&#39;", "'")
    ada.send(path, f"{path}/order", text="e5", shown="e5")
    judge(town)
    assert "Your move was accepted" not in eva.read(path)
    assert "White (Bruno) to move" in ada.read(path)
    assert "Eva has the next move" in ada.read(path)
    assert "e5 Ada" in bruno.read(path)


def test_only_the_team_reads_messages_for_which_it_is_ticked(
    town: Town, ada: Visitor, bruno: Visitor, sign_in: SignIn
) -> None:
    path, eva = begun(ada, bruno, sign_in)
    assert "my team" in ada.read(path)
    ada.send(path, f"{path}/say", text="Shall we go left", audience="some", reader="0", nonce="say")
    assert "Ada to the team only" in eva.read(path)
    assert "go left" not in bruno.read(path)


def test_a_button_leaves_the_team(town: Town, ada: Visitor, bruno: Visitor, sign_in: SignIn) -> None:
    path, eva = begun(ada, bruno, sign_in)
    answer = eva.send(path, f"{path}/order", text="leave team", nonce="leave")
    assert answer.status_code == 303
    judge(town)
    line = match_lists.match_line(town.site, int(path.rpartition("/")[2]), ada.id)
    assert line is not None
    assert [seat.name for seat in line.seats] == ["Ada", "Bruno & Cleo"]
    assert "You share" not in ada.read(path)


def test_an_invalid_team_is_refused_and_what_was_typed_stays(ada: Visitor) -> None:
    answer = ada.send("/new/rosette", other1="bot", mates1="open", mates0="nobody")
    assert answer.status_code == 422
    assert "A computer opponent can" in words(answer)
    assert 'value="nobody"' in answer.text
