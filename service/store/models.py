"""All rows. A match is its options and its log of entries; positions are replayed, never stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    TextClause,
    TypeDecorator,
    false,
    text,
    true,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column, relationship


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite, which knows no zones, keeps it naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        return None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value


GIVEN_UP = text("sent IS NULL AND due IS NULL AND error <> ''")
HELD, KEPT, DIGEST = text("held"), text("kept"), text("post = 'digest'")
LEAVING = text("leaves IS NOT NULL")
UNCONFIRMED = text("email IS NOT NULL AND confirmed IS NULL")
"""Conditions of partial indexes: only a query that has them in the same words is sure to be served by one."""


def partial(name: str, *columns: str, where: TextClause) -> Index:
    """An index of some rows only."""
    return Index(name, *columns, sqlite_where=where, postgresql_where=where)


class Row(DeclarativeBase):
    """The common parent of all rows."""

    type_annotation_map = {datetime: Instant, dict[str, Any]: JSON, list[str]: JSON, list[int]: JSON}  # noqa: RUF012 (SQLAlchemy's hook)


class Player(Row):
    """A person or a bot. A person who was only ever invited has an address and no visit yet."""

    __tablename__ = "player"
    __table_args__ = (
        partial("player_by_digest", "id", where=DIGEST),
        Index("player_by_name", "name_key", unique=True),
        partial("player_leaving", "leaves", where=LEAVING),
        partial("player_unconfirmed", "created", where=UNCONFIRMED),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str | None] = mapped_column(String(200))
    """The name without what makes no difference (`display_names.key`), if its player chose it: no two share one."""
    email: Mapped[str | None] = mapped_column(String(254), unique=True)
    bot: Mapped[str | None] = mapped_column(String(40), unique=True)
    """Which of `service.bots` plays for this player; None for a person."""
    created: Mapped[datetime]
    confirmed: Mapped[datetime | None]
    """When somebody first proved that an address is theirs; None for an address that others wrote, and for guests."""
    post: Mapped[str] = mapped_column(String(10), default="instant", server_default="instant")
    """When this player wants letters: one of `service.play.notify.preferences.CHOICES`."""
    digest_hours: Mapped[str] = mapped_column(String(80), default="18", server_default="18")
    """The hours of the player's day at which a digest goes out, such as `8 20`."""
    most: Mapped[int | None]
    """How many letters a day the player wants at most; None for as many as the settings allow."""
    receipts: Mapped[bool] = mapped_column(default=True, server_default=true())
    bounced: Mapped[datetime | None]
    """Since when mail to this player comes back; None while it arrives."""
    zone: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """The player's time zone by its IANA name; "" until it is known, which counts as UTC."""
    vacation: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether days of vacation are spent before the player runs out of time."""
    look: Mapped[str] = mapped_column(String(5), default="auto", server_default="auto")
    """How pages look: `light`, `dark`, or `auto` for what the device prefers."""
    at_once: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether a move is sent without being looked at first."""
    grace: Mapped[int] = mapped_column(default=0, server_default="0")
    """For how many seconds a move can be withdrawn before anybody sees it."""
    feeds: Mapped[int] = mapped_column(default=0, server_default="0")
    """How often the player has asked for new addresses of their feeds; the former ones are nobody's."""
    turned: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether boards are seen from the other side in matches in which this player does not move first."""
    turned_first: Mapped[bool] = mapped_column(default=False, server_default=false())
    """The same for matches in which this player moves first, or watches."""
    coordinates: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether boards are seen with coordinates."""

    leaves: Mapped[datetime | None]
    """When the account will be deleted, as its player has asked."""
    left: Mapped[datetime | None]
    """When the player deleted the account; what is left has no name and no address."""

    @property
    def number_name(self) -> str:
        """What a person is called who has chosen no name: an address tells nobody anything, not even its first half."""
        return f"Player {self.id}"

    @property
    def is_unnamed(self) -> bool:
        """Whether this person has chosen no name yet."""
        return self.name == self.number_name

    @property
    def is_guest(self) -> bool:
        """Whether this is a person without an address, known only to one browser."""
        return self.email is None and self.bot is None and self.left is None


