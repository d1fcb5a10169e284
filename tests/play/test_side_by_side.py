"""Two concurrent transactions on PostgreSQL: the second begins before the first has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar

import pytest
from sqlalchemy import delete, select, text, update

from service.engine.game import Illegal, OutOfTurn
from service.play import audit
from service.play.accounts import deletion, email_change, guests, passkeys, passwords, recovery, sessions
from service.play.accounts.identity import AccountError
from service.play.accounts.programs import bot_accounts
from service.play.company import event_matches, events, notices, pairing, wish_text, wishes
from service.play.inbox import run_commands
from service.play.links import Link
from service.play.match import invitations, lobby, review, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.judge import judge_oldest, judge_waiting, lock
from service.play.match.lobby import Chair
from service.play.notify import doors, preferences
from service.play.operations import failed_letters, operator_acts, retention
from service.play.operations.sweep import sweep
from service.play.outbox import calls
from service.play.pages import analysis
from service.play.ratings import recompute
from service.play.site import Site, Transaction
from service.play.table import results
from service.play.talk import comments, messages
from service.play.timekeeping import deadlines
from service.store.models import Match, Player, TimeOff
from service.store.tables.company import Notice
from service.store.tables.credentials import AddressChange, Passkey
from service.store.tables.doors import Door
from service.store.tables.events import EventMatch, EventSeat
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.player_data import Note, Variation
from tests.play.company.test_cups import cup, match_of_a_cup, running, shown, silent
from tests.play.company.test_cups import order as resign
from tests.play.company.test_pairing import player, wish
from tests.play.conftest import Town
from tests.play.ratings.test_rate import ratings
from tests.play.timekeeping.test_clocks import begin, order

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)

Result = TypeVar("Result")

WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


def side_by_side(
    town: Town,
    first: Callable[[Transaction], object],
    second: Callable[[], Result],
    then: Callable[[Transaction], object] = lambda _: None,
) -> Result:
    """Runs `first` in a transaction, and in the same transaction `then`, once `second` is done or waits for a lock.
    Returns or raises what `second` does."""
    with ThreadPoolExecutor() as pool, town.site.transaction() as tx:
        first(tx)
        tx.session.flush()
        other = pool.submit(second)
        while not (other.done() or tx.session.scalar(WAITING)):
            time.sleep(0.02)
        then(tx)
    return other.result()


def test_two_requests_for_the_same_new_address_at_once_send_its_emails_once(town: Town) -> None:
    ada, new = player(town, "ada"), "ada@new.example"
    side_by_side(town, lambda tx: email_change.ask(tx, ada, new), lambda: email_change.ask(town.site, ada, new))
    with town.store.reading() as session:
        assert len(session.scalars(select(AddressChange)).all()) == 1


def test_a_match_counts_if_a_substitute_takes_over_while_the_player_is_being_removed(town: Town) -> None:
    last = silent(town)
    ada, emil = player(town, "ada"), player(town, "emil")
    substitutes.offer(town.site, last, ada, "anybody")
    town.now += timedelta(days=3, minutes=1)
    side_by_side(town, lambda tx: substitutes.join(tx, last, emil), lambda: event_matches.look_after(town.site))
    assert shown(town).states[ada] == "out"
    with town.store.reading() as session:
        match = session.get_one(Match, last)
        assert (match.rated, match.place_of(emil) is not None) == (True, True)


def test_a_player_who_withdraws_doesnt_offer_a_seat_that_is_being_taken_over(town: Town) -> None:
    ada, emil, match_id = match_of_a_cup(town)
    substitutes.offer(town.site, match_id, ada, "emil@example.org")
    side_by_side(town, lambda tx: substitutes.join(tx, match_id, emil), lambda: events.withdraw(town.site, 1, ada))
    with town.store.reading() as session:
        seat = session.get_one(Match, match_id).seats[0]
        assert (seat.player_id, seat.sought) == (emil, None)


def test_invitations_sent_together_stay_within_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "UNANSWERED", 1)
    ada = player(town, "ada")
    bot = bot_accounts.make(town.site, ada, "Rose").id

    def invite(given: Site | Transaction, host: int, name: str) -> int:
        return lobby.open_match(given, host, "lotus", {}, [Chair("me"), Chair("email", f"{name}@example.org")])

    with pytest.raises(LobbyError, match="can have up to 1 unanswered invitations"):
        side_by_side(town, lambda tx: invite(tx, ada, "ben"), lambda: invite(town.site, bot, "cleo"))


def test_reviews_asked_for_together_stay_within_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "UNFINISHED_EACH", 1)
    matches = []
    for _ in range(2):
        ada, ben, match_id = begin(town, "3d/move")
        for who, seat, said in ((ada, 0, "e5"), (ben, 1, "resign")):
            order(town, who, match_id, seat, said)
            town.work()
        matches.append(match_id)
    with pytest.raises(OutOfTurn, match="The computer is still working on 1 reviews"):
        side_by_side(town, lambda tx: review.ask(tx, matches[0], ada), lambda: review.ask(town.site, matches[1], ada))


def test_moves_tried_together_stay_within_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, _, match_id = begin(town, "3d/move")
    analysis.attempt(town.site, match_id, ada, 0, None, "e5")
    monkeypatch.setattr(analysis, "IN_ALL", 2)

    def try_first(tx: Transaction) -> None:
        tx.session.get_one(Player, ada, with_for_update={"key_share": True})
        tx.session.add(Variation(player_id=ada, match_id=match_id, ply=0, parent_id=None, seat=0, move="g7"))

    with pytest.raises(Illegal, match="You've tried 2 moves in all your matches"):
        side_by_side(town, try_first, lambda: analysis.attempt(town.site, match_id, ada, 0, None, "f6"))


def test_an_event_doesnt_note_the_result_of_a_match_that_is_being_annulled(town: Town) -> None:
    cup(town)
    sweep(town.site)
    match_id = running(town)[0]
    resign(town, match_id, 0, "resign")
    side_by_side(town, lambda tx: recompute.annul(tx, match_id), lambda: event_matches.look_after(town.site))
    with town.store.reading() as session:
        row = session.scalars(select(EventMatch).where(EventMatch.match_id == match_id)).one()
        shares = session.scalars(select(EventSeat.share).where(EventSeat.number == row.number)).all()
    assert (row.noted, row.void, shares) == (True, True, [None, None])


def test_players_who_invite_each_other_dont_deadlock(town: Town) -> None:
    ada, ben = player(town, "ada"), player(town, "ben")

    def invite(given: Site | Transaction, host: int, guest: int) -> int:
        chairs = [Chair("me"), Chair("player", player_id=guest)]
        return lobby.open_match(given, host, "lotus", {}, chairs, key=f"web:{host}:1")

    side_by_side(
        town,
        lambda tx: lobby.opened(tx, ada, f"web:{ada}:1"),
        lambda: invite(town.site, ben, ada),
        lambda tx: invite(tx, ada, ben),
    )


@pytest.mark.parametrize("again", [True, False])
def test_changing_or_answering_a_wish_that_is_being_answered_doesnt_deadlock(town: Town, again: bool) -> None:
    ids = [wish(town, name, "lotus") for name in ("ada", "ben")]
    cleo = wish(town, "cleo", "go, lotus")

    def lock_wishes(tx: Transaction) -> None:
        pairing._locked(tx, "lotus", [*ids, cleo])

    def other() -> object:
        if again:
            return wishes.make(town.site, ids[0], wish_text.read("lotus, go"))
        return pairing.meet(town.site, cleo, "lotus", "key", ids[0])

    def begin_matches(tx: Transaction) -> None:
        for two in ((ids[0], ids[1]), (ids[1], cleo)):
            pairing._begin(tx, "lotus", two, 3 * 86_400, True)

    side_by_side(town, lock_wishes, other, begin_matches)


def test_two_players_who_have_just_been_paired_dont_begin_a_second_match_of_the_game(town: Town) -> None:
    ids = [wish(town, name, "lotus up to 3") for name in ("ada", "ben")]

    def begin_match(tx: Transaction) -> None:
        assert pairing._locked(tx, "lotus", ids)
        pairing._begin(tx, "lotus", ids, 3 * 86_400, True)

    with pytest.raises(LobbyError, match="Nobody you could play"):
        side_by_side(town, begin_match, lambda: pairing.meet(town.site, ids[1], "lotus", "key", ids[0]))


@pytest.mark.parametrize("goes", [True, False])
def test_banning_or_deleting_a_player_whose_wish_is_being_answered_doesnt_deadlock(town: Town, goes: bool) -> None:
    ids = [wish(town, name, "lotus") for name in ("ada", "ben")]

    def end() -> None:
        if goes:
            deletion.leave(town.site, ids[0])
        else:
            operator_acts.ban(town.site, ids[1], ids[0], "Spam.", None)

    side_by_side(
        town,
        lambda tx: pairing._locked(tx, "lotus", ids),
        end,
        lambda tx: pairing._begin(tx, "lotus", ids, 3 * 86_400, True),
    )
    assert wishes.shown(town.site, ids[0]) is None


def test_deleting_a_player_who_is_just_changing_their_wish_doesnt_deadlock(town: Town) -> None:
    ada = wish(town, "ada", "lotus")

    def lock_player(tx: Transaction) -> None:
        tx.session.get_one(Player, ada, with_for_update={"key_share": True})

    side_by_side(
        town,
        lock_player,
        lambda: deletion.leave(town.site, ada),
        lambda tx: wishes.make(tx, ada, wish_text.read("lotus, go")),
    )
    assert wishes.shown(town.site, ada) is None


def test_deleting_a_player_whose_email_is_just_being_obeyed_doesnt_deadlock(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _, match_id = begin(town, "3d/move")
    monkeypatch.setattr(town, "work", lambda: None)
    town.write("ada@example.org", f"comment {match_id} Hm\nzone Europe/Berlin\nlist")
    with town.store.reading() as session:
        mail_id, by = session.execute(select(IncomingMail.id, IncomingMail.player_id)).one()
        assert (by, session.get_one(IncomingMail, mail_id).verdict) == (ada, "commands")
    side_by_side(
        town,
        lambda tx: tx.session.get_one(IncomingMail, mail_id, with_for_update=True),
        lambda: deletion.leave(town.site, ada),
        lambda tx: run_commands._obey(tx, mail_id),
    )
    with town.store.reading() as session:
        assert session.get_one(Player, ada).left == town.now
        assert session.get_one(IncomingMail, mail_id).verdict == "forgotten"


def test_claiming_the_match_of_a_guest_while_it_ends_doesnt_deadlock(town: Town) -> None:
    ada, ben = player(town, "ada"), player(town, "ben")
    guest = guests.enter(town.site, "key", "a browser").id
    match_id = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("open")])
    substitutes.join(town.site, match_id, guest)
    order(town, ada, match_id, 0, "resign")

    def claim() -> None:
        with town.store.writing() as session:
            guests.claim(session, guest, ben)

    locked: list[Match] = []
    side_by_side(
        town,
        lambda tx: locked.append(lock(tx.session, match_id)),
        claim,
        lambda tx: judge_oldest(tx, locked[0]),
    )
    with town.store.reading() as session:
        assert results.of_player(session, ben)["lotus"].won == 1


def test_an_address_to_which_somebody_writes_just_now_isnt_forgotten(town: Town) -> None:
    ada, ben = player(town, "ada"), player(town, "ben")
    with town.store.writing() as session:
        session.get_one(Player, ben).post = "instant"
    town.now += timedelta(days=4_000)
    chairs = [Chair("me"), Chair("email", "ben@example.org")]
    side_by_side(
        town,
        lambda tx: lobby.open_match(tx, ada, "lotus", {}, chairs),
        lambda: retention.forget_unconfirmed(town.site),
    )
    with town.store.reading() as session:
        assert session.get_one(Player, ben).email == "ben@example.org"


def test_taking_back_an_account_while_a_change_of_its_address_falls_due_doesnt_deadlock(town: Town) -> None:
    """Every change that is still to be made is called off, once the player is locked."""
    ada = change_due(town)
    locked = list[Player]()

    def lock_player(tx: Transaction) -> None:
        locked.append(tx.session.get_one(Player, ada, with_for_update=True))

    side_by_side(
        town,
        lock_player,
        lambda: email_change.make_due(town.site),
        lambda tx: recovery.shut_out(tx, locked[0]),
    )
    assert emails(town, ada) == "ada@example.org"


def test_an_account_isnt_taken_back_by_halves_while_a_change_of_its_address_falls_due(town: Town) -> None:
    ada = change_due(town)
    with town.store.reading() as session:
        token = recovery.link(town.site, session.get_one(Player, ada), town.now).rpartition("/")[2]
    with pytest.raises(AccountError, match="now has another email address"):
        side_by_side(
            town,
            lambda tx: tx.session.get_one(Player, ada, with_for_update=True),
            lambda: recovery.recover(town.site, token),
            lambda tx: email_change._make(tx, tx.session.get_one(AddressChange, 1, with_for_update=True)),
        )
    assert emails(town, ada) == "eve@evil.example"


def test_adding_a_hook_again_that_is_just_being_switched_off_doesnt_deadlock(town: Town) -> None:
    """Its player is owed an email."""
    ada, address = player(town, "ada"), "https://bot.example.org/stonepost"
    door = doors.add_hook(town.site, ada, address, "standard", ["turn"])
    found = list[Door]()
    again = side_by_side(
        town,
        lambda tx: found.append(tx.session.get_one(Door, door.id, with_for_update=True)),
        lambda: doors.add_hook(town.site, ada, address, "standard", ["turn"]),
        lambda tx: calls._switch_off(tx, found[0]),
    )
    assert (again.id, again.off) == (door.id, None)


def test_taking_back_an_account_whose_hook_is_just_being_switched_off_doesnt_deadlock(town: Town) -> None:
    """Its player is owed an email."""
    ada = player(town, "ada")
    door = doors.add_hook(town.site, ada, "https://bot.example.org/stonepost", "standard", ["turn"])
    with town.store.reading() as session:
        token = recovery.link(town.site, session.get_one(Player, ada), town.now).rpartition("/")[2]
    found = list[Door]()
    side_by_side(
        town,
        lambda tx: found.append(tx.session.get_one(Door, door.id, with_for_update=True)),
        lambda: recovery.recover(town.site, token),
        lambda tx: calls._switch_off(tx, found[0]),
    )
    assert not doors.of(town.site, ada)


def test_the_old_address_takes_an_account_back_whose_hook_is_just_being_switched_off(town: Town) -> None:
    """Its player is owed an email, which would deadlock."""
    ada = change_due(town)
    door = doors.add_hook(town.site, ada, "https://eve.example/stonepost", "standard", ["turn"])
    email_change.make_due(town.site)
    token = Link.OBJECT_ADDRESS.token(town.site, 1)
    found = list[Door]()
    side_by_side(
        town,
        lambda tx: found.extend(filter(None, [calls._locked(tx, door)])),
        lambda: email_change.refuse(town.site, token),
        lambda tx: calls._switch_off(tx, found[0]),
    )
    assert (emails(town, ada), doors.of(town.site, ada)) == ("ada@example.org", [])


def test_notices_are_switched_off_while_one_is_owed_without_a_deadlock(town: Town) -> None:
    ada = player(town, "ada")
    preferences.choose_notices(town.site, ada, ["rosette"])
    town.now += timedelta(minutes=1)
    wish(town, "ben", "rosette")
    town.now += notices.PATIENCE + timedelta(minutes=1)
    kept = select(Notice).where(Notice.player_id == ada)
    side_by_side(
        town,
        lambda tx: tx.session.scalars(kept.with_for_update()).all(),
        lambda: preferences.choose_notices(town.site, ada, []),
        lambda tx: notices._tell(tx, ada),
    )
    assert preferences.notices_of(town.site, ada) == ()
    with town.store.reading() as session:
        assert session.scalars(select(Letter.kind).where(Letter.player_id == ada)).all() == ["openings"]


def change_due(town: Town) -> int:
    """Ada, of whose address somebody has asked for a change that falls due now."""
    ada = player(town, "ada")
    about = {"player_id": ada, "old": "ada@example.org", "new": "eve@evil.example", "proven": True}
    with town.store.writing() as session:
        session.get_one(Player, ada).email = "ada@example.org"
        session.add(AddressChange(asked=town.now, confirmed=town.now, due=town.now, **about))
    town.now += timedelta(minutes=1)
    return ada


def emails(town: Town, player_id: int) -> str | None:
    """The address of a player."""
    with town.store.reading() as session:
        return session.get_one(Player, player_id).email


def test_a_match_can_be_annulled_while_all_ratings_are_computed_again(town: Town) -> None:
    ada, ben, match_id = begin(town, "3d/move")
    for who, seat, said in ((ada, 0, "e5"), (ben, 1, "f6"), (ada, 0, "resign")):
        order(town, who, match_id, seat, said)
        town.work()
    assert side_by_side(
        town,
        lambda tx: recompute._be_alone(tx.session),
        lambda: recompute.annul(town.site, match_id),
        lambda tx: recompute._again(tx.session),
    )
    assert recompute.again(town.site) == 0


def test_ratings_follow_the_order_in_which_matches_were_rated(town: Town) -> None:
    """The judging of the first match begins before that of the second, and it's rated after it."""
    matches = [begin(town, "3d/move") for _ in range(2)]
    for ada, ben, match_id in matches:
        for who, seat, said in ((ada, 0, "e5"), (ben, 1, "f6")):
            order(town, who, match_id, seat, said)
            town.work()
    for (ada, ben, match_id), seat in zip(matches, (0, 1), strict=True):
        order(town, (ada, ben)[seat], match_id, seat, "resign")
    (_, _, one), (_, _, other) = matches

    def judge_first(tx: Transaction) -> None:
        lock(tx.session, one)
        assert tx.now == town.now
        town.now += town.pace

    def judge_later(tx: Transaction) -> None:
        town.now += town.pace
        judge_oldest(tx, lock(tx.session, one))

    side_by_side(town, judge_first, lambda: judge_waiting(town.site, other), judge_later)
    before = {key: row.rating for key, row in ratings(town).items()}
    recompute.again(town.site)
    assert {key: row.rating for key, row in ratings(town).items()} == before


