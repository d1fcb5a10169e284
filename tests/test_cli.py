"""The engine's command line, word for word as service/engine/README.md promises."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from service.addresses import with_port
from service.cli import main
from service.config import ROOT, Settings
from service.web import places
from tests.cases import FULL
from tests.ports import free_port

KO = "--set", "setup=black: f12 f14; white: e12 e14 f13"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "match.record"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out.splitlines(), printed.err


def test_replay_prints_the_start_and_every_position(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("# a ko\ne13   # takes\n\nwhite: pass\nBlack: g-1\n")
    code, lines, _ = run(capsys, "replay", "rosette", *KO, str(record))
    assert code == 0
    start, taken, passed, last = map(json.loads, lines)
    assert start == {
        "ply": 0,
        "round": 1,
        "phase": "play",
        "turns": ["black"],
        "board": {"e12": "white", "e14": "white", "f12": "black", "f13": "white", "f14": "black"},
        "facts": {"captured": {}, "prisoners": {}},
        "setup": "black: f12 f14; white: e12 e14 f13; turn: black",
        "outcome": None,
    }
    assert taken["facts"] == {"captured": {"white": 1}, "prisoners": {"black": {"white": 1}}}
    assert taken["setup"] == "black: e13 f12 f14; white: e12 e14; turn: white; prisoners: black white 1"
    assert (passed["turns"], last["ply"], last["board"]["g1"]) == (["black"], 3, "black")


def test_replay_to_the_end(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("e5\npass\npass\nwhite: accept\nblack: accept\n")
    code, lines, _ = run(capsys, "replay", "go", "--set", "size=9", str(record))
    scoring, over = json.loads(lines[3]), json.loads(lines[-1])
    assert (code, scoring["phase"], scoring["turns"]) == (0, "scoring", ["black", "white"])
    assert (over["phase"], over["turns"]) == ("over", [])
    assert over["outcome"] == {"scores": {"black": "1", "white": "0"}, "reason": "points"}
    assert over["facts"]["points"] == {"black": "81", "white": "15/2"}


ERRORS = [
    ("e13\nf13\n", 2, 2, "illegal", "superko"),
    ("# first\n\nf12\n", 1, 3, "illegal", "f12 is taken by Black."),
    ("z99\n", 1, 1, "illegal", "There's no point z99"),
    ("e13 # fine\nwhat now\n", 2, 2, "unreadable", "'what now' isn't a move here"),
    ("e13#5\n", 1, 1, "unreadable", "isn't a move here"),
    ("a8 or b8\n", 1, 1, "ambiguous", "a8 or b8"),
    ("white: a8\n", 1, 1, "out-of-turn", "It isn't White's turn: the match is waiting for Black."),
    ("pass\npass\naccept\n", 3, 3, "ambiguous", "black: accept or white: accept"),
    ("pass\npass\nsome day\n", 3, 3, "unreadable", "'some day' isn't clear"),
    ("resign\na8\n", 2, 2, "out-of-turn", "The match is over."),
    ("resign\nhello\n", 2, 2, "unreadable", "'hello' isn't a move here"),
]


@pytest.mark.parametrize(("text", "ply", "line", "error", "words"), ERRORS)
@pytest.mark.parametrize("command", ["replay", "moves", "board"])
def test_errors_of_a_record(
    capsys: pytest.CaptureFixture[str],
    record: Path,
    command: str,
    text: str,
    ply: int,
    line: int,
    error: str,
    words: str,
) -> None:
    record.write_text(text)
    code, lines, _ = run(capsys, command, "rosette", *KO, str(record))
    report = json.loads(lines[-1])
    message = report.pop("message")
    assert (code, report) == (1, {"ply": ply, "line": line, "error": error})
    assert words in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay", "chess"], "There's no game 'chess'"),
        (["perft", "chess", "2"], "There's no game 'chess'"),
        (["replay", "go", "--set", "size=40"], "size must be R or RxC"),
        (["replay", "go", "--set", "sise=9"], "has no option 'sise'"),
        (["replay", "go", "--set", "size"], "NAME=VALUE"),
        (["replay", "multigo", "--set", "seats=3"], "Use --seats 3."),
        (["replay", "go", "--seats", "3"], "Go is for 2 players, not 3."),
        (["replay", "multigo", "--seats", "0"], "Multiplayer Go is for 2 to 8 players, not 0."),
        (["replay", "multigo", "--set", "shared-territory=split"], "shared-territory must be neutral, not 'split'."),
        (["replay", "rosette", "--set", "setup=black: a1"], "no point 'a1'"),
        (["replay", "rosette", "--set", "komi=lots"], "komi must be a whole or half number"),
        (["moves", "go", "no/such/file"], "stonepost: no/such/file: No such file or directory.\n"),
    ],
)
def test_a_wrong_command_gets_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, lines, complaint = run(capsys, *arguments)
    assert (code, lines) == (2, [])
    assert words in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "stonepost: There's no command fly. Run `stonepost --help`.\n"),
        (["mail", "fly"], "stonepost mail: There's no command fly. Run `stonepost mail --help`.\n"),
        (["replay"], "GAME"),
        (["perft", "go", "deep"], "DEPTH: must be a whole number of 0 or more, not 'deep'."),
        (["perft", "go", "-1"], "DEPTH: must be a whole number of 0 or more, not '-1'."),
        (["replay", "go", "--seats", "x"], "--seats: must be a whole number of 0 or more, not 'x'."),
        (["gtp", "gnugo", "--match", "x"], "--match: must be a whole number of 0 or more, not 'x'."),
        (["gtp", "gnugo", "--every", "-1"], "--every: must be a number of seconds above 0 and up to 86400, not '-1'."),
        (["gtp", "gnugo", "--every", "often"], "and up to 86400, not 'often'."),
    ],
)
def test_a_wrong_command_line(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    complaint = capsys.readouterr().err
    assert words in complaint
    assert complaint.count("\n") == 1


def test_the_command_alone_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 0
    assert re.search("(?m)^    restore +put a backup where", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["backup"], "\n\nCopy the database and the keys, while everything runs.\n\n"),
        (["mail", "stuck"], "\n\nList the letters that couldn't be sent, and why.\n\n"),
        (["standings"], "such as: 2026-11-22 ada=1 ben=0"),
    ],
)
def test_each_command_prints_what_it_does(capsys: pytest.CaptureFixture[str], command: list[str], told: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*command, "--help"])
    assert caught.value.code == 0
    assert told in re.sub(" {2,}|(?<=[a-z,:])\n +", " ", capsys.readouterr().out)


def test_moves_and_drafts(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("a1\n")
    small = ("--set", "size=2", str(record))
    assert run(capsys, "moves", "go", *small)[1] == ["b1", "a2", "b2", "pass"]
    assert run(capsys, "moves", "go", "--draft", "", *small)[1] == ["b1", "a2", "b2", "pass"]
    assert run(capsys, "moves", "go", "--draft", "b1", *small)[1] == []
    code, lines, _ = run(capsys, "moves", "go", "--draft", "a1", *small)
    report = {"ply": 2, "line": 2, "error": "illegal", "message": "a1 is taken by Black. Legal next to it: b1, a2."}
    assert (code, json.loads(lines[0])) == (1, report)
    record.write_text("a1\npass\npass\n")
    assert run(capsys, "moves", "go", *small)[1] == ["black: accept", "black: resume", "white: accept", "white: resume"]
    assert run(capsys, "moves", "go", "--draft", "white: dead a1", *small)[1] == ["white: a1"]


@pytest.mark.parametrize(("size", "depth", "count"), [("1", 1, 1), ("2", 1, 5), ("2", 2, 21), ("9", 2, 82 * 81 + 1)])
def test_perft(capsys: pytest.CaptureFixture[str], record: Path, size: str, depth: int, count: int) -> None:
    record.write_text("")
    assert run(capsys, "perft", "go", str(depth), "--set", f"size={size}", str(record))[1][-1] == str(count)


def test_boards(capsysbinary: pytest.CaptureFixture[bytes], record: Path) -> None:
    record.write_text("e5\n")
    starts = {"--text": b" ", "--svg": b"<svg", "--png": b"\x89PNG"}
    for form, beginning in starts.items():
        assert main(["board", "go", "--set", "size=9", form, str(record)]) == 0
        assert capsysbinary.readouterr().out.startswith(beginning)


def test_a_hyphen_after_options_means_standard_input() -> None:
    command = [sys.executable, "-m", "service.cli", "replay", "go", "--set", "size=9", "-"]
    done = subprocess.run(command, input=b"e5\n", capture_output=True, timeout=100)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2), done.stderr


@pytest.mark.parametrize("junk", [b"\xff\xfe\x00\n", b"\x00" * 50, b"a" * 100_000, "é\u2028x: y".encode()])
def test_junk_on_standard_input_is_unreadable(junk: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "replay", "go"], input=junk, capture_output=True, timeout=100
    )
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1])["error"] == "unreadable"
    assert done.stderr == b""


def test_a_record_may_begin_with_a_byte_order_mark(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = tmp_path / "match.record"
    record.write_bytes("\ufeff# Größe 9\r\na1\r\nb1\r\n".encode())
    code, lines, _ = run(capsys, "replay", "go", "--set", "size=9", str(record))
    assert (code, len(lines)) == (0, 3)


def test_a_closed_pipe_is_not_an_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m service.cli moves go </dev/null | head -1", shell=True, capture_output=True, timeout=100
    )
    assert (done.stdout, done.stderr) == (b"a1\n", b"")


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("backup --help | true", 0, ""),
        ("board go --png --set size=5 <&- >&-", 0, ""),
        ("replay go --set size=5 >/dev/full", 2, "stonepost: No space left on device.\n"),
        ("--help >/dev/full", 2, "stonepost: No space left on device.\n"),
    ],
)
def test_where_nothing_can_be_read_or_printed_it_says_so_in_a_line(line: str, code: int, told: str) -> None:
    command, _, reader = line.partition(" | ")
    run_it = f"(sleep 0.3; {sys.executable} -m service.cli {command}; echo $? >&2) {'| ' * bool(reader)}{reader}"
    done = subprocess.run(["sh", "-c", run_it], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.stderr == f"{told}{code}\n"


def test_mail_read_prints_how_an_email_is_parsed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mail = tmp_path / "reply.eml"
    mail.write_bytes(b"From: Ana <ana@example.org>\r\nMessage-ID: <1@x>\r\n\r\nh12\r\nnice\r\n\r\n> old\r\n")
    code, (line,), _ = run(capsys, "mail", "read", str(mail))
    assert code == 0
    assert json.loads(line) == {
        "message_id": "<1@x>",
        "sender": "ana@example.org",
        "recipients": [],
        "delivered": [],
        "references": [],
        "subject": "",
        "order": "h12",
        "remark": "nice",
        "text": "h12\nnice",
        "rest": "> old",
        "automatic": "",
        "unread": "",
        "is_automatic": False,
        "reading": {
            "lines": [{"text": "h12", "command": "", "asks": False}],
            "remark": "nice",
            "not_obeyed": [],
            "is_private": False,
            "ignored": [],
        },
    }


@pytest.mark.parametrize(
    ("text", "obeyed", "remark", "not_obeyed"),
    [
        ("h12\ndraw\nif e10 then g11", ["h12", "draw", "if e10 then g11"], "", []),
        ("h12\nIt should end in a\ndraw", ["h12"], "It should end in a\ndraw", ["draw"]),
        ("Hi Ada,\n\nh12", ["h12"], "", []),
        ("pass?", ["pass?"], "", []),
        ("stop", ["stop"], "", []),
    ],
)
def test_mail_read_prints_which_lines_are_obeyed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, obeyed: list[str], remark: str, not_obeyed: list[str]
) -> None:
    mail = tmp_path / "reply.eml"
    mail.write_text(f"From: ana@example.org\nMessage-ID: <1@x>\nIn-Reply-To: <0@x>\nSubject: status\n\n{text}\n")
    for game in ([], ["--game", "go"]):
        _, (line,), _ = run(capsys, "mail", "read", *game, str(mail))
        reading = json.loads(line)["reading"]
        assert [one["text"] for one in reading["lines"]] == obeyed
        assert (reading["remark"], reading["not_obeyed"]) == (remark, not_obeyed)
        assert [one["asks"] for one in reading["lines"]] == [one.endswith("?") for one in obeyed]


def test_mail_read_asks_the_game_what_a_move_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mail = tmp_path / "reply.eml"
    mail.write_text("From: ana@example.org\nMessage-ID: <1@x>\n\nd4\nally red\n")
    lines = {}
    for game in ("go", "multigo"):
        lines[game] = json.loads(run(capsys, "mail", "read", "--game", game, str(mail))[1][0])["reading"]["lines"]
    assert [len(found) for found in lines.values()] == [1, 2]
    assert run(capsys, "mail", "read", "--game", "chess", str(mail))[0] == 2


def test_records_are_imported_and_exported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PUBLIC_URL", "http://127.0.0.1:8000")
    file = tmp_path / "match.sgf"
    file.write_text("(;SZ[9]PB[Ada];B[ee])")
    assert run(capsys, "import", "--by", "eva@example.org", str(file))[1] == ["http://127.0.0.1:8000/match/1"]
    code, lines, _ = run(capsys, "export", "1", "--as", "txt")
    assert (code, lines[1], lines[-1][:9]) == (0, "# black: Ada", "black: e5")
    assert run(capsys, "export", "1", "--as", "sgf")[1][-1] == ";B[ee])"
    assert run(capsys, "export", "1", "--as", "pgn")[::2] == (
        2,
        "stonepost: Match 1 can be exported as txt or json or sgf, not as pgn.\n",
    )
    assert run(capsys, "export", "2")[::2] == (2, "stonepost: There's no match 2.\n")
    file.write_text("(;SZ[9];B[ee]\n;W[ee])")
    assert run(capsys, "import", "--by", "eva@example.org", str(file))[::2] == (
        1,
        "stonepost: Line 2: e5 is taken by Black. Legal next to it: e4, d5, f5, e6.\n",
    )
    assert run(capsys, "import", "--by", "nobody", str(file))[0] == 2


REFUSED = """
import socket, sys
from service.cli import main
def look_up(*_given, **_more):
    raise AssertionError("Settings are judged without the network.")