class Visit(Row):
    """A session: a browser in which a player is signed in. Its cookie holds the key, `key` is a hash of that."""

    __tablename__ = "visit"
    __table_args__ = (Index("visit_by_player", "player_id"),)

    key: Mapped[str] = mapped_column(String(43), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    device: Mapped[str] = mapped_column(String(200))
    """What the browser says it is."""
    began: Mapped[datetime]
    seen: Mapped[datetime]


class Match(Row):
    """One game being played. `state`: `open` until all seats are taken, then `running`, then `over` or `declined`."""

    __tablename__ = "match"
    __table_args__ = (Index("match_by_state", "state", "id"), Index("match_by_key", "key", unique=True))

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    options: Mapped[dict[str, Any]]
    seed: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(10), default="open")
    round: Mapped[int] = mapped_column(default=0)
    ply: Mapped[int] = mapped_column(default=0)
    """How many entries the log has."""
    reason: Mapped[str | None] = mapped_column(String(40))
    """Why it ended; the seats have the scores."""
    clock: Mapped[str] = mapped_column(String(120), default="none", server_default="none")
    """How seats are given time, as `service.clock.control` writes it."""
    press: Mapped[str] = mapped_column(String(20), default="private", server_default="private")
    """What players may say to each other and under which name, as `service.play.table.press` writes it."""
    substitutes: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether somebody else may take over the seat of a player who offers it or drops out."""
    teams: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether some seat is, or was, shared by several players who move in turn."""
    paused: Mapped[datetime | None]
    """When the latest pause ends, or ended, in which all clocks stand; each pause is a row of time off besides."""
    created: Mapped[datetime]
    key: Mapped[str | None] = mapped_column(String(200))
    """A sentence that is the same for every copy of the form that opened it; None where nothing can come twice."""
    moved: Mapped[datetime]
    """When something last happened that everybody may know of."""
    importer_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """Who brought it here as a record; None for a match played here."""
    importer: Mapped[Player | None] = relationship()
    seats: Mapped[list[Seat]] = relationship(order_by="Seat.number", back_populates="match", lazy="selectin")
    teammates: Mapped[list[Teammate]] = relationship(back_populates="match", cascade="all, delete-orphan")

    @property
    def places(self) -> list[Place]:
        """Every place at the table, seat by seat, those of a team in the order in which they move."""
        waiting: list[Teammate] = self.teammates if self.teams else []
        return sorted([*self.seats, *waiting], key=lambda place: (place.number, place.place or 0))

    def team(self, number: int) -> list[Place]:
        """The places that share a seat, in the order in which they move; one in the ordinary case."""
        return [place for place in self.places if place.number == number]

    def place_of(self, player_id: int | None, seat: int | None = None) -> Place | None:
        """The place of a player: the seat itself while it is theirs to move with, else that of a teammate.

        A bot may have several, and so may who has claimed what a guest had; a place at `seat` is preferred.
        """
        everybody: list[Place] = [*self.seats, *(self.teammates if self.teams else [])]
        theirs = [place for place in everybody if player_id is not None and place.player_id == player_id]
        return next((place for place in theirs if place.number == seat), theirs[0] if theirs else None)


class Place:
    """What is a player's own of a place at the table: a seat has that of its one player, or of whose turn it is in its
    team, and each of the others has a `Teammate`."""

    if TYPE_CHECKING:
        match_id: Mapped[int]
        number: Mapped[int]
        match: Mapped[Match]

    place: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    """The how manieth of the team this is, from 0; it stays with its player."""
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    accepted: Mapped[bool] = mapped_column(default=False)
    post: Mapped[str] = mapped_column(String(10), default="", server_default="")
    """When the player wants emails about this match: one of `preferences.HERE`, "" for as everywhere."""
    seen: Mapped[datetime | None]
    """When a player who wants mails only about what they have not seen last looked at the match."""
    standing: Mapped[str] = mapped_column(Text, default="", server_default="")
    """What is played for the player who is late, the first of several that can be; nobody else sees it."""
    missed: Mapped[int] = mapped_column(default=0, server_default="0")
    """How many turns in a row ended without a move."""
    sought: Mapped[int | None]
    """For whom the place is to be had in a running match: a player's id, or 0 for anybody; None while it is not."""
    taken: Mapped[datetime | None]
    """When its player took it over from another; None for who had it from the beginning."""

    @declared_attr
    def player(cls) -> Mapped[Player | None]:  # noqa: N805 (SQLAlchemy gives the class)
        """Who has the place; None while it is open."""
        return relationship(lazy="joined")

    @property
    def label(self) -> str:
        """What tells this place of a match from all others, in the keys of letters."""
        return f"{self.number}.{self.place}" if self.place else f"{self.number}"


