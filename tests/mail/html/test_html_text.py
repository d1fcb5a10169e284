"""HTML is read as its reader sees it."""

from __future__ import annotations

import random
import time

import pytest

from service.mail.html import html_text
from service.mail.parsing.read import read

HIDDEN = (
    '<div style="display:none">SECRET</div>',
    '<div style="DISPLAY : None !important">SECRET</div>',
    "<span style='display:&#110;one'>SECRET</span>",
    '<span style="display:/* x */none">SECRET</span>',
    '<p style="visibility:hidden">SECRET</p>',
    '<div style="mso-hide:all">SECRET</div>',
    '<div style="font-size:0">SECRET</div>',
    '<div style="font-size:0.0px;line-height:0"><b>SECRET</b></div>',
    '<div style="font-size:0"><span style="font-size:2em">SECRET</span></div>',
    '<div style="opacity:0">SECRET</div>',
    '<div style="color:transparent">SECRET</div>',
    '<div style="max-height:0;overflow:hidden">SECRET</div>',
    '<div style="width:0px;overflow:hidden">SECRET</div>',
    '<div style="position:absolute;left:-9999px">SECRET</div>',
    '<div style="text-indent:-9999px">SECRET</div>',
    '<div style="position:absolute;clip:rect(0 0 0 0)">SECRET</div>',
    '<div style="clip-path:inset(100%)">SECRET</div>',
    '<div style="transform:scale(0)">SECRET</div>',
    "<div hidden>SECRET</div>",
    '<div hidden="hidden"><div>inside</div>SECRET</div>',
    "<template>SECRET<div>SECRET</div></template>",
    "<svg><text>SECRET</text></svg>",
    "<div><span style=display:none>SECRET</div>",
    '<table style="display:none"><tr><td>SECRET<td>SECRET<tr><td>SECRET</table>',
    '<blockquote style="display:none">SECRET</blockquote>',
    '<p style="display:none">SECRET<p>',
    '<div style="display:none" style="display:block">SECRET</div>',
    '<div style="display:none"><table><tr><td></div>SECRET</td></tr></table></div>',
    "<!-- SECRET --><style>SECRET</style><script>SECRET</script><title>SECRET</title>",
)
SEEN = (
    '<div style="display:block">f12</div>',
    '<div title="a hidden thing">f12</div>',
    '<div data-hidden="1">f12</div>',
    '<div style="font-size:0"><p style="font-size:13px">f12</p></div>',
    '<div style="visibility:hidden"><p style="visibility:visible">f12</p></div>',
    '<div style="opacity:0.5;font-size:0.8em">f12</div>',
    '<div style="left:-10px;position:relative">f12</div>',
    '<div style="height:0">f12</div>',
    '<img style="display:none">f12',
    '<p style="color:red" style="display:none">f12</p>',
    '<br hidden="">f12',
    '<p style="display:none">SECRET<p>f12',
    "<div><b hidden>SECRET</div>f12",
    "</div></div>f12",
    "<template/>f12",
    '<div style="display:none"><td></div>f12',
    "<table><tr><td><b hidden>SECRET<td>f12</table>",
    "<table><tr><td><b hidden>SECRET<tr><td>f12</table>",
    "<div hidden><table><tr><td><div>SECRET</table></div>f12",
)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_hidden_is_not_read(hidden: str) -> None:
    assert html_text.read(f"{hidden}<p>f12</p>").strip() == "f12"
    assert html_text.read(f"<p>f12</p>{hidden}").strip() == "f12"


@pytest.mark.parametrize("seen", SEEN)
def test_what_is_seen_is_read(seen: str) -> None:
    assert html_text.read(seen).strip() == "f12"


def test_a_hidden_order_is_none() -> None:
    html = b'<div style="display:none">resign</div><div>f12</div><div style="font-size:0">draw</div>'
    found = read(b"From: ada@example.org\r\nContent-Type: text/html\r\n\r\n" + html)
    assert (found.order, found.remark) == ("f12", "")


def test_own_words_after_a_quotation_with_hidden_parts_are_read() -> None:
    html = "<blockquote>Ours<div hidden>SECRET</blockquote><div>f12</div>"
    assert html_text.read(html).split("\n")[-1] == "f12"


def test_a_closing_tag_in_a_cell_closes_no_quotation_around_its_table() -> None:
    ours = "<div><table><tr><td>Ours</div></td></tr></table>All about Rosette</div>"
    html = (
        f"<div>f12</div><blockquote><table><tr><td>{ours}</td></tr></table>Unsubscribe</blockquote><p>A fine game.</p>"
    )
    assert [line for line in html_text.read(html).split("\n") if line] == [
        "f12",
        "> Ours",
        "> All about Rosette",
        "> Unsubscribe",
        "A fine game.",
    ]


