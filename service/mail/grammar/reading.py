"""What an email says: the one parser of the grammar in GRAMMAR.md.

Only a line that somebody wrote as an order counts as one. The first line always does. The lines below it do only if
each of them is an order or a command; otherwise they are prose, and none of them is carried out. Only the game knows
what a move is, so `parse` gets a function for that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from service.engine.game import Game
from service.engine.stone_games.stone_orders import tidy
from service.mail.grammar.command_lines import WITH_MOVES, IsMove, Line, counts, is_order, line, whispers
from service.mail.grammar.command_words import COMMENT, END, MOST_LINES, TAKES_ALL
from service.mail.grammar.orders import answers_invitation
from service.mail.parsing.introductions import wraps
from service.mail.phrases.courtesies import GREETING, VALEDICTION

LONGEST = 20_000
"""The most characters read of a remark or message: twice as many as allowed, so that a longer one is refused anyway."""

MOST_ROWS = 8 * MOST_LINES
"""The most orders read. Any more would be too many in any case."""

_NARROW = 30
"""No mail program breaks lines at fewer columns."""

_QUESTION_MARKS = {"\u2753": "?", "\u2754": "?", "\u061f": "?"}
_SMILEY = re.compile(r"(?:^|\s)[:;=8][-o']?[)(DPp/|]+$")
_PLEASE_FIRST = re.compile(r"(?:please|bitte)[\s,]+(?=\S)", re.IGNORECASE)
_PLEASE_LAST = re.compile(
    r"(?<=[^\s,])[\s,]+(?:please|pls|bitte|s['\u2019]il (?:te|vous) pla[iî]t|svp|por favor|per favore)[\s.!]*$",
    re.IGNORECASE,
)
_MARKS = r"\"'\u2018-\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f"
_IN_QUOTATION_MARKS = re.compile(rf"[{_MARKS}](?P<said>[^{_MARKS}]+)[{_MARKS}][.,!\u3002]?")
_BLANKS = " \t\u00b7\u2022\u2023"
_EMPHASISED = re.compile(r"(?P<mark>[*_]{1,3})(?P<said>[^*_]+)(?P=mark)[.,!]?")
_NAME = re.compile(r"(?:[^\W\d_][\w.'-]*\s*){1,3}[.!]?")
_CONDITION = re.compile(r"\bif\b", re.IGNORECASE)
_THEN = re.compile(r"\bthen\b", re.IGNORECASE)
_OPEN_VALUE = re.compile(r"""^\s*new\b.*=["“”„][^"“”„]*$""", re.IGNORECASE)
"""A value with an opening quotation mark but no closing one."""

_SMALL_WORD = re.compile(
    r"if|then|and|or|else|otherwise|you|i|we|they|plays?|moves?|at|with|please|thanks", re.IGNORECASE
)
"""Words with which a line of moves is a conditional move in all but form."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an email says. `lines` are to be carried out in order, the first whatever it is.

    `remark` is the prose below the first line, "" if there is none; of its lines, those in `not_obeyed` would be orders
    or commands elsewhere. `is_private`: the remark, or the message of a `say`, has a line that not everybody may read:
    words to only some of them, or moves that others must not know yet. `ignored` are lines below an `end` and those
    that are too many.
    """

    lines: tuple[Line, ...]
    remark: str = ""
    not_obeyed: tuple[str, ...] = ()
    is_private: bool = False
    ignored: tuple[Line, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it's one order, perhaps with a remark, and needs no explanation to its writer."""
        one = len(self.lines) <= 1 and not self.not_obeyed and not self.is_private
        return one and all(found.is_order and not found.asks for found in self.lines)


