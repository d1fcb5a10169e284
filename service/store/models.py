"""The main tables. A match is its options and its log of entries; positions are replayed, never stored."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, Text, false, text, true
from sqlalchemy.orm import Mapped, declared_attr, mapped_column, relationship

from service.store.rows import Row, partial

DIGEST = text("post = 'digest'")
LEAVING = text("leaves IS NOT NULL")
OWNED = text("owner_id IS NOT NULL")
WATCHED = text("practice = false")
IMPORTED = text("importer_id IS NOT NULL")
TO_PACK = text("state = 'over' AND log IS NULL")
UNCONFIRMED = text("email IS NOT NULL AND confirmed IS NULL")
READS_GAZETTE = text("gazette IS NOT NULL")
"""Conditions of partial indexes. A query must repeat the condition word for word to be sure to use the index."""


class Player(Row):
    """A person or a bot. A person who has only been invited has an address, but no visit yet."""

    __tablename__ = "player"
    __table_args__ = (
        partial("player_by_digest", "id", where=DIGEST),
        Index("player_by_name", "name_key", unique=True),
        partial("player_leaving", "leaves", where=LEAVING),
        partial("player_unconfirmed", "created", where=UNCONFIRMED),
        partial("player_by_owner", "owner_id", where=OWNED),
        partial("player_by_gazette", "gazette", where=READS_GAZETTE),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str | None] = mapped_column(String(200).with_variant(String(200, collation="C"), "postgresql"))
    """The name in a form for comparison (`service.play.names.key`), unique and ordered by its characters. None if the
    player hasn't chosen a name."""
    email: Mapped[str | None] = mapped_column(String(254), unique=True)
    bot: Mapped[str | None] = mapped_column(String(40), unique=True)
    """Which of `service.bots` plays for this player; None for a person, and for a bot account."""
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """The person who owns this bot account; None for people, and for our own computer opponents."""
    created: Mapped[datetime]
    confirmed: Mapped[datetime | None]
    """When somebody first proved that an address is theirs; None for an address that others wrote, and for guests."""
    post: Mapped[str] = mapped_column(String(10), default="instant", server_default="instant")
    """When the player wants letters: one of `service.play.notify.preferences.CHOICES`."""
    digest_hours: Mapped[str] = mapped_column(String(80), default="18", server_default="18")
    """The hours of the player's day at which a digest goes out, such as `8 20`."""
    most: Mapped[int | None]
    """The most letters the player wants in a day; None for the limit in the settings."""
    gazette: Mapped[int | None]
    """The latest issue of the gazette that the player was owed, 0 before the first; None if they don't want it."""
    receipts: Mapped[bool] = mapped_column(default=True, server_default=true())
    bounced: Mapped[datetime | None]
    """When mail to the player began to bounce; None while it is delivered. Private."""
    bounces_known: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether others are shown that email to the player bounces. Stays until they see a move sent by email."""
    zone: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """The IANA name of the player's time zone; "" (unknown) counts as UTC."""
    vacation: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether vacation days are used before the player runs out of time."""
    look: Mapped[str] = mapped_column(String(5), default="auto", server_default="auto")
    """The colour scheme of pages: `light`, `dark`, or `auto` for the device's preference."""
    boards: Mapped[str] = mapped_column(String(8), default="classic", server_default="classic")  # see render.palette
    stones: Mapped[str] = mapped_column(String(8), default="classic", server_default="classic")
    sound: Mapped[bool] = mapped_column(default=False, server_default=false())
    at_once: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether a move made on the board is sent without a preview."""
    grace: Mapped[int] = mapped_column(default=0, server_default="0")
    """Seconds in which a move can be undone before anybody sees it."""
    feeds: Mapped[int] = mapped_column(default=0, server_default="0")
    """How often the player has replaced the addresses of their feeds. Earlier addresses no longer work."""
    coordinates: Mapped[bool] = mapped_column(default=True, server_default=true())

    leaves: Mapped[datetime | None]
    """When the account will be deleted, at its player's request; None if it won't."""
    left: Mapped[datetime | None]
    """When the account was deleted. The row has no name or address from then on."""

    @property
    def number_name(self) -> str:
        """The name shown until the player chooses one. No part of an email address is ever shown."""
        return f"Player {self.id}" if self.owner_id is None else f"Player {self.id} (bot)"

    @property
    def is_unnamed(self) -> bool:
        """Whether the player hasn't chosen a name yet."""
        return self.name == self.number_name

    @property
    def is_guest(self) -> bool:
        """Whether this is a person without an address, known only to one browser."""
        return self.email is None and not self.is_bot and self.left is None

    @property
    def is_bot(self) -> bool:
        """Whether a program plays for this player: ours, or that of a bot account."""
        return self.bot is not None or self.owner_id is not None


