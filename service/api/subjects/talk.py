"""Messages in a match, comments on matches that are over, and the player's own notes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from service.api import shapes
from service.api.operations import Call, once, operation
from service.api.problem_details import Refused
from service.api.shapes import Done, Ply, Strict, given
from service.api.subjects.matches import At
from service.play.pages import match_page
from service.play.talk import comments, messages
from service.play.talk.messages import TalkError
from service.web.current_player import site


class Saying(Struct):
    """A message; `to` are the sides it was for, empty if it was for the whole table."""

    side: str
    name: str
    to: Sequence[str]
    text: str
    said: datetime


class Talk(Struct):
    """The conversation of a match, and the player's own note. `others` are the seats that can get a private message."""

    press: str
    messages: Sequence[Saying]
    may_speak: bool
    others: Sequence[int]
    note: str


class Words(Strict):
    """A message; `to` are the numbers of seats, none for the whole table."""

    text: Annotated[str, Meta(min_length=1, max_length=messages.LONGEST_SAYING)]
    to: Annotated[list[Annotated[int, Meta(ge=0, le=15)]], Meta(max_length=16)] = []  # noqa: RUF012 - msgspec copies it


class Note(Strict):
    """A private note."""

    text: Annotated[str, Meta(max_length=messages.LONGEST_NOTE)]


class Comment(Struct):
    """A comment on the position after `ply` moves. `mine`: the token's player can remove it."""

    ply: int
    author: str
    author_id: int
    text: str
    made: datetime
    id: int
    mine: bool


class Comments(Struct):
    """The comments on a match, in the order of its moves."""

    comments: Sequence[Comment]


class NewComment(Strict):
    """A comment to be made."""

    ply: Ply
    text: Annotated[str, Meta(min_length=1, max_length=comments.LONGEST)]


@operation("GET", "/matches/<number:match_id>/messages", Talk, tag="talk")
def talk(call: Call, match_id: int) -> Talk:
    """The messages of a match that the token's player can read: the latest 200."""
    check_match(match_id)
    found = messages.heard(site(), match_id, call.viewer_id)
    said = [Saying(one.side, one.name, one.to, one.text, one.said) for one in found.lines]
    return Talk(found.press.write(), said, found.may_speak, [number for number, _ in found.others], found.note)


@operation(
    "POST",
    "/matches/<number:match_id>/messages",
    Done,
    tag="talk",
    scope="talk",
    body=Words,
    headers={"Idempotency-Key": "Send the same key when you repeat a message: it's sent only once."},
    limit="30 per 10 minutes",
)
def say(call: Call, match_id: int) -> Done:
    """Sends a message to everybody at the table, or only to the seats whose numbers are in `to`."""
    check_match(match_id)
    try:
        messages.say(site(), match_id, call.player.id, call.body.text, once(call), call.body.to)
    except TalkError as error:
        raise refused(error) from error
    return Done(f"{shapes.address(match_id)}/messages")


@operation("PUT", "/matches/<number:match_id>/note", Done, tag="talk", scope="talk", body=Note)
def keep_note(call: Call, match_id: int) -> Done:
    """Saves the player's own note on a match, replacing the previous one. Nobody else ever sees it."""
    check_match(match_id)
    try:
        messages.keep_note(site(), match_id, call.player.id, call.body.text)
    except TalkError as error:
        raise refused(error) from error
    return Done(f"{shapes.address(match_id)}/messages")


@operation("GET", "/matches/<number:match_id>/comments", Comments, tag="talk", query=At)
def comments_on(call: Call, match_id: int) -> Comments:
    """The comments on a match that is over, or only those on one position."""
    newest = match_page.newest(site(), match_id)
    if newest is None:
        raise _missing(match_id)
    found = comments.read(site(), match_id, call.viewer_id, given(call.query.ply)) if newest[1] == "over" else ()
    return Comments(
        [
            Comment(*(one.ply, one.author, one.author_id, one.text, one.made), id=one.id, mine=one.may_remove)
            for one in found
        ]
    )


@operation(
    "POST",
    "/matches/<number:match_id>/comments",
    Done,
    tag="talk",
    scope="talk",
    body=NewComment,
    headers={"Idempotency-Key": "Send the same key when you repeat a comment: it's added only once."},
    limit="30 per hour",
)
def comment(call: Call, match_id: int) -> Done:
    """Comments on a match that is over."""
    check_match(match_id)
    try:
        comments.add(site(), match_id, call.player.id, call.body.ply, call.body.text, once(call))
    except TalkError as error:
        raise refused(error) from error
    return Done(f"{shapes.address(match_id)}/comments")


@operation("DELETE", "/matches/<number:match_id>/comments/<number:comment_id>", Done, tag="talk", scope="talk")
def remove_comment(call: Call, match_id: int, comment_id: int) -> Done:
    """Removes a comment of the player's own."""
    check_match(match_id)
    try:
        is_removed = comments.remove(site(), match_id, comment_id, call.player.id)
    except TalkError as error:
        raise Refused(404, "not-found", str(error)) from error
    if not is_removed:
        raise Refused(403, "forbidden", "Only the player who wrote this comment can remove it.")
    return Done(f"{shapes.address(match_id)}/comments")


def refused(error: Exception) -> Refused:
    """A use case's error as a refusal."""
    return Refused(422, "refused", str(error), field=getattr(error, "field", ""))


def check_match(match_id: int) -> None:
    """Raises Refused if there is no such match."""
    if match_page.newest(site(), match_id) is None:
        raise _missing(match_id)


def _missing(match_id: int) -> Refused:
    return Refused(404, "not-found", f"There's no match {match_id}.")