def parse(
    subject: str, text: str, is_move: IsMove, is_secret: IsMove = lambda _text: False, joins: bool = True
) -> Reading:
    """Parses the Subject and the writer's own lines.

    `is_secret` tells whether a text is a move that others never see, such as a standing preference. The Subject counts
    if it's a command that the text doesn't repeat. Without `joins`, an order that a program broke into several lines
    isn't put together.
    """
    kept, ignored = _to_end([line for line in text.split("\n") if not line.lstrip().startswith(COMMENT)])
    greeting = _greeting(kept, is_move)
    own, unread = _rows(kept, len(greeting), is_move, joins)
    rows = [*_subject(subject, kept, is_move), *own]
    if not rows:
        # There's only a greeting, or nothing at all.
        return Reading(
            tuple(line(one.strip()) for one in greeting if one.strip())[:1], ignored=_given_back(ignored, "end")
        )
    head = min(len([*takewhile(_names_match, rows)]) + 1, len(rows))
    signed = _signed(rows)
    end = _given_back(ignored, "end")
    is_courtesy = signed > head or (signed == head and not _goes_with_remark(rows[head - 1].line))
    if all(row.counts for row in rows[:signed]) and (signed == len(rows) or is_courtesy):
        more = [row.line.text for row in rows[MOST_LINES:signed]] + [one for one in kept[unread:] if one.strip()]
        many = _given_back(more, "many")
        obeyed = tuple(row.line for row in rows[: min(signed, MOST_LINES)])
        return _told(Reading(obeyed, ignored=(*many, *end)), is_move, is_secret)
    first = tuple(row.line for row in rows[:head])
    if len(rows) == head:
        return _told(Reading(first, ignored=end), is_move, is_secret)
    below = kept[rows[head].at :]
    seen = "\n".join(below)[:LONGEST].split("\n")
    return Reading(
        first,
        "\n".join([*greeting, *below]).strip(),
        _would_be_obeyed(seen, is_move),
        _has_secret(seen, is_move, is_secret),
        end,
    )


def _told(found: Reading, is_move: IsMove, is_secret: IsMove) -> Reading:
    """The reading, with `not_obeyed` and `is_private` set for the lines of a `say` below its first."""
    last = found.lines[-1]
    if last.command is None or last.command.name != "say":
        return found
    said = last.rest[:LONGEST].split("\n")
    secret = _has_secret(said, is_move, is_secret, begins=1)
    return replace(found, not_obeyed=_would_be_obeyed(said[1:], is_move), is_private=secret)


def _would_be_obeyed(lines: Iterable[str], is_move: IsMove) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for one in lines if _would_count(one, is_move)))


def plainly(text: str) -> str:
    """A line without emoji, please, bullets, emphasis and quotation marks, and with plain digits and question marks."""
    text = "".join(map(_plain, unicodedata.normalize("NFKC", text)))
    text = _SMILEY.sub("", text.strip())
    text = text.strip("".join({character for character in text if _is_ornament(character)}) + _BLANKS).rstrip("\u3002")
    if quoted := _EMPHASISED.fullmatch(text) or _IN_QUOTATION_MARKS.fullmatch(text):
        text = quoted["said"].strip()
    begins = _PLEASE_FIRST.match(text)
    return _PLEASE_LAST.sub("", text[begins.end() :] if begins else text)


