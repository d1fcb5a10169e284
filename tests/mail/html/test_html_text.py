"""HTML is read as its reader sees it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from service.mail.html import html_text
from service.mail.parsing.read import read
from tests.cases import cases

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
    "<div hidden=until-found>SECRET</div>",
    "<div popover>SECRET</div>",
    "<template/>SECRET</template>",
    "<div><b hidden>SECRET</div><p>SECRET</p></b>",
    "<p><font style='font-size:0'>SECRET<p>SECRET</font>",
    '<div title="<b>" style="display:none"><br>SECRET</div>',
    "<div title=\"a > b\" style='display:none'><br>SECRET</div>",
    "<!--><div hidden>--><br>SECRET</div>",
    "<!-- --!><div hidden>--><br>SECRET</div>",
    "<iframe/><br>SECRET</iframe>",
    "<div><iframe></div>SECRET</iframe></div>",
    "<title><!--</title><div hidden>--></title><br>SECRET</div>",
)
STYLES = (
    *("color:rgba(0,0,0,0)", "color:#0000", "color:#fff0", "color:#ffffff00", "color:hsla(0,0%,0%,.1)"),
    *("color:rgb(0 0 0 / 0%)", "color:hsl(0 0% 0%/0)", "color:color-mix(in srgb,red 0%,transparent)", "color:var(--a)"),
    *("color:hsl(0 0% 100%);background:#fff", "background:hsl(240,100%,50%);color:#00f"),
    *("-webkit-text-fill-color:transparent", "color:#fff;background:#fff", "color:white;background-color:#fefefe"),
    *("color:red;background:red", "background:rgb(10, 10, 10) none repeat;color:black"),
    *("font:0/0 a", "font:0px/0 Arial", "font:italic 700 0 / 2 Arial", "font-size:1px", "font-size:.01px"),
    *("font-size:1e-9em", "font-size:calc(0px)", "font-size:1pt", "font-size:9999px", "font-size:0;font-size:bogus"),
    *("opacity:.01", "opacity:0%", "opacity:-1", "opacity:1e-3", "opacity:calc(0)", "filter:opacity(0)"),
    *("transform:scale(.001)", "transform:translateX(-9999px)", "-webkit-transform:rotateY(90deg)", "scale:0"),
    *("translate:-9999px", "zoom:.01", "rotate:y 90deg", "mask:linear-gradient(transparent,transparent)"),
    *("margin-left:-9999px", "margin:0 0 0 -99em", "margin-top:-9999px", "margin-left:9999px", "padding-left:9999px"),
    *("position:absolute;left:-99em", "position:absolute;inset:0 auto auto -9999px", "position:absolute;z-index:-1"),
    *("position:relative;left:-5000px", "text-indent:100%;white-space:nowrap;overflow:hidden", "margin:calc(-9in)"),
    *("height:1px;width:1px;overflow:hidden", "line-height:0;overflow:hidden", "max-height:.1em;overflow:clip"),
    "overflow:hidden;height:7.9px",
    *("position:absolute;clip:rect(1px,1px,1px,1px)", "clip-path:circle(0)", "letter-spacing:-1em"),
    *("d\\69splay:none", "display:n\\6fne", "display:var(--a)", "--a:none;display:var( --a )", "display/**/:none"),
    *("display:none!important;display:block", "display:none;display:bogus", "display:table-column"),
    *("x:url(a'b);display:none;y:'", "x:'\"';display:none;y:'\"'", "visibility:hidden;visibility:bogus"),
    *("visibility:collapse", "content-visibility:hidden", "font-size-adjust:0", "-webkit-text-security:disc"),
)
ELEMENTS = (
    *("dialog", "details", "iframe", "canvas", "video", "audio", "object", "noframes", "noembed", "noscript", "option"),
    *("rp", "math", "textarea", "select", "xmp", "marquee"),
)
SEEN = (
    '<div style="display:block">f12</div>',
    '<div title="a hidden thing">f12</div>',
    '<div data-hidden="1">f12</div>',
    '<div style="font-size:0"><p style="font-size:13px">f12</p></div>',
    '<div style="visibility:hidden"><p style="visibility:visible">f12</p></div>',
    '<div style="visibility:hidden"><p style="visibility:inherit">SECRET</p></div>f12',
    '<div style="opacity:0.5;font-size:0.8em">f12</div>',
    '<div style="left:-10px;position:relative">f12</div>',
    '<div style="height:0">f12</div>',
    '<img style="display:none">f12',
    '<p style="color:red" style="display:none">f12</p>',
    '<br hidden="">f12',
    '<p style="display:none">SECRET<p>f12',
    "<div><b hidden>SECRET</div>SECRET</b>f12",
    "</div></div>f12",
    '<div style="display:none"><td></div>f12',
    "<table><tr><td><b hidden>SECRET<td>f12</table>",
    "<table><tr><td><b hidden>SECRET<tr><td>f12</table>",
    "<div hidden><table><tr><td><div>SECRET</table></div>f12",
    "<svg/>f12",
    "<p hidden><b>SECRET</p>f12",
    "<p>f12<b style='color:red'></p></b>",
    "<!DOCTYPE html><!--[if mso]>x<![endif]--><![if !mso]>f12<![endif]>",
    "<div style='color:red'>" * 120 + "f12",
)
SEEN_STYLES = (
    *("margin:0in 0in 0.0001pt;font-size:11pt;font-family:Calibri,sans-serif", "margin:0px 0px 0px 0.8ex"),
    *("text-indent:-.25in;mso-list:l0 level1 lfo1;margin-left:.5in", "mso-fareast-language:EN-US;color:#1F497D"),
    *("caret-color: rgb(0, 0, 0); color: rgb(0, 0, 0); letter-spacing: normal; word-spacing: 0px", "color:windowtext"),
    *("-webkit-text-size-adjust:auto;-webkit-text-stroke-width:0px;text-decoration:none", "font:12px/14px Helvetica"),
    *("font: italic small-caps 700 medium Arial", "font:inherit", "font-size:100%", "font-size:smaller", "zoom:1"),
    *("position:relative;top:-2px", "opacity:.87", "color:rgba(0, 0, 0, 0.87)", "color:#222f", "letter-spacing:-2px"),
    *("color: rgb(255, 255, 255) !important; background-color: rgb(36, 36, 36)", "color:#fff", "transform:none"),
    *("background:white;color:black", "background:url(a.png) #fff;color:#fff", "background:transparent;color:#fff"),
    *("overflow:hidden;max-width:600px;width:100%;line-height:1.5", "overflow:visible;height:0", "font-family:'a;b'"),
    "overflow:hidden;height:8px",
    *(
        "visibility:visible",
        "visibility:inherit",
        "visibility:unset",
        "display:inline-block",
        "display:-webkit-box",
        "display:",
        "line-height:0",
        "z-index:1",
    ),
    *('font-family:"\\@MS Mincho"', "clip:auto", "margin:0 auto", "width:0px", "padding:0cm 5.4pt 0cm 5.4pt"),
)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_text_is_not_read(hidden: str) -> None:
    assert html_text.read(f"{hidden}<p>f12</p>").strip() == "f12"
    assert html_text.read(f"<p>f12</p>{hidden}").strip() == "f12"


@pytest.mark.parametrize("style", STYLES)
def test_text_that_a_style_may_hide_is_not_read(style: str) -> None:
    attribute = style.replace('"', "&quot;")
    assert html_text.read(f'<div style="{attribute}"><i>SECRET</i></div><p>f12</p>').strip() == "f12"


@pytest.mark.parametrize("name", ELEMENTS)
def test_text_that_an_element_may_not_show_is_not_read(name: str) -> None:
    assert html_text.read(f"<{name}>SECRET</{name}><p>f12</p>").strip() == "f12"


@pytest.mark.parametrize(
    ("name", "pixels"),
    [
        *(("xx-small", 9), ("x-small", 10), ("small", 13), ("medium", 16), ("large", 18)),
        *(("x-large", 24), ("xx-large", 32), ("xxx-large", 48)),
    ],
)
def test_a_named_font_size_is_the_same_as_in_browsers(name: str, pixels: int) -> None:
    around = f"<div style='font-size:{name}'>"
    assert html_text.read(f"{around}<p style='font-size:{5.01 / pixels:.6f}em'>f12</p></div>").strip() == "f12"
    assert html_text.read(f"{around}<p style='font-size:{4.99 / pixels:.6f}em'>SECRET</p></div>").strip() == ""


@pytest.mark.parametrize(
    "style",
    ["font-size:.5em", "opacity:.5", "margin-left:-40px", "position:relative;left:-3em"],
)
def test_text_that_styles_hide_together_is_not_read(style: str) -> None:
    around = f"<div style='{style}'>"
    assert html_text.read(f"{around}f12</div>").strip() == "f12"
    assert html_text.read(f"{around * 9}SECRET{'</div>' * 9}f12").strip() == "f12"
    assert html_text.read("<div style='background:#fff'><p style='color:#fff'>SECRET</p><p>f12").strip() == "f12"


@pytest.mark.parametrize("style", SEEN_STYLES)
def test_text_in_the_styles_of_mail_programs_is_read(style: str) -> None:
    attribute = style.replace('"', "&quot;")
    assert html_text.read(f'<div style="{attribute}">f12</div>').strip() == "f12"


@pytest.mark.parametrize("seen", SEEN)
def test_visible_text_is_read(seen: str) -> None:
    assert html_text.read(seen).strip() == "f12"


@pytest.mark.parametrize(
    "begins",
    [
        "<pre>",
        "<div style='white-space: pre-wrap'>",
        "<span style='WHITE-SPACE: pre-line'>",
        "<p style='white-space-collapse: preserve'>",
        "<div style='white-space:break-spaces'><b style='white-space:inherit'>",
        "<pre style='white-space: pre-wrap'>",
    ],
)
def test_line_ends_that_a_style_keeps_are_kept(begins: str) -> None:
    assert html_text.read(f"<div>A\nB</div>{begins}f12\nGood luck!\n\nAda").split("\n") == [
        "A B",
        "f12",
        "Good luck!",
        "",
        "Ada",
    ]


@pytest.mark.parametrize("style", ["white-space:normal", "white-space: nowrap", "white-space-collapse: collapse"])
def test_line_ends_that_a_style_does_not_keep_are_blanks(style: str) -> None:
    assert html_text.read(f"<pre><span style='{style}'>f12\ng4</span></pre>") == "f12 g4"


@pytest.mark.parametrize(
    "name", ["aside", "fieldset", "figcaption", "figure", "hgroup", "legend", "menu", "nav", "caption"]
)
def test_a_block_is_on_lines_of_its_own(name: str) -> None:
    assert html_text.read(f"f12<{name}>A picture</{name}>Thanks").split("\n") == ["f12", "A picture", "Thanks"]


def test_a_hidden_order_is_not_an_order() -> None:
    html = b'<div style="display:none">resign</div><div>f12</div><div style="font-size:0">draw</div>'
    found = read(b"From: ada@example.org\r\nContent-Type: text/html\r\n\r\n" + html)
    assert (found.order, found.remark) == ("f12", "")


def test_own_words_after_a_quotation_with_hidden_parts_are_read() -> None:
    html = "<blockquote>Ours<div hidden>SECRET</blockquote><div>f12</div>"
    assert html_text.read(html).split("\n")[-1] == "f12"


def test_a_closing_tag_in_a_cell_does_not_close_a_quotation_around_its_table() -> None:
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
    ".x{font-size:0!important}",
    ":is(div, .z) > p{display:none}",
    "p:not(.q, .r){display:none}",
    "p:not(:hover){display:none}",
    "p:not(:is(.q, :not(.x))){display:none}",
    "p::first-line{color:transparent}",
    "div > :nth-child(1){display:none}",
    "[class*=x]{display:none}",
    "[class='z1 x']{display:none}",
    "p[id]{display:none}",
    "*|p{display:none}",
    "tbody p, head + body p{display:none}",
    "y{b:url(/*)} .x{display:none} y{b:url(*/)}",
    "y{b:u\\72l(a'b)} .x{display:none} y{b:'}",
    "y{b:'/*'} .x{display:none} y{b:'*/'}",
    ".x{opacity:.01} .x{opacity:1}",
    ".x{font:0/0 a}",
    "@layer a{.x{filter:blur(9px)}}",
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
    "} .z{display:none",
)


@pytest.mark.parametrize("rule", RULES)
def test_text_that_a_style_sheet_hides_is_not_read(rule: str) -> None:
    hidden = '<div class=around><p class="z1 x" id=y>SECRET<b>SECRET</b></p></div>'
    for html in (
        f"<style>{rule}</style>{hidden}<div>f12</div>",
        f"<div>f12</div>{hidden}<STYLE type='a'>{rule}</style>",
    ):
        assert html_text.read(html).strip() == "f12"


@pytest.mark.parametrize("rule", NO_RULES)
def test_text_that_no_rule_of_a_style_sheet_hides_is_read(rule: str) -> None:
    assert html_text.read(f"<style>{rule}</style><p class=x id=y>f12</p>").strip() == "f12"


@pytest.mark.parametrize(
    "selector", ["*", ":root", "html", "body", ":not(.q)", "p:has(b)", "b + p", "br ~ p", "[title]"]
)
def test_a_selector_that_cannot_be_evaluated_hides_everything_it_may_match(selector: str) -> None:
    html = f"<style>{selector}{{display:none}}</style><b></b><br><p title=a>SECRET<b>SECRET</b></p>"
    assert html_text.read(html).strip() == ""


def test_a_style_sheet_counts_whatever_its_attributes() -> None:
    for attributes in ('title=">"', "data-media=print", 'title="media=print"'):
        html = f"<style {attributes}>.x{{display:none}}</style><p class=x>SECRET</p>f12"
        assert html_text.read(html).strip() == "f12"


def test_a_style_sheet_for_print_or_in_a_comment_hides_nothing() -> None:
    rule = ".x{display:none}</style>"
    html = f'<style media="print">{rule}<!--[if mso]><style>{rule}<![endif]--><p class=x>f12</p>'
    assert html_text.read(html).strip() == "f12"


def test_an_email_with_very_many_hiding_rules_is_not_read() -> None:
    sheet = "".join(f".a{number}{{display:none}}" for number in range(101))
    assert html_text.read(f"<style>{sheet}</style><p>f12</p>") == ""


def test_an_order_that_a_style_sheet_hides_is_not_an_order() -> None:
    html = b'<style>.k{display:none}</style><div class="k">resign</div><div>f12</div><div class="k">draw</div>'
    found = read(b"From: ada@example.org\r\nContent-Type: text/html\r\n\r\n" + html)
    assert (found.order, found.remark) == ("f12", "")


@pytest.mark.parametrize("style", ["font:0/0 a;color:#fff0", "color:#0000", "margin-left:-9999px", "scale:0"])
def test_an_order_that_a_style_may_hide_is_not_an_order(style: str) -> None:
    html = f'<div style="{style}">e9</div><div>What do you think of this?</div>'
    found = read(b"From: ada@example.org\r\nContent-Type: text/html\r\n\r\n" + html.encode())
    assert (found.order, found.remark) == ("What do you think of this?", "")


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
        "<style>:not(",
        "<style>.x{opacity:0}.x{",
        "<style>.x{opacity:0;opacity:0}</style><p class=x>",
        "<style>url(",
        "<style>a~b~",
        "<a b='",
        "<a b=c ",
        "<!",
        "<!--",
        "<textarea>",
        "<b hidden></div><div>",
        "<div><b hidden>",
        "<p style='margin:0 0 0 0 0 0 0;font:a b c d e'>",
        "<style>.x{display:none}</style>" + "<p class='x y z'>" * 20,
    ],
)
def test_many_tags_take_linear_time(piece: str) -> None:
    assert_linear(lambda size: piece * (size // len(piece)))


@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        *(
            ("<style>", piece, "{opacity:0}</style><p>")
            for piece in ("[", "a", " ", ":is(", ":not", "a|", "*", "a.", "(", "url(")
        ),
        *(("<style>p{", piece, "}</style><p>") for piece in ("opacity:0;", " ", "color:rgb(", "/*", "'", "\\6")),
        *(
            ("<p style='", piece, "'>f12")
            for piece in (" ", "a", "margin:", "0 ", "x:0;", "color:#", "rgb(", "!", "\\6", "/")
        ),
        *(("<p ", piece, ">f12") for piece in (" ", "a ", "a=", "a = ", "/", "'", '"')),
        ("<style>p{opacity:0}</style>" + "<p>" * 9, " class=x", ">f12"),
    ],
)
def test_long_parts_of_a_page_take_linear_time(before: str, piece: str, after: str) -> None:
    assert_linear(lambda size: before + piece * (size // len(piece)) + after)


LARGE = cases(100_000, full=300_000)
"""Square time would be seconds at this size, while linear time is hundredths."""


def assert_linear(page: Callable[[int], str]) -> None:
    def seconds(size: int) -> float:
        html = page(size)
        began = time.process_time()
        html_text.read(html)
        return time.process_time() - began

    seconds(5_000)
    large = seconds(LARGE)
    assert large < 0.2 or large < 30 * min(seconds(LARGE // 10) for _ in range(3)) + 0.2


STRUCK = (
    "<s>g5</s>",
    "<strike>g5</strike>",
    "<del>g5</del>",
    '<span style="text-decoration: line-through">g5</span>',
    '<span style="text-decoration:underline line-through red">g5</span>',
    '<span style="text-decoration-line:line-through"><b>g5</b></span>',
    "<style>.x{text-decoration:line-through}</style><span class=x>g5</span>",
)


@pytest.mark.parametrize("struck", STRUCK)
def test_text_that_its_writer_struck_out_is_not_read(struck: str) -> None:
    assert html_text.read(f"<p>{struck} g6</p><p>Sorry</p>").strip() == "g6\nSorry"
    mail = (
        "From: ana@example.org\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
        f"g5 g6\nSorry\n--b\nContent-Type: text/html\n\n<p>{struck} g6</p><p>Sorry</p>\n--b--\n"
    )
    assert read(mail.encode()).text == "g6\nSorry"


def test_underlined_text_is_read() -> None:
    assert html_text.read('<p><u>g5</u> <span style="text-decoration:none">g6</span></p>').strip() == "g5 g6"


@pytest.mark.parametrize(
    "unclear",
    ["<svg><style><p>SECRET</p></style></svg>", "<script><!-- <script>SECRET</script> --><p>SECRET</p></script>"],
)
def test_nothing_is_read_below_an_element_that_browsers_may_end_elsewhere(unclear: str) -> None:
    assert html_text.read(f"<p>f12</p>{unclear}<p>SECRET</p>").strip() == "f12"
