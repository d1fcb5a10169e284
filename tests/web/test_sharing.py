"""What other sites show of us: cards, embedded boards, oEmbed, text for forums, and the manifest of an installed
app."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html import unescape

import pytest
from PIL import Image

from service.games import GAMES
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from tests.play.conftest import Town
from tests.web.conftest import Visitor, words

SITE = "http://127.0.0.1:8000"
Play = Callable[[Visitor, str], str]


def card(text: str) -> dict[str, str]:
    """The Open Graph and Twitter tags of a page."""
    tags = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)">', text)
    assert len(dict(tags)) == len(tags)
    return {name: unescape(content) for name, content in tags}


@pytest.mark.parametrize(
    ("path", "title", "picture"),
    [
        ("/", "Stonepost", "/card.png"),
        ("/rules", "Rules · Stonepost", "/card.png"),
        ("/rules/lotus", "Rules of Lotus · Stonepost", "/rules/lotus/card.png"),
        ("/learn/go/2", "Save your own · Learn Go · Stonepost", "/rules/go/card.png"),
        ("/learn/go/end", "You've learned Go · Stonepost", "/rules/go/card.png"),
        ("/matches", "Matches", "/card.png"),
        ("/play", "Play now · Stonepost", "/card.png"),
        ("/by-mail", "Playing by email · Stonepost", "/card.png"),
    ],
)
def test_a_link_to_a_public_page_has_a_card_with_a_board(anybody: Visitor, path: str, title: str, picture: str) -> None:
    shown = card(anybody.get(path).text)
    assert shown["og:title"].startswith(title)
    assert (shown["og:url"], shown["og:image"]) == (f"{SITE}{path}", f"{SITE}{picture}")
    assert (shown["og:site_name"], shown["og:type"], shown["twitter:card"]) == (
        "Stonepost",
        "website",
        "summary_large_image",
    )
    assert len(shown["og:description"]) > 20
    image = Image.open(io.BytesIO(anybody.get(picture).data))
    assert (image.width, image.height) == (int(shown["og:image:width"]), int(shown["og:image:height"]))


def test_a_card_does_not_repeat_a_secret_in_an_address(anybody: Visitor) -> None:
    for path in (
        "/sign-in/a-secret",
        "/account/not-me/a-secret",
        "/mail/confirm/a-secret",
        "/address/confirm/a-secret",
    ):
        assert "a-secret" not in " ".join(card(anybody.get(path).text).values())


def test_the_card_of_a_match_is_its_board_as_everybody_sees_it(
    anybody: Visitor, ada: Visitor, match: str, play: Play
) -> None:
    play(ada, "e9")
    shown = card(anybody.get(match).text)
    assert shown["og:image"] == f"{SITE}{match}/at/1/card.png"
    picture = anybody.get(f"{match}/at/1/card.png")
    assert picture.headers["Cache-Control"] == "public, max-age=86400"
    assert picture.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert picture.data != anybody.get(f"{match}/at/0/card.png").data
    assert anybody.get(f"{match}/at/2/card.png").status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_the_card_of_each_game_is_small(anybody: Visitor, game: str) -> None:
    answer = anybody.get(f"/rules/{game}/card.png")
    assert answer.mimetype == "image/png"
    assert len(answer.data) < 60_000


def test_a_card_of_an_unknown_game_is_not_found(anybody: Visitor) -> None:
    assert anybody.get("/rules/tennis/card.png").status_code == 404


def test_only_a_board_can_be_put_into_a_frame(anybody: Visitor, match: str) -> None:
    frame = anybody.get(f"{match}/embed")
    policy = frame.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "script-src" not in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "X-Frame-Options" not in frame.headers
    assert not re.search(r"<script|<form|<style|\sstyle=", frame.text)
    for path in ("/", match, f"{match}/at/0/share", "/learn/lotus", f"{match}/at/0/board.svg"):
        assert anybody.get(path).headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors *" not in anybody.get(path).headers["Content-Security-Policy"]


def test_a_frame_is_the_same_for_players_and_strangers(anybody: Visitor, ada: Visitor, match: str) -> None:
    assert ada.get(f"{match}/embed").data == anybody.get(f"{match}/embed").data


def test_a_frame_shows_the_match_now_or_at_a_past_position(
    anybody: Visitor, ada: Visitor, match: str, play: Play
) -> None:
    play(ada, "e9")
    assert "Black played e9." in words(anybody.get(f"{match}/embed"))
    assert f'src="{match}/at/1/board.svg"' in anybody.get(f"{match}/embed").text
    assert f'src="{match}/at/0/board.svg"' in anybody.get(f"{match}/at/0/embed").text
    assert anybody.get(f"{match}/at/9/embed").status_code == 404
    assert anybody.get("/match/99/embed").status_code == 404


def test_a_site_finds_out_how_to_embed_a_match(anybody: Visitor, match: str) -> None:
    """From the link on the match page to the frame, as oEmbed describes it."""
    found = re.search(r'<link rel="alternate" type="application/json\+oembed" href="([^"]*)"', anybody.get(match).text)
    assert found is not None
    answer = anybody.get(unescape(found[1]).removeprefix(SITE))
    given = json.loads(answer.text)
    assert (given["version"], given["type"], given["provider_name"]) == ("1.0", "rich", "Stonepost")
    assert given["title"] == f"Rosette {match.rpartition('/')[2]}"
    frame = re.search(r'<iframe src="([^"]*)" width="480" height="590"', given["html"])
    assert frame is not None
    assert anybody.get(frame[1].removeprefix(SITE)).status_code == 200
    picture = Image.open(io.BytesIO(anybody.get(given["thumbnail_url"].removeprefix(SITE)).data))
    assert picture.size == (given["thumbnail_width"], given["thumbnail_height"])


@pytest.mark.parametrize(
    ("room", "size"),
    [
        ("maxwidth=300", (300, 410)),
        ("maxheight=400", (290, 400)),
        ("maxwidth=5000&maxheight=5000", (480, 590)),
        ("maxwidth=10", (200, 310)),
        ("maxwidth=-1", (480, 590)),
        ("maxwidth=%C2%B2", (480, 590)),
    ],
)
def test_a_frame_fits_the_available_room(anybody: Visitor, match: str, room: str, size: tuple[int, int]) -> None:
    given = anybody.get(f"/oembed?url={SITE}{match}/at/0&{room}").json or {}
    assert (given["width"], given["height"]) == size


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("", 404),
        ("url=https://elsewhere.example/match/1", 404),
        (f"url={SITE}/account", 404),
        (f"url={SITE}.elsewhere.example/match/1", 404),
        (f"url={SITE}/match/99", 404),
        (f"url={SITE}/match/1/at/99", 404),
        (f"url={SITE}/match/1/explore/0", 404),
        (f"url={SITE}/match/1&format=xml", 501),
        (f"url={SITE}/match/1?order=x&format=json", 200),
        (f"url={SITE}/match/1%23board", 200),
    ],
)
def test_nothing_but_our_matches_can_be_embedded(anybody: Visitor, match: str, asked: str, status: int) -> None:
    assert match == "/match/1"
    assert anybody.get(f"/oembed?{asked}").status_code == status


def test_the_board_is_available_as_text_for_forums(anybody: Visitor, ada: Visitor, match: str, play: Play) -> None:
    play(ada, "e9")
    page = anybody.get(f"{match}/at/1/share").text
    assert f'href="{match}/at/1/share"' in anybody.get(match).text
    text = unescape(re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)[0])
    assert text.startswith("[code]\nRosette 1\n\n")
    assert " [X]" in text
    assert text.endswith(f"Black played e9.\n[/code]\n{SITE}{match}/at/1\n")
    assert f'value="&lt;iframe src=&#34;{SITE}{match}/at/1/embed&#34;' in page


def test_a_shared_board_comes_with_the_numbers_beside_it(town: Town, ada: Visitor, bruno: Visitor) -> None:
    number = lobby.open_match(
        town.site, ada.id, "lotus", {"komi": "5"}, [Chair("me"), Chair("player", player_id=bruno.id)]
    )
    invitations.answer(town.site, number, bruno.id, accept=True)
    for path in (f"/match/{number}/at/0/share", f"/match/{number}/embed"):
        assert "\nMarker: 5 for White.\nStones: Black 0, White 0." in unescape(ada.get(path).text)


def test_a_browser_can_install_us(anybody: Visitor) -> None:
    front = anybody.get("/")
    assert '<link rel="manifest" href="/manifest.webmanifest">' in front.text
    assert "manifest-src 'self'" in front.headers["Content-Security-Policy"]
    answer = anybody.get("/manifest.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    about = json.loads(answer.text)
    assert (about["name"], about["start_url"], about["display"]) == ("Stonepost", "/", "standalone")
    assert {icon["purpose"] for icon in about["icons"]} == {"any", "maskable"}
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in about["icons"]}
    for shown in about["icons"]:
        icon = Image.open(io.BytesIO(anybody.get(shown["src"]).data)).convert("RGB")
        assert f"{icon.width}x{icon.height}" == shown["sizes"]
        assert icon.getpixel((0, 0)) == (247, 242, 232)
        assert len(icon.getcolors(1 << 20) or ()) > 2
    assert anybody.get("/icon-7.png").status_code == 404