class Match(Row):
    """One match. `state` is `open` until all seats are taken, then `running`, then `over` or `declined`."""

    __tablename__ = "match"
    __table_args__ = (
        Index("match_by_state", "state", "id"),
        *(Index("match_by_key", "key", unique=True), Index("match_by_time", "moved")),
        partial("match_watched", "id", where=WATCHED),
        *(Index("match_by_creator", "creator_id"), partial("match_imported", "importer_id", where=IMPORTED)),
        partial("match_to_pack", "state", "moved", where=TO_PACK),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    options: Mapped[dict[str, Any]]
    seed: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(10), default="open")
    round: Mapped[int] = mapped_column(default=0)
    ply: Mapped[int] = mapped_column(default=0)
    """How many entries the log has."""
    reason: Mapped[str | None] = mapped_column(String(40))
    """Why it ended. The scores are in its seats."""
    clock: Mapped[str] = mapped_column(String(120), default="none", server_default="none")
    """The time control, as written by `service.clock.control`."""
    press: Mapped[str] = mapped_column(String(20), default="private", server_default="private")
    """Who may write to who, and under which name, as written by `service.play.table.press`."""
    substitutes: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether others may take over the seat of a player who offers it or drops out."""
    teams: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether a seat is, or has been, shared by several players who take turns."""
    rated: Mapped[bool] = mapped_column(default=False, server_default=false())
    paused: Mapped[datetime | None]
    """When the latest pause ends or ended. All clocks stop in a pause, which is also a row of TimeOff."""
    created: Mapped[datetime]
    key: Mapped[str | None] = mapped_column(String(200))
    """The same for every copy of the form that opened the match; None if it can't be opened twice."""
    moved: Mapped[datetime]
    """When the last public change happened."""
    creator_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    practice: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Who opened the match, if known, and whether it's a guest's match against the computer, which isn't listed to
    watch."""
    importer_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """The player who imported the match as a record; None for a match played here."""
    importer: Mapped[Player | None] = relationship(foreign_keys="Match.importer_id")
    log: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    """Its entries, once they are no longer rows: `service.store.entries` packs and reads them."""
    seats: Mapped[list[Seat]] = relationship(order_by="Seat.number", back_populates="match", lazy="selectin")
    teammates: Mapped[list[Teammate]] = relationship(back_populates="match", cascade="all, delete-orphan")

    @property
    def places(self) -> list[Place]:
        """All places, seat by seat, and within a team in the order in which its players move."""
        waiting: list[Teammate] = self.teammates if self.teams else []
        return sorted([*self.seats, *waiting], key=lambda place: (place.number, place.place or 0))

    def team(self, number: int) -> list[Place]:
        """The places that share a seat, in the order in which their players move. Without a team, just one."""
        return [place for place in self.places if place.number == number] if self.teams else [self.seats[number]]

    def place_of(self, player_id: int | None, seat: int | None = None) -> Place | None:
        """The place of a player: a Seat if it's theirs or their turn in a team, otherwise a Teammate.

        A bot can have several places, and so can a player who has claimed a guest's; one at `seat` is preferred.
        """
        everybody: list[Place] = [*self.seats, *(self.teammates if self.teams else [])]
        theirs = [place for place in everybody if player_id is not None and place.player_id == player_id]
        return next((place for place in theirs if place.number == seat), theirs[0] if theirs else None)


class Place:
    """What belongs to one player at the table.

    A Seat holds this for its only player or, in a team, for the player whose turn it is. Each other player of the team
    has a Teammate.
    """

    if TYPE_CHECKING:
        match_id: Mapped[int]
        number: Mapped[int]
        match: Mapped[Match]

    place: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    """Zero-based position in the team's order; it moves with the player."""
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    accepted: Mapped[bool] = mapped_column(default=False)
    post: Mapped[str] = mapped_column(String(10), default="", server_default="")
    """When the player wants emails about this match: one of `preferences.HERE`, or "" for the player's usual choice."""
    seen: Mapped[datetime | None]
    """When the player last looked at the match; only noted if they want emails just about what they haven't seen."""
    standing: Mapped[str] = mapped_column(Text, default="", server_default="")
    """A standing order: moves of which the first legal one is played if the player is late. Private."""
    missed: Mapped[int] = mapped_column(default=0, server_default="0")
    """Number of turns in a row that ended without a move."""
    sought: Mapped[int | None]
    """Who is offered the place in a running match: a player's id, or 0 for anybody. None if it isn't offered."""
    taken: Mapped[datetime | None]
    """When its player took it over; None if they have had it from the start."""
    written: Mapped[str] = mapped_column(String(254), default="", server_default="")
    turned: Mapped[bool] = mapped_column(default=False, server_default=false())
    """How the match's creator named the invited player, for them alone to see; whether the player turned the board."""

    @declared_attr
    def player(cls) -> Mapped[Player | None]:  # noqa: N805 (SQLAlchemy gives the class)
        """The player who has the place; None while it is open."""
        return relationship(lazy="joined")

    @property
    def label(self) -> str:
        """Identifies the place within its match, for the keys of letters."""
        return f"{self.number}.{self.place}" if self.place else f"{self.number}"


