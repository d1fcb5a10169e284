"""What a stranger can do: invitations and sign-in links are limited, and answers reveal nothing about others."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from sqlalchemy import func, select

from service.play.accounts import guests, identity
from service.play.accounts.programs import bot_accounts
from service.play.letter_kinds import SignIn
from service.play.match import invitations, lobby, rematch, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.pages import feeds, match_lists, match_page, profiles
from service.play.pages.profiles import Search
from service.play.talk import happenings, moderation
from service.store.models import Match, Player, Seat
from service.store.tables.credentials import AddressChange
from service.store.tables.mail_rows import Letter
from tests.cases import cases
from tests.play.conftest import Town, plain, whole
from tests.play.inbox.test_run_commands import ADA, BEN, answer
from tests.play.timekeeping.test_clocks import order, player

DAY = timedelta(days=1)


def links(town: Town) -> int:
    """How many sign-in links have been owed so far."""
    with town.store.reading() as session:
        return session.scalar(select(func.count()).where(Letter.kind == "sign_in")) or 0


MINUTES = cases(12, full=4)
"""Minutes from one request to the next."""


@pytest.mark.parametrize("pages", [1, 7], ids=["the front page", "other pages each time"])
def test_the_owner_of_an_address_always_has_a_valid_link_no_matter_who_asks_for_links(town: Town, pages: int) -> None:
    """At every moment of a day in which somebody asks again and again; then at most one email is sent in 15 minutes."""
    for minute in range(0, 24 * 60, MINUTES):
        for number in range(2):
            page = (minute // MINUTES + number) % pages
            identity.ask_sign_in(town.site, ADA, wanted=f"/match/{page}" if page else "")
        with town.store.reading() as session:
            latest = session.scalars(select(Letter).where(Letter.kind == "sign_in").order_by(Letter.id.desc())).first()
        assert latest is not None
        assert latest.created + identity.LINK_LIFE >= town.now + identity.LINK_REST, minute
        town.queue.clear()
        town.now += timedelta(minutes=MINUTES)
    assert links(town) <= 20 + 24 * 4
    identity.ask_sign_in(town.site, BEN)
    assert links(town) <= 20 + 24 * 4 + 1


def test_a_link_with_a_strangers_guest_or_page_doesnt_stand_in_for_the_owners(town: Town) -> None:
    """After the first links, all are without a guest or a page, and only such a link can stand in for a new one."""
    guest = guests.enter(town.site, "key", "Firefox").id
    for number in range(9):
        identity.ask_sign_in(town.site, ADA, *((guest, "") if number % 2 else (None, f"/match/{number}")))
    assert links(town) == 6
    with town.store.reading() as session:
        letters = session.scalars(select(Letter).where(Letter.kind == "sign_in").order_by(Letter.id)).all()
        kept = [(link.guest, link.wanted) for link in (SignIn.from_json(one.data) for one in letters)]
    assert [one == (None, "") for one in kept] == [False] * 5 + [True]
    identity.ask_sign_in(town.site, ADA)
    assert links(town) == 6


def test_nobody_gets_the_number_of_a_guest_whose_matches_a_player_has_claimed(town: Town) -> None:
    """It is in the address of the guest's feed, and in links that the guest asked for."""
    ada = player(town, ADA)
    guest = guests.enter(town.site, "key", "Firefox").id
    secret = feeds.address(town.site, guest).rpartition("/")[2]
    with town.store.writing() as session:
        guests.claim(session, guest, ada)
    later = guests.enter(town.site, "another key", "Firefox").id
    lobby.practise(town.site, later, "rosette")
    assert not feeds.waiting(town.site, secret)


def test_a_player_who_used_the_last_link_gets_another_although_somebody_asked_for_many(town: Town) -> None:
    for _ in range(9):
        identity.ask_sign_in(town.site, ADA)
        town.work()
    assert links(town) == 5
    mails = town.post()
    first, last = (re.search(r"/sign-in/(\S+)", whole(mail)) for mail in (mails[0], mails[-1]))
    assert first
    assert last
    identity.sign_in(town.site, last[1])
    identity.ask_sign_in(town.site, ADA)
    assert links(town) == 6
    identity.sign_in(town.site, first[1])