RULES = (
    ".x{display:none}",
    "#y{visibility:hidden}",
    "p.x{DISPLAY : None !important}",
    "div p.x { color: red; display: none }",
    "div > .x, .other { font-size: 0 }",
    ".x#y{opacity:0}",
    "<!-- .x{display:none} -->",
    "/* } */ .x{display:none}",
    ".other{content:'}'} .x{display:none}",
    '[class="x"]{display:none}',
    "p[class~=x]{display:none}",
    "*[id='y']{display:none}",
    "[title].x{display:none}",
    ".x:first-child{display:none}",
    ".x:not(.z){display:none}",
    ":is(.x, .z){display:none}",
    ".\\78 {display:none}",
    ".x{d\\69splay:none}",
    "@media screen and (max-width: 600px){.z{color:red}.x{display:none}}",
    "@media screen{@supports (display:grid){.x{display:none}}}",
    "@import url(a.css); .x{display:none}",
    "@font-face{font-family:A} .x{display:none}",
    ".other{color:red; .x{display:none} }",
    ".other{color:red; &.x{display:none} }",
    ".x{display:none",
    "p{display:none}",
    "body p{display:none}",
    ".around p{display:none}",
    "div.around > *{display:none}",
    ".x{position:absolute;left:-9999px}",
    ".x{display:none} .x{display:block}",
)
NO_RULES = (
    "",
    ".x{display:block}",
    ".z{display:none}",
    ".x.z{display:none}",
    "div.x{display:none}",
    ".x .z{display:none}",
    ".wide, .wide p{display:none}",
    ".before + p{display:none}",
    ".wide *{display:none}",
    ".x:hover{display:none}",
    ".x::before{display:none}",
    ".x:after{display:none}",
    "@media print{.x{display:none}}",
    "@keyframes a{from{display:none}}",
    "@page{display:none}",
    "/* .x{display:none} */",
    ".z{content:'.x{display:none}'}",
    "*{display:none}",
    "} .z{display:none",
)


@pytest.mark.parametrize("rule", RULES)
def test_what_a_style_sheet_hides_is_not_read(rule: str) -> None:
    hidden = '<div class=around><p class="z1 x" id=y>SECRET<b>SECRET</b></p></div>'
    for html in (
        f"<style>{rule}</style>{hidden}<div>f12</div>",
        f"<div>f12</div>{hidden}<STYLE type='a'>{rule}</style>",
    ):
        assert html_text.read(html).strip() == "f12"


@pytest.mark.parametrize("rule", NO_RULES)
def test_what_no_rule_of_a_style_sheet_hides_is_read(rule: str) -> None:
    assert html_text.read(f"<style>{rule}</style><p class=x id=y>f12</p>").strip() == "f12"


def test_a_style_sheet_for_print_or_in_a_comment_hides_nothing() -> None:
    rule = ".x{display:none}</style>"
    html = f'<style media="print">{rule}<!--[if mso]><style>{rule}<![endif]--><p class=x>f12</p>'
    assert html_text.read(html).strip() == "f12"


def test_an_email_with_very_many_hiding_rules_is_not_read() -> None:
    sheet = "".join(f".a{number}{{display:none}}" for number in range(101))
    assert html_text.read(f"<style>{sheet}</style><p>f12</p>") == ""


def test_an_order_that_a_style_sheet_hides_is_none() -> None:
    html = b'<style>.k{display:none}</style><div class="k">resign</div><div>f12</div><div class="k">draw</div>'
    found = read(b"From: ada@example.org\r\nContent-Type: text/html\r\n\r\n" + html)
    assert (found.order, found.remark) == ("f12", "")


PIECES = (
    *('<div style="display:none">', "</div>", "<p>", "</p>", "<span hidden>", "</span>", "<blockquote>"),
    *("</blockquote>", "<table>", "<tr>", "<td>", "</table>", "<pre>", "</pre>", "f12", "<template>", "</template>"),
    *('<a title="', '"', "'", "<", ">", "<!--", "-->", "style=", "&#110;", "/*", "*/", "\n", "<li>", "<br>"),
)


def test_hidden_text_is_not_read_after_any_sequence_of_tags() -> None:
    chance = random.Random(10)
    for _ in range(3_000):
        html = "".join(chance.choices(PIECES, k=chance.randrange(60)))
        assert "SECRET" not in html_text.read(f"{html}--><div hidden>SECRET</div>")


@pytest.mark.parametrize(
    "piece",
    [
        '<div style="display:none">',
        "<p><span>",
        "</p></div>",
        "<li>",
        "<td hidden>",
        '<a style="' + ":;" * 50,
        "<a style='/*",
        "<a hidden " + '="' * 9,
        "<a style=" + " " * 99,
        "<blockquote><p>",
        "<style>",
        "<style>.x{display:none}",
        "<style>.x{display:none}</style><p class=x>",
        "<style>{",
        "<style>.x:not(",
        "<style>/*",
        "<style>\\6",
        "<style>.x,",
        "<style><!--",
        "<style>[class='",
        "<style>.x{display:none}</style>" + "<p class='x y z'>" * 20,
    ],
)
def test_many_tags_take_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        html = piece * (size // len(piece))
        began = time.process_time()
        html_text.read(html)
        return time.process_time() - began

    seconds(5_000)
    small, large = min(seconds(30_000) for _ in range(3)), seconds(300_000)
    assert large < 30 * small + 0.2