class Seat(Place, Row):
    """A side of a match and the player who moves for it. Anybody may join while it has no player."""

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
    """The player's name in an imported record; "" for matches played here."""
    to_move: Mapped[bool] = mapped_column(default=False)
    """Whether the match waits for this seat. Private in a simultaneous round."""
    awaited: Mapped[bool] = mapped_column(default=False)
    """Whether others are shown that the match waits for this seat."""
    score: Mapped[str | None] = mapped_column(String(20))
    """The share of the point won, as a fraction such as `1/2`."""
    budget: Mapped[dict[str, Any] | None]
    """The time left at the start of the current or next turn, and while the clock runs, the player's zone when it was
    started; None if the match has no clock."""
    since: Mapped[datetime | None]
    """When the current turn began; None while the clock is stopped."""
    deadline: Mapped[datetime | None]
    """When time runs out, calculated from `budget`, `since` and the TimeOff known so far."""
    remind: Mapped[datetime | None]
    """When to send the next reminder."""
    ahead: Mapped[str] = mapped_column(Text, default="", server_default="")
    """The player's conditional moves, as written by `service.play.orders.conditional`. Private."""
    match: Mapped[Match] = relationship(back_populates="seats")


class Teammate(Place, Row):
    """A place in a team whose turn it isn't: a player's, or open."""

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
    """The number of the seat that the team shares."""
    match: Mapped[Match] = relationship(back_populates="teammates")


class TimeOff(Row):
    """A time in which clocks are stopped: everybody's (an outage), one player's (a day of vacation), one match's (a
    pause), or one player's in one match (a day of vacation that nobody else may notice)."""

    __tablename__ = "time_off"
    __table_args__ = (Index("time_off_by_end", "ends"), Index("time_off_by_player", "player_id", "begins"))

    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    begins: Mapped[datetime]
    ends: Mapped[datetime]
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"))


class Submission(Row):
    """An incoming order. `verdict` is None until it is judged, then `accepted`, `refused` or `withdrawn`."""

    __tablename__ = "submission"
    __table_args__ = (
        partial("submission_unjudged", "match_id", "received", "id", where=text("verdict IS NULL")),
        partial("submission_of_match", "match_id", where=text("verdict IS NOT NULL")),
        Index("submission_by_player", "player_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(400), unique=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    seat: Mapped[int]
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    round: Mapped[int | None]
    """The round it was meant for; None for the round in which it is judged."""
    kind: Mapped[str] = mapped_column(String(20), default="", server_default="")
    """What `text` orders: the kind of a class in `service.mail.grammar.orders`."""
    text: Mapped[str] = mapped_column(Text)
    remark: Mapped[str] = mapped_column(Text, default="")
    door: Mapped[str] = mapped_column(String(10))
    received: Mapped[datetime]
    held: Mapped[datetime | None]
    """Until when its sender can withdraw it. It is judged after that, but the clock counts the time of receipt."""
    mail_id: Mapped[int | None] = mapped_column(ForeignKey("incoming_mail.id"))
    verdict: Mapped[str | None] = mapped_column(String(10))
    message: Mapped[str] = mapped_column(Text, default="")
    code: Mapped[str] = mapped_column(String(20), default="", server_default="")
    """The kind of MoveError for which it was refused, "" if by a mistake in Stonepost; `replaced` if it was withdrawn
    because its player sent another move; otherwise ""."""
    ply: Mapped[int | None]
    """The ply of the entry it became or, if refused, the length of the log at that time."""


LATE, REPLACED, AHEAD = "late", "replaced", "ahead"


class Entry(Row):
    """A judged move in the log. `round` is the round it was played in. Only its own seat may see a `private` one."""

    __tablename__ = "entry"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int]
    move: Mapped[str] = mapped_column(Text)
    round: Mapped[int]
    private: Mapped[bool] = mapped_column(default=False)
    fate: Mapped[str] = mapped_column(String(10), default="", server_default="")
    """LATE: played by the clock. REPLACED: a sealed choice that another replaced; only its seat sees it. AHEAD: played
    as a conditional move, which only its player sees."""
    remark: Mapped[str] = mapped_column(Text, default="")
    back: Mapped[int | None]
    """For a takeback: how many entries, counted from the first, are still valid after it. None for moves."""
    clock: Mapped[dict[str, Any] | None]
    """The seat's budget when the turn began that this entry ended, for a takeback to restore."""
    played: Mapped[datetime]
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"), unique=True)
    """None in an imported match."""