class Seat(Place, Row):
    """A side of a match and who moves for it; open to anyone while it has no player."""

    __tablename__ = "seat"
    __table_args__ = (
        Index("seat_by_player", "player_id", "to_move", "match_id"),
        Index("seat_by_deadline", "deadline"),
        Index("seat_by_reminder", "remind"),
        partial("seat_sought", "sought", where=text("sought IS NOT NULL")),
        partial("seat_by_digest", "player_id", where=DIGEST),
        partial("seat_unanswered", "player_id", where=text("accepted = false")),
    )

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """What an imported record calls the player, who may be anybody; else ""."""
    to_move: Mapped[bool] = mapped_column(default=False)
    """Whether the match waits for this seat: the player's own business in a simultaneous round."""
    awaited: Mapped[bool] = mapped_column(default=False)
    """Whether outsiders are told that it does."""
    score: Mapped[str | None] = mapped_column(String(20))
    """The part of the point won, as fraction text."""
    budget: Mapped[dict[str, Any] | None]
    """The time the seat had when its turn began, or has for its next; None where the match has no clock."""
    since: Mapped[datetime | None]
    """When the turn began that the clock is running for; None while it stands."""
    deadline: Mapped[datetime | None]
    """When time runs out if nothing happens: what follows from budget, `since` and the times off known so far."""
    remind: Mapped[datetime | None]
    """When to send the next reminder."""
    ahead: Mapped[str] = mapped_column(Text, default="", server_default="")
    """What the player has ordered ahead, as `service.play.orders.conditional` writes it; nobody else sees it."""
    match: Mapped[Match] = relationship(back_populates="seats")