def test_the_refusal_of_an_invitation_reveals_no_address(town: Town) -> None:
    """A player who invites somebody from their page isn't shown their address, nor the name behind an address."""
    with town.store.writing() as session:
        ada, ben = (identity.by_email(session, address, town.now) for address in (ADA, BEN))
        ada.name, ben.name = "Ada", "Ben"
    lobby.open_match(town.site, ada.id, "lotus", {}, [Chair("me"), Chair("email", BEN)])
    assert rematch.invite(town.site, ada.id, ben.id, "first") == 2
    with pytest.raises(LobbyError, match=r"^Ben hasn't answered your invitation to match 2 yet\."):
        rematch.invite(town.site, ada.id, ben.id, "second")
    with pytest.raises(LobbyError, match=f"^{BEN.upper()} hasn't answered your invitation to match 1 yet"):
        lobby.open_match(town.site, ada.id, "go", {}, [Chair("me"), Chair("email", BEN.upper())])


def test_who_only_joins_a_match_can_invite_those_its_host_has_invited(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal would show who is invited, and the invitation isn't theirs. Nor does it count towards their limit."""
    ada, cleo = player(town, ADA), player(town, "cleo@example.org")
    table = [Chair("me"), Chair("open"), Chair("email", BEN)]
    match = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, table)
    substitutes.join(town.site, match, cleo)
    monkeypatch.setattr(invitations, "UNANSWERED", 1)
    assert lobby.open_match(town.site, cleo, "lotus", {}, [Chair("me"), Chair("email", BEN)])
    monkeypatch.undo()
    with pytest.raises(LobbyError, match=f"^{BEN} hasn't answered your invitation to match {match} yet"):
        lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", BEN)])


def test_the_answer_to_an_invitation_by_an_old_address_shows_only_that_address(town: Town) -> None:
    """For a week, a player is also invited by the address they have changed."""
    now = "ben@elsewhere.example"
    with town.store.writing() as session:
        ben = identity.by_email(session, BEN, town.now)
        session.add(AddressChange(player_id=ben.id, old=BEN, new=now, asked=town.now, made=town.now))
        ben.email = now
    said = " ".join(answer(town, f"new rosette vs {BEN}")[f"new rosette vs {BEN}"].split())
    assert now not in said
    assert f"An invitation goes to {BEN}." in said


def test_an_invitation_by_address_changes_nothing_on_the_page_of_the_player_who_has_the_address(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", BEN)], "1d/move")
    lobby.open_match(town.site, ada, "rosette", {}, [Chair("me"), Chair("open")], "3d/move")
    wanted = rematch.settings(town.site, ada, ben)
    assert wanted is not None
    assert (wanted.game, wanted.clock) == ("rosette", "3d/move")
    invitations.answer(town.site, 1, ben, True)
    together = rematch.settings(town.site, ada, ben)
    assert together is not None
    assert (together.game, together.clock) == ("lotus", "1d/move")


def test_a_player_can_have_one_unanswered_invitation_to_the_same_person(town: Town) -> None:
    assert answer(town, f"new rosette vs {BEN}")[f"new rosette vs {BEN}"].startswith("You opened Rosette 1")
    refused = answer(town, f"new lotus vs {BEN}")[f"new lotus vs {BEN}"]
    assert " ".join(refused.split()) == (
        f"{BEN} hasn't answered your invitation to match 1 yet. You can invite them again once they have."
    )
    assert answer(town, f"new lotus vs {BEN}", sender="carl@example.org")[f"new lotus vs {BEN}"].startswith(
        "You opened"
    )
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    invitations.answer(town.site, 1, ben, False)
    assert answer(town, f"new lotus vs {BEN}")[f"new lotus vs {BEN}"].startswith("You opened")


def test_who_has_accepted_or_taken_an_open_seat_cant_decline_the_match_for_everybody(town: Town) -> None:
    ada, ben, carl = player(town, ADA), player(town, BEN), player(town, "carl@example.org")
    chairs = [Chair("me"), Chair("email", BEN), *[Chair("open")] * 2]
    match = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, chairs)
    invitations.answer(town.site, match, ben, True)
    substitutes.join(town.site, match, carl)
    for one in (ada, ben, carl):
        with pytest.raises(LobbyError, match="already accepted"):
            invitations.answer(town.site, match, one, False)
    line = match_lists.match_line(town.site, match, None)
    assert line is not None
    assert line.state == "open"


def test_an_invitation_doesnt_reveal_whose_address_it_is_until_it_is_accepted(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    identity.rename(town.site, ben, "Ben the Great")
    chairs = [Chair("me"), Chair("email", BEN), Chair("open")]
    match = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, chairs)

    def shown(viewer: int | None) -> tuple[str, int | None]:
        line = match_lists.match_line(town.site, match, viewer)
        assert line is not None
        return line.seats[1].name, line.seats[1].player_id

    assert [shown(viewer) for viewer in (ada, None)] == [("an invited player", None)] * 2
    assert shown(ben) == ("Ben the Great", ben)
    assert profiles.search(town.site, Search("great"), ada).lines == ()
    profile = profiles.profile(town.site, ben, ada)
    assert profile is not None
    assert profile.matches.lines == ()
    invitations.answer(town.site, match, ben, True)
    assert shown(ada) == ("Ben the Great", ben)