def test_a_day_of_vacation_spent_by_two_sweeps_at_once_counts_in_both_matches(town: Town) -> None:
    town.pace = timedelta()
    (ada, _, one), (*_, other) = begin(town, "3d/move"), begin(town, "3d/move")
    with town.store.writing() as session:
        session.get_one(Player, ada).vacation = True
    town.now += timedelta(days=3, minutes=1)

    def ring() -> None:
        with town.site.transaction() as tx:
            deadlines._ring(tx, other, 0)

    side_by_side(town, lambda tx: deadlines._ring(tx, one, 0), ring)
    town.work()
    with town.store.reading() as session:
        assert [session.get_one(Match, number).state for number in (one, other)] == ["running"] * 2
        assert len(session.scalars(select(TimeOff)).all()) == 1


def test_who_signs_in_with_a_password_while_it_is_removed_is_shut_out_too(town: Town) -> None:
    ada = player(town, "ada")
    sessions.begin(town.site, ada, "Chromium")
    passwords.keep(town.site, ada, "umber lantern otter", "nonce")

    def shut_out() -> None:
        with town.site.transaction() as tx:
            recovery.shut_out(tx, tx.session.get_one(Player, ada))

    def begin_slowly(tx: Transaction, player_id: int) -> None:
        sessions.begin(tx, player_id, "Firefox")
        tx.session.flush()
        others.append(pool.submit(shut_out))
        while not (others[0].done() or tx.session.scalar(WAITING)):
            time.sleep(0.02)

    others: list[Future[None]] = []
    with ThreadPoolExecutor() as pool:
        passwords.sign_in(town.site, "ada@example.org", "umber lantern otter", begin=begin_slowly)
    others[0].result()
    assert not sessions.of(town.site, ada)


