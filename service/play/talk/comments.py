"""Comments on finished matches: each is about the position after some move, and everybody can read it.

Its author can remove it, and so can operators. Nobody can comment on the match of a player who has blocked them, or
read the comments of players they have blocked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from service.mail.parsing import echo
from service.play import audit, bans
from service.play.site import Site, Transaction, transactional
from service.play.table import blocks
from service.play.table.log import visible_entries
from service.play.talk import moderation
from service.play.talk.messages import TalkError
from service.store.insert import insert_once
from service.store.models import Match, Player
from service.store.tables.player_data import Comment

LONGEST = 2_000
"""Characters in a comment."""

MOST = 50
"""Comments of one player on one match."""

LISTED = 200
"""Comments that a page shows, the first ones."""


@dataclass(frozen=True, slots=True)
class CommentLine:
    """A comment as a viewer reads it, on the move with the number `ply`; 0 is the beginning."""

    id: int
    ply: int
    author: str
    author_id: int
    text: str
    made: datetime
    may_remove: bool


def read(
    site: Site, match_id: int, viewer_id: int | None, ply: int | None = None, *, is_operator: bool = False
) -> Sequence[CommentLine]:
    """The comments on a match, or only those at one position, in the order of the moves."""
    with site.store.reading() as session:
        return of(session, match_id, viewer_id, ply, is_operator=is_operator)


def of(
    session: Session, match_id: int, viewer_id: int | None, ply: int | None = None, *, is_operator: bool = False
) -> Sequence[CommentLine]:
    """`read` in a transaction at hand."""
    found = _read_by(viewer_id).where(Comment.match_id == match_id)
    if ply is not None:
        found = found.where(Comment.ply == ply)
    comments = session.scalars(found.order_by(Comment.ply, Comment.id).limit(LISTED)).all()
    return [
        CommentLine(
            *(one.id, one.ply, one.player.name, one.player_id, one.text, one.made),
            may_remove=is_operator or one.player_id == viewer_id,
        )
        for one in comments
    ]


def recorded(site: Site, match_id: int, viewer_id: int | None) -> Mapping[int, Sequence[str]]:
    """The comments on each move as a record has them, by its number. Those on the beginning are with the first move."""
    found: dict[int, list[str]] = defaultdict(list)
    for one in read(site, match_id, viewer_id):
        found[max(one.ply, 1)].append(f"{one.author}: {one.text}")
    return found


def _read_by(viewer_id: int | None) -> Select[Comment]:
    found = select(Comment)
    return found if viewer_id is None else found.where(~blocks.between(viewer_id, Comment.player_id))


@transactional
def add(tx: Transaction, match_id: int, player_id: int, ply: int, text: str, key: str) -> None:
    """Adds a comment on the move with the number `ply`, 0 for the beginning, once for each `key`; raises TalkError."""
    match = tx.session.get(Match, match_id)
    if match is None or match.state != "over" or match.practice:
        raise TalkError("Only a match that is over can be commented on.")
    if tx.session.get_one(Player, player_id).is_guest:
        raise TalkError("Sign in with your email address first: others can read your comment.")
    bans.refuse_banned(tx, player_id, TalkError)
    if moderation.keeping_away(tx.session, match.places, player_id):
        raise TalkError("Somebody who played this match doesn't want to hear from you.")
    text = echo.without_links(text.replace("\r\n", "\n").replace("\0", "")).strip()
    if not text:
        raise TalkError("Your comment is empty. Write what you think of this move.")
    if len(text) > LONGEST:
        raise TalkError(f"A comment can have up to {LONGEST:,} characters; this one has {len(text):,}.")
    if ply and ply not in {entry.ply for entry in visible_entries(tx.session, match, None)}:
        raise TalkError("There's no such move in this match.")
    own = select(func.count()).where(Comment.player_id == player_id, Comment.match_id == match_id, Comment.key != key)
    if (tx.session.scalar(own) or 0) >= MOST:
        raise TalkError(f"You can write up to {MOST} comments on a match.")
    row = {"match_id": match_id, "ply": ply, "player_id": player_id, "text": text, "made": tx.now}
    insert_once(tx.session, Comment, key=key, **row)


@transactional
def remove(tx: Transaction, match_id: int, comment_id: int, player_id: int, *, is_operator: bool = False) -> bool:
    """Removes a comment; False if it isn't the player's own. Repeating it changes nothing. Raises TalkError for a
    comment on another match."""
    comment = tx.session.get(Comment, comment_id, with_for_update={"of": Comment})
    if comment is None:
        return True
    if comment.match_id != match_id:
        raise TalkError(f"There's no comment {comment_id} on this match.")
    if not (is_operator or comment.player_id == player_id):
        return False
    if comment.player_id != player_id:
        audit.note(tx, player_id, "comment-removed", "match", comment.match_id, comment.text)
    tx.session.delete(comment)
    return True