def test_a_host_who_invited_a_name_sees_only_that_name_until_the_invitation_is_accepted(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    identity.rename(town.site, ben, "Ben")
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("player", player_id=ben)])

    def shown(viewer: int | None) -> str:
        line = match_lists.match_line(town.site, match, viewer)
        assert line is not None
        return line.seats[1].name

    assert (shown(ada), shown(None)) == ("Ben", "an invited player")
    for name in ("Zeno", "Abel"):
        identity.rename(town.site, ben, name)
        assert shown(ada) == "an invited player", "they might not want to be known as both"
    invitations.answer(town.site, match, ben, True)
    assert shown(ada) == "Abel"


def test_a_player_who_declines_an_invitation_to_their_address_stays_unknown(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    identity.rename(town.site, ben, "Ben the Great")
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", BEN)])
    invitations.answer(town.site, match, ben, False)
    town.work()
    declined = town.post()[-1]
    assert plain(declined).startswith("The player invited as White declined")
    line = match_lists.match_line(town.site, match, ada)
    assert line is not None
    assert "Ben the Great" not in str(line)


def test_an_invitation_by_a_player_without_a_name_mentions_a_match_that_both_have_finished(town: Town) -> None:
    ada, host, ben = (player(town, address) for address in (ADA, "host@example.org", BEN))
    for one, other in ((ada, host), (host, ben), (ada, ben)):
        chairs = [Chair("me"), Chair("player", player_id=other)]
        met = lobby.open_match(town.site, one, "lotus", {}, chairs)
        invitations.answer(town.site, met, other, True)
        if {one, other} != {ada, host}:
            order(town, one, met, 0, "resign")
    town.work()
    town.post()
    for address in (ADA, BEN):
        lobby.open_match(town.site, host, "go", {}, [Chair("me"), Chair("email", address)])
    town.work()
    said = {mail["To"].addresses[0].addr_spec: " ".join(plain(mail).split()) for mail in town.post()}
    asks = f"Player {host} hasn't chosen a name yet, but knows your email address"
    assert f"{asks}. " in said[ADA]
    assert f"{asks}: you met in Lotus 2. " in said[BEN]


def test_an_invitation_says_how_others_see_somebody_without_a_name_and_how_to_choose_one(town: Town) -> None:
    ada = player(town, ADA)
    for address, talk in ((BEN, "group"), ("cleo@example.com", "group-anonymous")):
        lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", address)], talk=talk)
    town.work()
    invitation, anonymous = town.post()
    named, nameless = (" ".join(plain(mail).split()) for mail in (invitation, anonymous))
    with town.store.reading() as session:
        ben = session.scalars(select(Player).where(Player.email == BEN)).one()
    number = ben.name
    seen = f"The others see you as {number}. To choose a name, write below accept, for example: name Ada"
    assert seen in named
    assert "see you as" not in nameless
    town.reply(invitation, "accept\nname Benedict")
    with town.store.reading() as session:
        assert session.get_one(Player, ben.id).name == "Benedict"
        assert session.get_one(Match, 1).state == "running"


def test_somebody_who_was_only_invited_has_no_profile(town: Town) -> None:
    ada = player(town, ADA)
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", BEN)])
    with town.store.reading() as session:
        ben = session.scalars(select(Player.id).where(Player.email == BEN)).one()
    assert profiles.profile(town.site, ben, ada) is None
    invitations.answer(town.site, match, ben, True)
    assert profiles.profile(town.site, ben, ada) is not None


def test_the_name_and_pages_of_a_guest_dont_reveal_how_many_there_are(town: Town) -> None:
    made = [guests.enter(town.site, f"key {number}", "Firefox") for number in range(5)]
    numbers = [int(guest.name.removeprefix("Guest ")) for guest in made]
    assert all(10_000 <= number < 100_000 for number in numbers)
    assert len({second - first for first, second in pairwise(numbers)}) > 1
    match = lobby.practise(town.site, made[0].id, "rosette")
    line = match_lists.match_line(town.site, match, None)
    assert line is not None
    assert {seat.player_id for seat in line.seats} & {made[0].id} == set()
    assert profiles.profile(town.site, made[0].id, None) is None


@pytest.mark.parametrize("talk", ["private", "group anonymous"])
def test_offering_a_seat_doesnt_reveal_who_plays_under_an_address(town: Town, talk: str) -> None:
    """Ben plays in the match, Carl doesn't: the answer is the same when the seat is offered to either."""
    ada, ben = player(town, ADA), player(town, BEN)
    looks = []
    for address in (BEN, "carl@example.org"):
        chairs = [Chair("me"), Chair("email", BEN)]
        match = lobby.open_match(town.site, ada, "rosette", {}, chairs, talk=talk, substitutes=True)
        invitations.answer(town.site, match, ben, True)
        town.work()
        substitutes.offer(town.site, match, ada, address)
        with pytest.raises(LobbyError, match="already offered your seat to somebody today"):
            substitutes.offer(town.site, match, ada, "dora@example.org")
        page = match_page.match_page(town.site, match, ada)
        assert page is not None
        looks.append(page.offered)
        town.post()
        town.work()
        sent = [mail["To"].addresses[0].addr_spec for mail in town.post()]
        assert sent == ([] if address == BEN else ["carl@example.org"])
    assert looks == [True, True]
    with town.store.reading() as session:
        own = session.scalars(select(Seat.sought).where(Seat.player_id == ben)).all()
    assert own == [None, None]


def invited(town: Town, email: str) -> bool:
    """Whether an invitation to this address was ever owed."""
    with town.store.reading() as session:
        letters = select(Letter.id).join(Player).where(Letter.kind == "invitation", Player.email == email)
        return session.scalars(letters).first() is not None


def test_inviting_an_address_doesnt_reveal_blocks(town: Town) -> None:
    """Ben has blocked Ada: the answer is the same as for an address that nobody has, and Ben gets no email."""
    owing, nobody = "owing@example.org", "nobody@example.org"
    moderation.set_block(town.site, player(town, BEN), player(town, ADA), True)
    answer(town, f"new lotus vs {owing}")
    answers = []
    for match, guess in ((2, BEN), (3, nobody)):
        both, alone = (f"new multigo size=5 vs {others} open" for others in (f"{guess} {owing}", guess))
        refused, opened = answer(town, both)[both], answer(town, alone)[alone]
        opened = " ".join(opened.replace(guess, "…").split())
        answers.append((refused, re.sub(rf"(Go |join |match/){match}\b", r"\1…", opened)))
    assert answers[0] == answers[1]
    assert answers[0][0].startswith("owing@example.org hasn't answered your invitation to match 1 yet.")
    assert answers[0][1].startswith("You opened Multiplayer Go … and you're playing Black. An invitation goes to ….")
    assert (invited(town, BEN), invited(town, nobody)) == (False, True)


def test_a_player_who_blocked_a_host_isnt_shown_their_invitations(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    moderation.set_block(town.site, ben, ada, True)
    begun = happenings.since(town.site, ben, happenings.waiting(town.site, ben).after).after
    town.now += timedelta(minutes=1)
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", BEN)])

    def shown() -> list[object]:
        return [
            match_lists.needing(town.site, ben),
            match_lists.next_waiting(town.site, ben, 0),
            [line.id for line in match_lists.my_matches(town.site, ben)],
            [one.match_id for one in happenings.waiting(town.site, ben).happenings],
            [one.match_id for one in happenings.since(town.site, ben, begun).happenings],
        ]

    assert shown() == [0, None, [], [], []]
    moderation.set_block(town.site, ben, ada, False)
    assert shown() == [1, match, [match], [match], [match]]
    moderation.set_block(town.site, ben, ada, True)
    invitations.withdraw(town.site, match, ada)
    town.work()
    assert town.post() == []
    assert shown() == [0, None, [], [], []]


def test_a_player_chosen_by_name_who_has_blocked_a_host_cannot_be_invited(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    moderation.set_block(town.site, ben, ada, True)
    with pytest.raises(LobbyError, match="accept invitations from you"):
        lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("player", player_id=ben)])


def test_joining_doesnt_reveal_who_was_invited_until_they_accept(town: Town) -> None:
    """Ben has blocked Carl, and Ada invites Ben's address to a table that Carl joins."""
    ada, ben, carl = (player(town, address) for address in (ADA, BEN, "carl@example.org"))
    moderation.set_block(town.site, ben, carl, True)
    chairs = [Chair("me"), Chair("email", BEN), Chair("open")]
    first = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, chairs)
    substitutes.join(town.site, first, carl)
    invitations.answer(town.site, first, ben, False)
    second = lobby.open_match(town.site, ada, "multigo", {"size": "5"}, chairs)
    invitations.answer(town.site, second, ben, True)
    with pytest.raises(LobbyError, match="want to play with you"):
        substitutes.join(town.site, second, carl)