@pytest.mark.parametrize("by", ["password", "passkey"])
def test_who_signs_in_while_an_account_is_taken_back_is_shut_out_without_a_deadlock(
    town: Town, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who takes an account back locks its player, whose key a new session needs."""
    ada = player(town, "ada")
    passwords.keep(town.site, ada, "umber lantern otter", "nonce")
    with town.store.writing() as session:
        session.add(Passkey(player_id=ada, credential="c", public_key=b"", uses=0, name="Phone", made=town.now))
    with town.store.reading() as session:
        token = recovery.link(town.site, session.get_one(Player, ada), town.now).rpartition("/")[2]
        proven = session.scalars(select(Passkey)).one(), 1
    monkeypatch.setattr(passkeys, "_proven", lambda *_: proven)

    def begin_slowly(tx: Transaction, player_id: int) -> None:
        others.append(pool.submit(lambda: recovery.recover(town.site, token)))
        while not (others[0].done() or tx.session.scalar(WAITING)):
            time.sleep(0.02)
        sessions.begin(tx, player_id, "Firefox")

    others: list[Future[None]] = []
    with ThreadPoolExecutor() as pool:
        if by == "password":
            passwords.sign_in(town.site, "ada@example.org", "umber lantern otter", begin=begin_slowly)
        else:
            passkeys.sign_in(town.site, "", "challenge", begin=begin_slowly)
    others[0].result()
    assert not sessions.of(town.site, ada)


def test_two_notes_saved_together_are_both_accepted(town: Town) -> None:
    ada, _, match_id = begin(town, "3d/move")
    for former in ("", "Corner first"):
        messages.keep_note(town.site, match_id, ada, former)

        def write(tx: Transaction) -> None:
            tx.session.execute(delete(Note))
            tx.session.add(Note(player_id=ada, match_id=match_id, text="Edge first"))

        side_by_side(town, write, lambda: messages.keep_note(town.site, match_id, ada, "Centre first"))
        assert messages.heard(town.site, match_id, ada).note in ("Edge first", "Centre first")


def test_a_letter_that_one_operator_drops_isnt_sent_because_another_tries_all_again(town: Town) -> None:
    letter = {"key": "said:1", "kind": "said", "data": {}, "player_id": player(town, "ada"), "created": town.now}
    with town.store.writing() as session:
        session.add(Letter(**letter, error="550 no"))

    def drop(tx: Transaction) -> None:
        tx.session.execute(update(Letter).values(error=""))

    assert side_by_side(town, drop, lambda: failed_letters.again(town.site)) == 0
    with town.store.reading() as session:
        assert session.scalars(select(Letter.due).where(Letter.key == "said:1")).one() is None


def test_two_operators_who_remove_a_comment_leave_one_line_in_the_log(town: Town) -> None:
    ada, ben, match_id = begin(town, "3d/move")
    order(town, ben, match_id, 1, "resign")
    town.work()
    comments.add(town.site, match_id, ben, 0, "Rude", "key")

    def remove(given: Site | Transaction) -> bool:
        return comments.remove(given, match_id, 1, ada, is_operator=True)

    assert side_by_side(town, remove, lambda: remove(town.site))
    assert [line.text for line in audit.lines(town.site)] == ["Rude"]
