"""The map in service/README.md, checked in the source: what rooms import, which are pure, what is named where."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest
from jinja2 import Environment, meta

from service.config import ROOT
from service.games import GAMES
from service.mail.grammar.order_words import WORDS
from tests.shares import SHARE

LEFT = {
    "keeping": "",
    "addresses": "",
    "config": "keeping addresses",
    "broker": "config addresses",
    "engine": "",
    "games": "engine",
    "contests": "",
    "clock": "engine games",
    "bots": "engine games",
    "render": "engine games",
    "mail": "engine games",
    "store": "config",
    "play": "config addresses broker engine games contests clock bots render mail store",
    "web": "config broker engine games contests clock bots render mail store play",
    # The API is part of the same Flask application, and so behind the same guard.
    "api": "config broker engine games contests clock bots render mail store play web",
    # Mail over HTTP comes in through the same Flask application, and so past the same guard.
    "inbound": "config addresses broker engine games contests clock bots render mail store play web",
    "app": "config broker play web api inbound",
    "cli": "config addresses broker engine games contests clock bots render mail store play inbound app",
    "worker": "config addresses broker engine games contests clock bots render mail store play inbound app",
}
"""What each room may import apart from itself: only rooms to its left."""

INSIDE_PLAY = (
    "table", "orders", "notify", "timekeeping", "talk", "accounts", "ratings", "match", "company", "pages",
    "outbox", "inbox", "operations",
)  # fmt: skip
"""The packages of `play`, each importing only from those before it; modules beside them come before all."""

MOST_ARROWS = 60
"""Pairs of packages of `play` of which one imports from the other."""

MOST_FILES = 12
"""Files in one package, `__init__.py` not counted."""

SAME_THING = {
    "board_view": "whether a board is turned and has coordinates: the setting, and its form",
    "board_images": "pictures of boards in letters and on pages",
    "credentials": "passwords, passkeys and sessions: the tables, and the page",
    "dev_mailbox": "the mailbox of a development machine: the use case, and its pages",
    "feeds": "feeds: the use case, and their addresses",
    "health": "health: the use case, and its address",
    "metrics": "metrics: the use case, and their address",
    "lobby": "the lobby: the use case, and its pages",
    "messages": "messages at a table: the use case, and their form",
    "moderation": "blocks and reports: the use case, and their forms",
    "conditional": "conditional moves: their form in an email, and what is stored",
    "diagrams": "diagrams on rules pages: the use case, and their addresses",
    "lessons": "lessons: the use case, and their pages",
    "email_change": "changing the address of an account: the use case, and its pages",
    "links": "signed links in our emails, and the pages they lead to",
    "offers": "draws, takebacks, pauses and rematches on offer: the table, and the use case",
    "analysis": "trying moves in private: the use case, and its page",
    "profiles": "players' pages: the use case, and the pages",
    "records": "a match as a record: the use case, its notations, and its addresses",
    "events": "events: their tables, the use case, and their pages",
    "comments": "comments on matches that are over: the use case, and their form",
    "following": "following players and events: the use case, and its page",
    "gazette": "the gazette: what an issue shows, and its page",
    "wishes": "standing wishes for opponents: the use case, and their page",
    "doors": "hooks and devices: their tables, the use case, and their page",
    "settings": "a player's settings: the use case, and their form",
}
"""Names that several modules have because they are about one thing in different rooms."""

PURE = {"engine", "games", "contests", "clock", "bots", "render", "mail"}

OUTSIDE_WORLD = """
    asyncio celery fcntl flask glob http importlib.resources logging multiprocessing os pathlib redis requests secrets
    shutil signal smtplib socket sqlalchemy sqlite3 subprocess tempfile threading time urllib.request uuid
"""
"""Modules with which a room would do I/O, ask for the time or draw random numbers, and so not be pure."""

EXCUSED = {
    "service/mail/senders/authentication.py": {"logging"},
    "service/mail/parsing/delivery_report.py": {"logging"},
}
"""Imports that are allowed all the same: a library there would write to a log unless it's silenced."""

WORLDLY_CALLS = re.compile(
    r"(datetime\.)?(datetime|date)\.(now|today|utcnow)|open|print|input|random\.(?!Random$)\w+|(random\.)?SystemRandom"
)