class Teammate(Place, Row):
    """A player of a team, or an open place in one, while the turn is another's of the same team."""

    __tablename__ = "teammate"
    __table_args__ = (
        Index("teammate_of_match", "match_id", "number"),
        Index("teammate_by_player", "player_id", "match_id"),
        partial("teammate_sought", "sought", where=text("sought IS NOT NULL")),
        partial("teammate_open", "match_id", where=text("player_id IS NULL")),
        partial("teammate_unanswered", "player_id", where=text("accepted = false")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    number: Mapped[int]
    """Of the seat that the team shares."""
    match: Mapped[Match] = relationship(back_populates="teammates")


class TimeOff(Row):
    """A stretch of time that counts for nobody (an outage), not for a player (vacation) or not in a match (a pause)."""

    __tablename__ = "time_off"
    __table_args__ = (Index("time_off_by_end", "ends"), Index("time_off_by_player", "player_id", "begins"))

    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    begins: Mapped[datetime]
    ends: Mapped[datetime]
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"))


class Pulse(Row):
    """The one row that says when the sweep last passed: a gap is an outage."""

    __tablename__ = "pulse"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]


class IncomingMail(Row):
    """A message as it came in through any door, kept before it is acknowledged."""

    __tablename__ = "incoming_mail"
    __table_args__ = (
        partial("incoming_mail_unread", "id", where=text("verdict = 'commands'")),
        partial("incoming_mail_kept", "received", where=KEPT),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(400), unique=True)
    recipient: Mapped[str] = mapped_column(String(320))
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    kept: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether `raw` is still there."""
    received: Mapped[datetime]
    door: Mapped[str] = mapped_column(String(10))
    verdict: Mapped[str] = mapped_column(String(40))
    """`order`; `commands` until they are `obeyed`; `held` until its writer is confirmed; or why nothing came of it:
    `automatic`, `bounce`, `complaint`, `repeated`, `unknown-address`, `unreadable`, `unverified`."""
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """Who is taken to have written it."""
    network: Mapped[str] = mapped_column(String(50), default="", server_default="")
    """The network of the host that brought it, such as `203.0.113.0/24`; "" where that isn't known for certain."""


class Submission(Row):
    """An incoming order, through any door. `verdict` is None until it is judged: `accepted`, `refused`, `withdrawn`."""

    __tablename__ = "submission"
    __table_args__ = (partial("submission_unjudged", "match_id", "received", "id", where=text("verdict IS NULL")),)

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(400), unique=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    seat: Mapped[int]
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    round: Mapped[int | None]
    """The round it was meant for; None means whatever the board shows when it is judged."""
    text: Mapped[str] = mapped_column(Text)
    remark: Mapped[str] = mapped_column(Text, default="")
    door: Mapped[str] = mapped_column(String(10))
    received: Mapped[datetime]
    held: Mapped[datetime | None]
    """Until when its author may still withdraw it; it is judged after that, as of when it was received."""
    mail_id: Mapped[int | None] = mapped_column(ForeignKey("incoming_mail.id"))
    verdict: Mapped[str | None] = mapped_column(String(10))
    message: Mapped[str] = mapped_column(Text, default="")
    ply: Mapped[int | None]
    """The entry it became, or the length of the log it was refused at."""


LATE, REPLACED, AHEAD = "late", "replaced", "ahead"


class Entry(Row):
    """A judged move in the log. `round` is the round it was played in; a `private` one only its seat may see."""

    __tablename__ = "entry"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int]
    move: Mapped[str] = mapped_column(Text)
    round: Mapped[int]
    private: Mapped[bool] = mapped_column(default=False)
    fate: Mapped[str] = mapped_column(String(10), default="", server_default="")
    """LATE: the clock played it. REPLACED: a sealed choice that was not kept until its round; only its seat sees it.
    AHEAD: it was ordered ahead, which is its player's own business."""
    remark: Mapped[str] = mapped_column(Text, default="")
    back: Mapped[int | None]
    """In an entry by which the players went back: how many entries of the log still stood after it, from the first."""
    clock: Mapped[dict[str, Any] | None]
    """What the seat's clock had when the turn began that this entry ended, to be set back to."""
    played: Mapped[datetime]
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"), unique=True)
    """None in an imported match, whose moves nobody here ordered."""


class Saying(Row):
    """Something a player said to the others at the table, or with `to` to some of them."""

    __tablename__ = "saying"
    __table_args__ = (Index("saying_in_match", "match_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(400), unique=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    seat: Mapped[int]
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """Who had the seat and said it."""
    player: Mapped[Player | None] = relationship(lazy="joined")
    to: Mapped[int | None]
    """The seats that hear it, a bit for each: seat 3 is 1 << 3. None where the whole table does."""
    text: Mapped[str] = mapped_column(Text)
    said: Mapped[datetime]


class Letter(Row):
    """An outgoing message owed to a player. What it says follows from its key and `data`, so a re-send is the same."""

    __tablename__ = "letter"
    __table_args__ = (
        partial("letter_due", "due", where=text("sent IS NULL AND due IS NOT NULL")),
        Index("letter_of_player", "player_id", "sent"),
        Index("letter_about", "player_id", "match_id", "id"),
        partial("letter_given_up", "id", where=GIVEN_UP),
        partial("letter_held", "player_id", where=HELD),
        partial("letter_to_unknown_sender", "created", where=text("kind = 'unknown_sender'")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(200), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"))
    data: Mapped[dict[str, Any]]
    created: Mapped[datetime]
    due: Mapped[datetime | None]
    """When to try next; a claim moves it on by a lease, a failure by a doubling delay; None once given up."""
    attempts: Mapped[int] = mapped_column(default=0)
    held: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether the reader's next digest tells of it instead."""
    sent: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Text, default="")
