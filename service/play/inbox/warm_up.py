"""Plays a move of each game in memory, so that the first real one doesn't wait for what is built on first use."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import func, select

from service.config import Settings
from service.games import GAMES
from service.mail import reply_address
from service.mail.reply_address import ReplyAddress
from service.play.accounts import identity
from service.play.inbox.receive import receive
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.outbox.deliver import judge_and_send
from service.play.site import Site, Task
from service.play.table import replay
from service.store.models import Match
from service.store.rows import Row
from service.store.session import Store
from service.store.tables.mail_rows import PostedMail


def rehearse(settings: Settings) -> int:
    """Plays the first move of each game by email, all in memory; returns how many letters that wrote.

    Statements, templates and the pictures of stones are then ready, here and in every process forked off afterwards.
    """
    store = Store("sqlite://")
    Row.metadata.create_all(store.engine)
    site = Site(replace(settings, smtp_url="", mail_trust="token", log_orders=False), store, _unheard)
    try:
        for game in GAMES:
            _play(site, game)
        with store.reading() as session:
            return session.scalar(select(func.count()).select_from(PostedMail)) or 0
    finally:
        store.close()
        replay.forget()


def _unheard(task: Task, subject: int) -> None:
    del task, subject


def _play(site: Site, game: str) -> None:
    addresses = [f"{number}@rehearsal.invalid" for number in range(GAMES[game].min_seats)]
    with site.transaction() as tx:
        players = [identity.by_email(tx.session, email, tx.now).id for email in addresses]
    match_id = lobby.open_match(site, players[0], game, {}, [Chair("me"), *(Chair("email", e) for e in addresses[1:])])
    for player in players[1:]:
        invitations.answer(site, match_id, player, accept=True)
    with site.store.reading() as session:
        position = replay.position(session, session.get_one(Match, match_id))
    seat = position.turns[0]
    back = reply_address.write(site.settings.secret, ReplyAddress(players[seat], match_id, seat, position.round))
    receive(site, f"From: {addresses[seat]}\n\n{next(iter(position.moves(seat)))}\n".encode(), [f"{back}@x"], "smtp")
    judge_and_send(site, match_id)