BY_HAND = {
    "service/mail/parsing/mime.py": "standard library",
    "service/mail/html/html_tags.py": "html.parser",
    "service/mail/html/style_sheet.py": "CSS library",
    "service/mail/mailbox.py": "email.utils",
    "service/mail/letters/write.py": "EmailMessage",
    "service/mail/letters/dkim_sign.py": "dkimpy",
    "service/mail/senders/authentication_results.py": "authres",
    "service/render/png.py": "library",
    "service/games/sgf.py": "sgfmill",
    "service/cli/deployment/supervisor.py": "systemd",
    "service/api/document.py": "spectree",
    "service/web/compression.py": "Flask-Compress",
    "service/web/operators/metrics.py": "prometheus_client",
    "service/web/form_errors.py": "WTForms",
    "service/web/static/match_page.js": "idiomorph",
}
"""What we wrote ourselves although a library does it: each file says why, and names that library."""

NO_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "base", "misc", "common", "repository"}

MAIL_PARTS = {"subject.txt", "body.txt", "body.html"}
"""The last parts of the names of each letter's templates."""

LONGEST_FILE = 350
"""In lines."""

MEDIAN_FUNCTION = 10
"""Half of all functions have fewer lines, docstrings and signatures included."""

KNOWS_GAMES = {"games", "bots"}
"""Rooms that may name games: a bot is an expert in its own game."""

NAMES_A_PIECE = {"service/render/art/pieces.py"}
"""A piece drawn here has the name of a game."""


def sources(*rooms: str) -> Iterator[tuple[str, Path]]:
    """Every module of the project, or of some of its rooms: its room and its file."""
    for path in sorted([*(ROOT / "service").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]):
        place = path.relative_to(ROOT).with_suffix("").parts
        room = "worker" if place[0] == "worker" else place[1]
        if not rooms or room in rooms:
            yield room, path


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imported(path: Path) -> set[str]:
    """The full names of what a module imports, wherever in it: `from a import b` is both `a` and `a.b`."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {str(node.module)} | {f"{node.module}.{name.name}" for name in node.names}
    return found


@cache
def strings(path: Path) -> set[str]:
    """The strings in a module's code, without its docstrings."""
    everything = ast.walk(tree(path))
    spoken = {id(node.value) for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)}
    return {
        node.value
        for node in everything
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken
    }


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_module_has_a_room() -> None:
    unknown = {room for room, _ in sources()} - {*LEFT, "__init__"}
    assert not unknown, f"rooms that the map does not have: {unknown}"


@pytest.mark.parametrize("room", LEFT)
def test_a_room_imports_only_from_its_left(room: str) -> None:
    for _, path in sources(room):
        ours = {name for name in imported(path) if name.split(".")[0] in ("service", "worker")}
        rooms = {"worker" if name.startswith("worker") else [*name.split("."), ""][1] for name in ours} - {""}
        wrong = rooms - {room, *LEFT[room].split()}
        assert not wrong, f"{shown(path)} imports from {wrong}"


def test_only_play_knows_both_the_games_and_the_store() -> None:
    for room, path in sources():
        if room != "play":
            assert not {"games", "store"} <= {name.split(".")[1] for name in imported(path) if "service." in name}, (
                f"{shown(path)} imports both games and store"
            )


def play_package(name: str) -> str:
    """The package of `play` that a module belongs to, "" for one beside the packages."""
    package = [*name.split("."), "", ""][2]
    return package if package in INSIDE_PLAY else ""


def play_arrows() -> set[tuple[str, str]]:
    """The pairs of packages of `play` of which the first imports from the second."""
    found = set()
    for _, path in sources("play"):
        own = play_package(".".join(path.relative_to(ROOT).with_suffix("").parts))
        found |= {(own, play_package(name)) for name in imported(path) if name.startswith("service.play.")}
    return {(package, other) for package, other in found if package != other}


def test_a_package_of_play_imports_only_from_those_before_it() -> None:
    order = ["", *INSIDE_PLAY]
    assert {(one, other) for one, other in play_arrows() if order.index(other) > order.index(one)} == set()


def test_packages_of_play_are_listed_and_loosely_coupled() -> None:
    assert {path.parent.name for path in (ROOT / "service/play").glob("*/*.py")} == set(INSIDE_PLAY)
    assert len(play_arrows()) <= MOST_ARROWS