def test_a_block_doesnt_reveal_who_plays_in_an_anonymous_match(town: Town) -> None:
    """Ada has blocked Carl, and Ben hasn't: Carl can join the match of either, before it begins or as a substitute."""
    ada, ben, carl = (player(town, address) for address in (ADA, BEN, "carl@example.org"))
    moderation.set_block(town.site, ada, carl, True)
    for host, guest in ((ada, ben), (ben, ada)):
        for is_running in (False, True):
            chairs = [Chair("me"), Chair("open")]
            match = lobby.open_match(town.site, host, "lotus", {}, chairs, talk="group anonymous", substitutes=True)
            if is_running:
                substitutes.join(town.site, match, guest)
                substitutes.offer(town.site, match, host, "anybody")
            substitutes.join(town.site, match, carl)
            line = match_lists.match_line(town.site, match, carl)
            assert line is not None
            assert line.my_seat is not None


def test_invitations_declined_today_count_as_unanswered(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "UNANSWERED", 3)
    ada = player(town, ADA)
    for number in range(3):
        other = player(town, f"other{number}@example.org")
        chairs = [Chair("me"), Chair("email", f"other{number}@example.org")]
        invitations.answer(town.site, lobby.open_match(town.site, ada, "lotus", {}, chairs), other, False)
    chairs = [Chair("me"), Chair("email", BEN)]
    with pytest.raises(LobbyError, match="You can have up to 3 unanswered invitations"):
        lobby.open_match(town.site, ada, "lotus", {}, chairs)
    town.now += DAY
    assert lobby.open_match(town.site, ada, "lotus", {}, chairs)