def _plain(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else _QUESTION_MARKS.get(character, character)


def _is_ornament(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk", "Cf", "Mn", "Cn") and character not in "`^"


@dataclass(frozen=True, slots=True)
class _Row:
    """One line as somebody meant it, put together if a program broke it: where it begins, and whether it counts below
    others."""

    line: Line
    at: int
    counts: bool


def _to_end(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines above a line with `end`, and those below it."""
    at = next((at for at, one in enumerate(lines) if one.strip().lower() in END), len(lines))
    return lines[:at], [one for one in lines[at + 1 :] if one.strip()]


def _greeting(lines: Sequence[str], is_move: IsMove) -> list[str]:
    """The greeting at the top with the blank lines around it; empty if nothing follows."""
    at = next((at for at, one in enumerate(lines) if one.strip()), len(lines))
    if at == len(lines) or not GREETING.fullmatch(lines[at].strip()) or counts(line(lines[at]), is_move):
        return []
    follows = next((below for below in range(at + 1, len(lines)) if lines[below].strip()), None)
    if follows is None or wraps(lines[at], lines[follows], _NARROW):
        return []
    next_line = plainly(lines[follows])
    if answers_invitation(lines[at]) and not (counts(line(next_line), is_move) or answers_invitation(next_line)):
        return []  # `Yes,` and a sentence.
    return list(lines[:follows])


def _subject(subject: str, kept: Iterable[str], is_move: IsMove) -> list[_Row]:
    """The Subject as a first row. Many people write the same, or its first words, in both places."""
    found = line(plainly(subject))
    said = any(f"{_bare(words)} ".startswith(f"{_bare(subject)} ") for words in kept)
    if found.command is None or said or not counts(found, is_move):
        return []
    return [_Row(found, 0, True)]


def _bare(text: str) -> str:
    """A line without what `line` ignores."""
    return " ".join(text.lower().split()).strip(".,;:!?*\"'")


def _rows(lines: Sequence[str], begins: int, is_move: IsMove, joins: bool) -> tuple[list[_Row], int]:
    """The rows from line `begins` on, the last of which may be a message with all lines below it, and the first line
    that wasn't read because the rows suffice."""
    found: list[_Row] = []
    at = begins
    while at < len(lines) and len(found) < MOST_ROWS and not _is_prose(found):
        if not lines[at].strip():
            at += 1
            continue
        if message := _message(lines, at):
            return [*found, _Row(message, at, True)], len(lines)
        text, taken = _whole(lines[at : at + MOST_LINES], is_move) if joins else (lines[at], 1)
        read = line(plainly(text))
        found.append(_Row(read, at, counts(read, is_move)))
        at += taken
    return found, at


def _is_prose(rows: Sequence[_Row]) -> bool:
    """Whether some line can't be obeyed, however the email continues: one that is neither at its head nor in its
    signature."""
    return any(not row.counts and not _names_match(row) for row in rows[:-4])


def _message(lines: Sequence[str], at: int) -> Line | None:
    """A `say` or `comment` in this line, with everything below it; None if there is none."""
    found = line(lines[at])
    word, _, rest = found.text.partition(" ")
    if found.command is None or found.command.name not in TAKES_ALL or word.endswith(","):
        return None
    return replace(found, rest="\n".join([rest.strip(), *lines[at + 1 :]]).strip())


def _whole(lines: Sequence[str], is_move: IsMove) -> tuple[str, int]:
    """The first line, joined with those that a program broke off from it, and how many lines these are.

    Lines are joined if a quotation mark is still open, or if the line is wide and only the whole is an order.
    """
    if _OPEN_VALUE.search(lines[0]) and (closed := _closed(lines)):
        return closed
    text, best = lines[0].strip(), (lines[0], 1)
    for count, (before, after) in enumerate(pairwise(lines), start=2):
        if not wraps(before.rstrip(), after):
            break
        text = f"{text} {after.strip()}"
        # A complete conditional move isn't continued by a line that counts on its own.
        alone = count == best[1] + 1 and is_order(plainly(best[0]), is_move) and _CONDITION.search(text)
        if not (alone and counts(line(plainly(after)), is_move)) and is_order(plainly(text), is_move):
            best = (text, count)
    return best


def _closed(lines: Sequence[str]) -> tuple[str, int] | None:
    """The line joined with those up to the closing quotation mark, and how many there are; None if a command comes
    first."""
    begun = lines[0]
    for count, words in enumerate(lines[1:], start=2):
        if line(words).command is not None:
            return None
        begun = f"{begun.strip()} {words.strip()}"
        if not _OPEN_VALUE.search(begun):
            return begun, count
    return None


def _names_match(row: _Row) -> bool:
    return row.line.command is not None and row.line.command.name == "match"


def _signed(rows: Sequence[_Row]) -> int:
    """How many rows are above a farewell such as `Best, Ada`, with any names below it."""
    for at in range(max(1, len(rows) - 3), len(rows)):
        names = [row.line.text for row in rows[at + 1 :] if row.counts or not _NAME.fullmatch(row.line.text)]
        if not rows[at].counts and VALEDICTION.fullmatch(rows[at].line.text) and not names:
            return at
    return len(rows)


def _goes_with_remark(found: Line) -> bool:
    """Whether words below this line are for the other players, even if they are only thanks and a name."""
    return found.is_order or (found.command is not None and found.command.name == "resign")


def _would_count(text: str, is_move: IsMove) -> bool:
    """Whether a line of a remark would be an order or a command elsewhere, or asks about one."""
    found = line(plainly(text))
    statement = line(found.text.rstrip(" ?!."))
    return bool(found.text) and (counts(found, is_move) or (found.asks and counts(statement, is_move)))


def _has_secret(lines: Sequence[str], is_move: IsMove, is_secret: IsMove, begins: int = 0) -> bool:
    """Whether a line from `begins` on is for only some players, or reads as moves that others must not know yet."""
    if any(map(whispers, lines[begins:])):
        return True
    sentences = _sentences(lines)[min(begins, 1) :]
    return any(_is_plan(plainly(text), is_move) or is_secret(_moves(plainly(text))) for text in sentences)


def _moves(text: str) -> str:
    """A text without the command before its moves, such as `preview`."""
    found = line(text)
    return found.rest if found.command is not None and found.command.name in WITH_MOVES else text


def _sentences(lines: Iterable[str]) -> list[str]:
    """The lines, joined where a program broke them within a sentence."""
    found: list[str] = []
    before = ""
    for text in lines:
        if before and text.strip() and before[-1] not in ".!?:;" and wraps(before, text.strip(), _NARROW):
            found[-1] += f" {text.strip()}"
        else:
            found.append(text.strip())
        before = text.rstrip()
    return found


def _is_plan(text: str, is_move: IsMove) -> bool:
    """Whether a text is a conditional move or a standing order, or has only their words and words with digits."""
    found = line(text)
    name = found.command.name if found.command else ""
    if name == "standing" or _has_condition(text):
        words = [word for word in re.split(r"[\s,;.:!?]+", text.lower()) if not re.search(r"\d", word)]
        return counts(found, is_move) or all(not word or _SMALL_WORD.fullmatch(word) or is_move(word) for word in words)
    return False


def _has_condition(text: str) -> bool:
    """Whether there is an `if` followed by a `then`."""
    begins = _CONDITION.search(text)
    return begins is not None and _THEN.search(text, begins.end() + 1) is not None


def _given_back(left: list[str], why: str) -> tuple[Line, ...]:
    """The ignored lines; of too many, `... (NUMBER)` stands for the rest."""
    shown = [Line(words.strip(), ignored="many" if why == "many" else "end") for words in left[:MOST_LINES]]
    more = [Line(f"... ({len(left) - MOST_LINES})", ignored=shown[0].ignored)] if len(left) > MOST_LINES else []
    return (*shown, *more)


def before_the_board(games: Iterable[Game], subject: str, text: str) -> Reading:
    """What an email says when no position is known: whatever one of the games might read as an order counts as one."""
    words = {word.usage.split()[0].lower() for game in games for word in game.words}
    words |= {"resign", "draw", "decline", "prefers", "preference", "preferring", "allies", "alliance", "allied"}
    return parse(subject, text, lambda text: may_be_order(text, words), joins=False)


def may_be_order(text: str, words: Collection[str]) -> bool:
    """Whether a game whose orders begin with these `words` or name cells might read part of a text as a move.

    For use without a position: never False for a text that is a move, or that continues with one in the next line.
    """
    said = tidy(plainly(text))
    return bool(re.search(r"\d|\bo-?o\b", said)) or any(word in words for word in re.split(r"[^\w-]+", said))
