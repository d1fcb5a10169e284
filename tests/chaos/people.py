"""Players who learn of their turn only by email, and answer by email or on the web until that is acknowledged."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parseaddr
from functools import partial
from random import Random
from threading import Event, Lock, Thread
from typing import Any

from service.games import GAMES
from service.mail import reply_address
from service.play.accounts import identity
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.models import Player
from tests.chaos.ledger import Ledger, Order, Table
from tests.chaos.relay import Relay
from tests.processes.deployment import Deployment
from tests.processes.players import Browser, deliver, insist, message

SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (("rosette", {"base": "5"}), ("go", {"size": "13"}), ("lotus", {}))
"""Games, and their options."""

ON_THE_WEB = 3
"""One in this many players moves on the web."""

TWICE, SECOND_THOUGHTS, OVERTAKEN = 0.1, 0.04, 0.04
"""The share of orders that are sent twice; that another order contradicts immediately; and that a copy or another order
follows only after some more orders."""

HELD_UP = 10
"""The most emails that are held up at a time."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect acknowledges an order; it isn't followed."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class People:
    """All players. `hands` is how many can act at the same time."""

    deployment: Deployment
    relay: Relay
    seed: int
    most: int
    """How many orders they send altogether."""
    hands: int = 8
    ledger: Ledger = field(default_factory=Ledger)
    over: Event = field(default_factory=Event)
    failures: list[Exception] = field(default_factory=list)
    _browsers: dict[str, Browser] = field(default_factory=dict)
    _held_up: deque[Callable[[], None]] = field(default_factory=deque)
    _given: int = 0
    _lock: Lock = field(default_factory=Lock)

    def sit_down(self, players: int, matches: int) -> None:
        """Gives all players accounts, those on the web a browser, and starts matches between them."""
        site, chance = self.deployment.site, Random(self.seed)
        addresses = [f"p{number}@example.org" for number in range(players)]
        with site.transaction() as tx:
            ids = {address: identity.by_email(tx.session, address, tx.now).id for address in addresses}
            for number, player in enumerate(ids.values()):
                tx.session.get_one(Player, player).receipts = number % 4 == 0
        for number in range(matches):
            game, options = SETTINGS[number % len(SETTINGS)]
            one, other = chance.sample(addresses, 2)
            match = lobby.open_match(site, ids[one], game, options, [Chair("me"), Chair("email", other)])
            invitations.answer(site, match, ids[other], accept=True)
            self.ledger.tables[match] = Table(match, (one, other), GAMES[game].start(2, **options))
        for number, address in enumerate(addresses[::ON_THE_WEB]):
            browser = Browser(self.deployment, ip=f"10.0.{number // 250}.{number % 250}")
            self._browsers[address] = browser.sign_in(address)

    @property
    def acknowledged(self) -> int:
        return len(self.ledger.acknowledged)

    @property
    def busy(self) -> bool:
        """Whether an order isn't acknowledged yet."""
        return len(self.ledger.ordered) > len(self.ledger.acknowledged)

    def play(self) -> list[Thread]:
        """Starts threads that answer letters until `over` is set."""
        threads = [Thread(target=self._answer_letters, daemon=True) for _ in range(self.hands)]
        for thread in threads:
            thread.start()
        return threads

    def stop(self, threads: list[Thread]) -> None:
        """Has the threads read the letters that have come, and waits for their end."""
        for _ in threads:
            self.relay.post.put(None)
        for thread in threads:
            thread.join()

    def send_all_late(self) -> None:
        """Sends the emails that are still held up."""
        while self._held_up:
            self._held_up.popleft()()

    def _answer_letters(self) -> None:
        while (come := self.relay.post.get()) is not None:
            try:
                self._read(*come)
            except Exception as error:
                self.failures.append(error)
                self.over.set()
                raise

    def _read(self, reader: str, letter: Message) -> None:
        """Answers a letter about a turn; other letters need no answer."""
        if str(letter["Feedback-ID"]).split(":")[1] != "turn":
            return
        to = parseaddr(str(letter["Reply-To"]))[1]
        meant = reply_address.read(self.deployment.site.settings.secret, to)
        table = None if meant is None else self.ledger.tables.get(meant.match)
        if meant is None or table is None:
            return  # The letter is about a match of other players.
        self.ledger.told.add((meant.match, meant.round, reader))
        if not self.over.is_set():
            self._move(table, meant.seat, meant.round, reader, to)

    def _move(self, table: Table, seat: int, round_: int, player: str, to: str) -> None:
        chance = Random(f"{self.seed}:{table.match}:{round_}")
        with table.lock:
            position = table.position
            is_due = position.round == round_ and seat in position.turns
            moves = [move for move in position.moves(seat) if move != "pass"] if is_due else []
            if not moves or not self._may_give_one_more():
                return  # The letter may be a copy that has been answered.
            order = Order(table.match, seat, round_, chance.choice(moves))
            self.ledger.ordered.add(order)
            if player in self._browsers:
                self._click(self._browsers[player], order, chance)
            else:
                self._write(player, to, order, chance, moves)
            self.ledger.acknowledged.add(order)
            table.position = position.play(seat, order.move)

    def _may_give_one_more(self) -> bool:
        with self._lock:
            if self._given == self.most:
                self.over.set()
                return False
            self._given += 1
            return True

    def _write(self, player: str, to: str, order: Order, chance: Random, moves: list[str]) -> None:
        """Sends an order by email, and maybe a copy or a contradicting order, now or later."""
        raw, others = message(player, to, order.move), [move for move in moves if move != order.move]
        self._mail(player, to, raw)
        if chance.random() < TWICE:
            self._mail(player, to, raw, lmtp=True)
        if chance.random() < OVERTAKEN:
            self._held_up.append(lambda: self._mail(player, to, raw))
        if others:
            contradict = partial(self._contradict, player, to, order._replace(move=chance.choice(others)))
            if chance.random() < SECOND_THOUGHTS:
                contradict()
            elif chance.random() < OVERTAKEN:
                self._held_up.append(contradict)
        if len(self._held_up) > HELD_UP:
            self._held_up.popleft()()

    def _contradict(self, player: str, to: str, order: Order) -> None:
        """Emails another order for a round that has been answered."""
        self._mail(player, to, message(player, to, order.move))
        self.ledger.late.add(order)

    def _mail(self, player: str, to: str, raw: bytes, *, lmtp: bool = False) -> None:
        port = self.deployment.ports["LMTP_PORT" if lmtp else "SMTP_PORT"]
        insist(lambda: deliver(port, player, to, raw, lmtp=lmtp))

    def _click(self, browser: Browser, order: Order, chance: Random) -> None:
        """Sends an order on the page of the match, and maybe presses the button twice."""
        page = f"/match/{order.match}"
        forms: list[dict[str, str]] = []
        insist(lambda: forms.append(browser.form(page, f"{page}/order") | {"text": order.move}))
        for _ in range(2 if chance.random() < TWICE else 1):
            insist(lambda: self._send_form(browser, f"{page}/order", forms[0]))

    def _send_form(self, browser: Browser, path: str, fields: dict[str, str]) -> None:
        try:
            browser.open(path, fields, _Stay())
        except urllib.error.HTTPError as answer:
            if answer.code != 303:
                raise
        else:
            raise OSError("the order wasn't accepted")