socket.getaddrinfo = socket.create_connection = look_up
code = main(["run"])
print(code, sorted({"celery", "dns", "flask", "redis", "sqlalchemy"} & sys.modules.keys()))
"""


def test_wrong_settings_are_reported_before_anything_is_loaded_or_looked_up(tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "STONEPOST_MODE": "production",
        "STONEPOST_DATA": str(tmp_path),
        "SMTP_URL": "smtp://mail.example.org",
        "PUBLIC_URL": "https://play.example.org",
        "MAIL_DOMAIN": "play.example.org",
        "MAIL_TRUST": "token",
    }
    done = subprocess.run(
        [sys.executable, "-c", REFUSED], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "2 []\n"
    assert done.stderr.startswith("stonepost: MAIL_TRUST=token is refused where mail leaves this machine")
    assert done.stderr.count("\n") == 1


def test_each_process_started_alone_reports_wrong_settings_in_one_line(tmp_path: Path) -> None:
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "STONEPOST_MODE": "nonsense",
        "STONEPOST_DATA": str(tmp_path),
        "PORT": str(free_port()),
    }
    lines = [line.partition(": ")[::2] for line in (ROOT / "Procfile").read_text().splitlines()]
    assert lines[0] == ("release", "python -m service.cli migrate")
    if not FULL:  # One of each program is enough.
        programs = {command.removeprefix("chrt --idle 0 ").split()[0]: (name, command) for name, command in lines}
        lines = [*programs.values()]
    started = {
        name: subprocess.Popen(
            ["sh", "-c", f"exec {command}"], env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        for name, command in lines
    }
    told = {name: (process.communicate(timeout=60)[1], process.returncode) for name, process in started.items()}
    wanted = "stonepost: STONEPOST_MODE must be development or production, not 'nonsense'.\n"
    assert told == dict.fromkeys(started, (wanted, 2))
    assert len(told) >= (6 if FULL else 3)


def test_a_web_process_has_a_thread_for_each_request_that_works_or_waits() -> None:
    (web,) = re.findall(r"(?m)^web: .*", (ROOT / "Procfile").read_text())
    assert f" --threads {places.WORKING + places.WAITING} " in web


def test_every_task_has_a_queue_and_every_queue_a_process() -> None:
    of_app = {
        ast.unparse(node.targets[0]): node.value
        for node in ast.parse((ROOT / "worker/app.py").read_text()).body
        if isinstance(node, ast.Assign)
    }
    queues = ast.literal_eval(of_app["QUEUES"])
    source = ast.parse((ROOT / "worker/tasks.py").read_text())
    tasks = {
        node.name
        for node in source.body
        if isinstance(node, ast.FunctionDef) and "app.task" in map(ast.unparse, node.decorator_list)
    }
    assert sorted(task for some in queues.values() for task in some) == sorted(tasks)
    served = re.findall(r"--queues (\S+)", (ROOT / "Procfile").read_text())
    assert sorted(queue for some in served for queue in some.split(",")) == sorted(queues)


def test_each_process_has_a_container() -> None:
    processes = re.findall(r"(?m)^(\w+):", (ROOT / "Procfile").read_text())
    compose = (ROOT / "service/cli/containers/compose.yaml").read_text()
    started = re.findall(r"(?m)^  (\w+):\n    <<: \*stonepost\n    command: \[run, (\w+)\]$", compose)
    assert started == [(name, name) for name in processes if name != "release"]


def test_an_image_has_the_files_that_the_service_needs(tmp_path: Path) -> None:
    wanted = re.findall(r"(?m)^COPY (.+) \S+$", (ROOT / "service/cli/containers/Containerfile").read_text())
    names = {name for line in wanted for name in line.split()}
    assert names == {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for name in names:
        (tmp_path / name).symlink_to(ROOT / name)
    code = "import service.app, worker.ready, service.config; print(service.config.ROOT)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.stderr, ran.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (["web"], "Set REDIS_URL: processes that start one by one have no embedded queue."),
        (["web", "mial"], "The Procfile has no process mial. It has web, worker, think, upkeep, hooks, beat, mail."),
        (["release"], "The Procfile has no process release. It has web, worker, think, upkeep, hooks, beat, mail."),
    ],
)
def test_run_refuses_processes_that_it_cannot_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, names: list[str], answer: str
) -> None:
    monkeypatch.setenv("STONEPOST_DATA", str(tmp_path))
    code, _, told = run(capsys, "run", *names)
    assert (code, told) == (2, f"stonepost: {answer}\n")


@pytest.mark.parametrize(
    ("environment", "where"),
    [
        ({}, "127.0.0.1:8000"),
        ({"PORT": "5000"}, "0.0.0.0:5000"),
        ({"PORT": "5000", "WEB_HOST": "127.0.0.1"}, "127.0.0.1:5000"),
        ({"PORT": "5000", "WEB_PORT": "80"}, "0.0.0.0:80"),
        ({"WEB_HOST": "::"}, "[::]:8000"),
    ],
)
def test_where_the_web_server_listens(tmp_path: Path, environment: dict[str, str], where: str) -> None:
    settings = Settings.from_environment({"STONEPOST_DATA": str(tmp_path), **environment})
    assert settings.public_url == f"http://{where}"
    assert with_port(settings.web_host, settings.web_port) == where


RESULTS = """# ada 1600 100 0.06
2026-01-01 ada=1 ben=0   # the first
2026-01-02 ada=1/3 ben=0.33 cem=0.33 dan!=0