def test_no_package_has_too_many_files() -> None:
    sizes = Counter(shown(path.parent) for _, path in sources() if path.stem != "__init__")
    del sizes["service/store/migrations/versions"]
    assert {package: size for package, size in sizes.items() if size > MOST_FILES} == {}


def test_no_module_name_means_two_things() -> None:
    rooms = ("play", "web", "render", "mail", "store", "inbound")
    names = [path.stem for _, path in sources(*rooms) if path.stem != "__init__" and "migrations" not in path.parts]
    twice = {name for name in names if names.count(name) > 1}
    assert twice <= SAME_THING.keys(), "say in SAME_THING what they are both about, or name one of them better"
    assert not SAME_THING.keys() - twice, "names that only one module has"


@pytest.mark.parametrize("room", sorted(PURE))
def test_pure_rooms_do_no_input_or_output_and_never_ask_for_the_time(room: str) -> None:
    for _, path in sources(room):
        names = {*imported(path)}
        names -= EXCUSED.get(shown(path), set())
        worldly = {name for name in names if {name, name.split(".")[0]} & {*OUTSIDE_WORLD.split()}}
        assert not worldly, f"{shown(path)} imports {worldly}"
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                call = ast.unparse(node.func)
                assert not WORLDLY_CALLS.fullmatch(call), f"{shown(path)}:{node.lineno} calls {call}"
                seeded = not re.fullmatch(r"(random\.)?Random", call) or node.args
                assert seeded, f"{shown(path)}:{node.lineno} has randomness without a seed"


EXAMINES = {
    "casefold", "count", "endswith", "find", "findall", "finditer", "fullmatch", "index", "lower", "lstrip", "match",
    "partition", "removeprefix", "removesuffix", "rpartition", "rstrip", "search", "split", "splitlines", "startswith",
    "strip", "sub", "tidy", "upper",
}  # fmt: skip
"""Calls that examine a text."""

ORDER_TEXT = re.compile(r"(?:.*\.)?(?:order|submission|incoming|judged|played|undone)\.text")
"""The text of an order in code, by what an order and its row are called in variables."""