def test_the_invitations_of_a_person_and_their_bots_count_together(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "UNANSWERED", 3)
    ada, carl = player(town, ADA), player(town, "carl@example.org")
    rose, lily = (bot_accounts.make(town.site, ada, name).id for name in ("Rose", "Lily"))

    def invite(host: int, number: int) -> int:
        chairs = [Chair("me"), Chair("email", f"other{number}@example.org")]
        return lobby.open_match(town.site, host, "lotus", {}, chairs)

    for number, host in enumerate((ada, rose, lily)):
        invite(host, number)
    for host in (ada, rose, lily):
        with pytest.raises(LobbyError, match="A person and their bots together can have up to 3 unanswered invita"):
            invite(host, 3)
    bot_accounts.end(town.site, ada, rose)
    with pytest.raises(LobbyError, match="A person and their bots together"):
        invite(bot_accounts.make(town.site, ada, "Iris").id, 3)
    assert invite(carl, 3)
    town.now += DAY
    assert invite(lily, 4)


def test_a_player_who_invites_somebody_again_keeps_their_side(town: Town) -> None:
    ada, ben = player(town, ADA), player(town, BEN)
    lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("paired", player_id=ben)])
    for one, other in ((ada, ben), (ben, ada)):
        again = rematch.invite(town.site, one, other, f"by {one}")
        with town.store.reading() as session:
            assert [seat.player_id for seat in session.get_one(Match, again).seats] == [ada, ben]


def test_invitations_by_others_do_not_count(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "UNANSWERED", 1)
    ada, carl = player(town, ADA), player(town, "carl@example.org")
    chairs = [Chair("me"), Chair("email", ADA)]
    lobby.open_match(town.site, carl, "lotus", {}, chairs)
    assert lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", BEN)])


def test_seats_offered_by_email_count_as_invitations(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "UNANSWERED", 3)
    ada, ben = player(town, ADA), player(town, BEN)
    matches = []
    for _ in range(4):
        chairs = [Chair("me"), Chair("email", BEN)]
        matches.append(lobby.open_match(town.site, ada, "lotus", {}, chairs, substitutes=True))
        invitations.answer(town.site, matches[-1], ben, True)
    for number, match in enumerate(matches[:3]):
        substitutes.offer(town.site, match, ada, f"other{number}@example.org")
        substitutes.offer(town.site, match, ada, "")
    with pytest.raises(LobbyError, match="You can have up to 3 unanswered invitations"):
        substitutes.offer(town.site, matches[3], ada, "other3@example.org")
    with pytest.raises(LobbyError, match="You can have up to 3 unanswered invitations"):
        lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("email", "other3@example.org")])
    substitutes.offer(town.site, matches[3], ada, "anybody")
    substitutes.offer(town.site, matches[3], ben, "carl@example.org")
    town.now += DAY
    substitutes.offer(town.site, matches[3], ada, "other3@example.org")