2026-01-03 dan!=0 cem=1
"""


def test_rate_prints_a_line_for_each_player(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text(RESULTS)
    code, lines, _ = run(capsys, "rate", str(record))
    players = [json.loads(line) for line in lines]
    assert code == 0
    assert [(player["name"], player["matches"], player["provisional"]) for player in players] == [
        ("ada", 2, False),
        ("ben", 2, True),
        ("cem", 2, True),
        ("dan", 2, True),
    ]
    assert list(players[0]) == ["name", "rating", "deviation", "volatility", "matches", "provisional"]
    assert players[0]["rating"] > 1600 > 1500 > players[3]["rating"]


def test_rate_can_start_everybody_with_a_given_rating(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("2026-01-01 ada=1/2 ben=1/2\n")
    _, lines, _ = run(capsys, "rate", "--prior", "1400,80,0.06", str(record))
    assert [json.loads(line)["rating"] for line in lines] == [1400, 1400]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("yesterday ada=1 ben=0", 1, "A line begins with a date such as 2026-11-22, not 'yesterday'."),
        ("\n2026-01-01 ada=1", 2, "A match has 2 to 8 players, not 1."),
        ("2026-01-01 ada=1 ada=0", 1, "ada can't have two seats in one match."),
        ("2026-01-01 ada=1 ben=1/2", 1, "The shares of the win must sum to 1, not 1.5."),
        ("2026-01-01 ada=1 ben=1/0", 1, "'ben=1/0' isn't a name and a share of the win, such as ada=1 or ada=1/2."),
        ("2026-01-01 ada=2 ben=-1", 1, "'ben=-1' isn't a name and a share of the win, such as ada=1 or ada=1/2."),
        ("2026-01-01 ada!=1 ben=0", 1, "ada lost on time, so the share must be 0, not 1."),
        ("# ada 1500 0 0.06", 1, "A deviation is above 0 and at most 350, not 0."),
        (
            "2026-01-02 a=1 b=0\n2026-01-01 a=1 b=0",
            2,
            "2026-01-01 comes after 2026-01-02. Put the matches in the order they ended.",
        ),
        (
            "2026-01-02 a=1 b=0\n# a 1500 60 0.06",
            2,
            "a has already played a match. Put ratings before a player's first match.",
        ),
    ],
)
@pytest.mark.parametrize("command", ["rate", "standings"])
def test_results_that_cant_be_read(
    capsys: pytest.CaptureFixture[str], record: Path, command: str, text: str, line: int, message: str
) -> None:
    record.write_text(text)
    code, lines, _ = run(capsys, command, str(record))
    assert (code, json.loads(lines[-1])) == (1, {"line": line, "error": "unreadable", "message": message})


def test_standings_prints_a_line_for_each_player(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("2026-01-01 ada=1 ben=0\n2026-01-02 ben=1/2 cem=1/2\n")
    _, lines, _ = run(capsys, "standings", str(record))
    assert [json.loads(line) for line in lines] == [
        {"place": 1, "name": "ada", "points": 1.0, "sonneborn_berger": 0.5, "matches": 1},
        {"place": 2, "name": "ben", "points": 0.5, "sonneborn_berger": 0.25, "matches": 2},
        {"place": 2, "name": "cem", "points": 0.5, "sonneborn_berger": 0.25, "matches": 1},
    ]


def test_draw_prints_a_line_for_each_table(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("ada\nben\n# a comment\n\ncem\n")
    code, lines, _ = run(capsys, "draw", "all", "2", str(record))
    assert code == 0
    assert [line.partition(": ")[0] for line in lines] == ["1", "2", "3"]
    assert sorted(" ".join(sorted(line.partition(": ")[2].split())) for line in lines) == [
        "ada ben",
        "ada cem",
        "ben cem",
    ]


@pytest.mark.parametrize(
    ("arguments", "names", "message"),
    [
        (("all", "3"), "a\nb\nc", "ROUNDS must be a number from 1 to 100, not 'all'."),
        (("0", "2"), "a\nb", "ROUNDS must be a number from 1 to 100, not '0'."),
        (("1", "9"), "a\nb", "SEATS must be a number from 2 to 8, not '9'."),
        (("1", "3"), "a\nb", "Tables of 3 need at least 3 names, not 2."),
        (("1", "2"), "a\na", "a appears twice. Each name in a draw must be different."),
        (("1", "2"), "a b\nc", "A name can't contain a space, as 'a b' does."),
    ],
)
def test_draws_that_cant_be_made(
    capsys: pytest.CaptureFixture[str], record: Path, arguments: tuple[str, str], names: str, message: str
) -> None:
    record.write_text(names)
    assert run(capsys, "draw", *arguments, str(record)) == (2, [], f"stonepost: {message}\n")


BARE = "setup=k10/11/11/2K8/11/11/11/11/5T5/11/11 w - 0 1"


def test_review_prints_what_each_move_was_worth(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("white: T-F4\nblack: K-A10\nwhite: T-A4\nblack: resign\n")
    mate = "--set", BARE
    code, lines, _ = run(capsys, "review", "pillars", *mate, "--budget", "2000", str(record))
    assert code == 0
    found = [json.loads(line) for line in lines]
    assert [one["ply"] for one in found] == [1, 2, 3]
    assert all(set(one) == {"ply", "value", "best", "line"} and one["line"][0] == one["best"] for one in found)
    assert [one["value"] > 0.5 for one in found] == [True, False, True]
    assert run(capsys, "review", "pillars", *mate, "--budget", "2000", str(record))[1] == lines
    record.write_text("white: T-F4\nblack: nonsense\n")
    code, lines, _ = run(capsys, "review", "pillars", *mate, "--budget", "100", str(record))
    assert code == 1
    assert json.loads(lines[-1])["error"] == "unreadable"
    assert run(capsys, "review", "pillars", "--budget", "0", str(record))[0] == 2


@pytest.mark.parametrize(
    ("settings", "moves", "judged"),
    [
        (("pillars", "--set", BARE), "draw\nT-F4\ndecline\nK-A10\nsubstitute\nresign\n", [2, 4]),
        (("lotus",), "a1\nb1\ntimeout\n", [1, 2]),
        (("multigo-coop", "--set", "size=5"), "c3\nwhite: prefer black\nb2\n", [1, 3]),
        (("multigo-parallel", "--set", "size=5"), "black: wait\nblack: c3\nwhite: b2\nwhite: late\n", [2, 3]),
    ],
)
def test_review_judges_only_moves(
    capsys: pytest.CaptureFixture[str], record: Path, settings: tuple[str, ...], moves: str, judged: list[int]
) -> None:
    """Offers of a draw, preferences, resignations and the like are no moves, so no other move was better."""
    record.write_text(moves)
    code, lines, _ = run(capsys, "review", *settings, "--budget", "10", str(record))
    assert (code, [json.loads(line)["ply"] for line in lines]) == (0, judged)


def test_review_says_that_a_record_has_nothing_to_judge(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("white: resign\n")
    told = "stonepost: This record has no move that can be judged.\n"
    assert run(capsys, "review", "go", str(record)) == (1, [], told)


def test_perft_reports_an_error_of_its_record(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    record.write_text("e5\ne5\n")
    code, lines, _ = run(capsys, "perft", "go", "1", "--set", "size=9", str(record))
    report = json.loads(lines[-1])
    assert (code, report["line"], report["error"]) == (1, 2, "illegal")
    assert run(capsys, "perft", "go", "21", str(record)) == (2, [], "stonepost: DEPTH must be from 0 to 20.\n")
    record.write_text("resign\n")
    for game in ("go", "pillars"):
        assert [run(capsys, "perft", game, depth, str(record))[1] for depth in ("0", "1")] == [["1"], ["0"]]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("1500,350", "A rating is three numbers: rating, deviation and volatility, such as 1500, 350 and 0.06."),
        ("1500,x,0.06", "A rating is three numbers: rating, deviation and volatility, such as 1500, 350 and 0.06."),
        ("1500,350,0", "A volatility is above 0 and at most 1, not 0."),
    ],
)
def test_a_prior_that_cant_be_read(capsys: pytest.CaptureFixture[str], record: Path, prior: str, message: str) -> None:
    record.write_text(RESULTS)
    assert run(capsys, "rate", "--prior", prior, str(record)) == (2, [], f"stonepost: {message}\n")