def examined_texts(module: ast.Module) -> Iterator[ast.expr]:
    """Each place where the text of an order is compared, or given to a function that examines it."""
    for node in ast.walk(module):
        looked_at: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            looked_at = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EXAMINES:
            looked_at = [*node.args, node.func.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EXAMINES:
            looked_at = node.args
        yield from (part for part in looked_at if ORDER_TEXT.fullmatch(ast.unparse(part)))


def test_only_its_parser_examines_the_text_of_an_order() -> None:
    for room, path in sources("play", "web", "inbound", "cli", "worker", "store"):
        places = [f"{shown(path)}:{part.lineno} {ast.unparse(part)}" for part in examined_texts(tree(path))]
        assert not places, f"{room}: service/mail/grammar/orders.py parses orders; ask for the kind of this one"


def test_only_the_parsers_patterns_have_the_words_of_orders() -> None:
    words = re.compile(rf"\b({'|'.join({word.name for word in WORDS} - {'if', 'move', 'pass'})})\b")
    for _, path in sources("play", "web", "inbound", "cli", "worker"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
                pattern = ast.unparse(node.args[0])
                assert not words.search(pattern), f"{shown(path)}:{node.lineno} reads an order: {pattern}"


@pytest.mark.parametrize(
    "code",
    [
        "submission.text.startswith('if')",
        "re.fullmatch(PATTERN, order.text)",
        "about.submission.text == 'undo'",
        "word in order.text.lower().split()",
    ],
)
def test_a_module_that_examines_an_order_is_caught(code: str) -> None:
    assert [*examined_texts(ast.parse(code))]


def test_no_game_is_named_outside_the_games() -> None:
    titles = "|".join(re.escape(word) for game in GAMES.values() for word in (game.name, game.title))
    named = re.compile(rf"({titles})", re.IGNORECASE)
    for room, path in sources():
        if room in KNOWS_GAMES or shown(path) in NAMES_A_PIECE or "migrations" in path.parts:
            continue
        assert not {text for text in strings(path) if named.fullmatch(text.strip())}, f"{shown(path)} names a game"
        inside = {
            name for name in imported(path) if name.startswith("service.games.") and name != "service.games.GAMES"
        }
        assert not inside, f"{shown(path)} imports {inside}"


def test_no_page_or_email_names_a_game() -> None:
    titled = re.compile(rf"\b({'|'.join(re.escape(game.title) for game in GAMES.values() if game.title != 'Go')})\b")
    for name in templates():
        if not name.startswith(("rules/", "learn/")):
            named = titled.findall((ROOT / "templates" / name).read_text())
            assert not named, f"templates/{name} names {named}"


def templates() -> set[str]:
    root = ROOT / "templates"
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_every_template_is_used_and_every_used_template_exists() -> None:
    there = templates()
    used = {
        name for _, path in sources() for name in strings(path) if re.fullmatch(r"\w[\w/]*\.(html|txt|xml|ics)", name)
    }
    used -= MAIL_PARTS
    for name in there:
        source = (ROOT / "templates" / name).read_text()
        used |= {other for other in meta.find_referenced_templates(Environment().parse(source)) if other}
    patterns = [pattern for _, path in sources() for pattern in template_patterns(path)]
    composed = {name for name in there if any(re.fullmatch(pattern, name) for pattern in patterns)}
    composed |= {name for name in there if name.startswith("rules/")}  # tests/games/test_rules_pages.py has these
    composed |= {name for name in there if name.startswith("learn/")}  # tests/play/pages/test_lessons.py has these
    assert not sorted(used - there), "templates that are not there"
    assert not sorted(there - used - composed), "templates nobody uses"


def template_patterns(path: Path) -> Iterator[str]:
    """A pattern for each template name that is built, as in `f"rules/{game}.html"`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"[\w.-]+" for p in node.values]
            if re.match(r"\w+/", "".join(parts)):
                yield "".join(parts)


def test_the_label_beside_a_check_box_is_one_element() -> None:
    """Such a label is a flex box: text beside an element in it loses the space between them."""
    label = re.compile(r'<label class="tick"[^>]*>\s*<input[^>]*?>(.*?)</label>', re.DOTALL)
    for page in sorted((ROOT / "templates").rglob("*.html")):
        for words in label.findall(re.sub(r"{%.*?%}|{{.*?}}", "x", page.read_text())):
            assert "<" not in words or re.fullmatch(r"<span>.*</span>", words, re.DOTALL), f"{page}: {words}"


def test_modules_are_called_after_what_they_are_about() -> None:
    for _, path in sources():
        names = {*path.relative_to(ROOT).with_suffix("").parts}
        assert not names & NO_NAMES, f"{shown(path)} has a name that says nothing"


def test_files_that_are_tested_together_exist() -> None:
    assert [file for file in SHARE if not (ROOT / file).exists()] == []


@pytest.mark.parametrize(("file", "otherwise"), BY_HAND.items())
def test_what_we_wrote_ourselves_says_why(file: str, otherwise: str) -> None:
    assert otherwise in (ROOT / file).read_text()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is tracked is known in a clone alone")
def test_no_symlinks_are_tracked() -> None:
    """A symlink with the name of an untracked directory, such as .venv, would replace it in every checkout."""
    tracked = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [line for line in tracked.stdout.splitlines() if line.startswith("120000")] == []


def test_no_file_is_too_long() -> None:
    lengths = {shown(path): len(path.read_text().splitlines()) for _, path in sources()}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_FILE}


def test_most_functions_are_short() -> None:
    functions = (node for _, path in sources() for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef))
    assert median(1 + (node.end_lineno or 0) - node.lineno for node in functions) < MEDIAN_FUNCTION


@pytest.mark.parametrize(
    ("lock", "group"), [("requirements", ""), ("requirements-test", "test"), ("requirements-bench", "bench")]
)
def test_lock_files_have_all_dependencies(lock: str, group: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = settings["project"]["dependencies"] + (settings["dependency-groups"][group] if group else [])
    locked = {line.partition("==")[0] for line in (ROOT / f"{lock}.lock").read_text().splitlines() if "==" in line}
    names = {re.split(r"[\[<>=~! ]", line)[0].lower().replace("_", "-").replace(".", "-") for line in wanted}
    assert not names - {name.split("[")[0] for name in locked}, f"make lock writes {lock}.lock anew"
