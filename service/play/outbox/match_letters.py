"""What letters about a match say: a compose function for each kind, or for kinds that say the same."""

from __future__ import annotations

from service.engine.options import has_count
from service.mail.grammar.orders import Conditional, Standing, parse
from service.mail.letters import letter_types
from service.play import letter_contents
from service.play import letter_kinds as kinds
from service.play.match import receipts, review
from service.play.orders.submit import ordered
from service.play.outbox.match_context import About, templates, view
from service.play.pages import leader_boards, profiles
from service.play.table import movers, press, teams
from service.play.table.log import notes_beside
from service.play.timekeeping import clocks
from service.render.text import text
from service.store.models import Player


@view.register
def _turn(contents: kinds.Turn, about: About) -> letter_types.Turn:
    played = about.played()
    is_new = not played or about.takes_over or _is_first_of_event(contents, about)
    company = about.company if is_new else letter_types.NOT_TOLD
    table = about.table(contents.deadline)
    notes = notes_beside(played, about.scene.notes)
    return letter_types.Turn(**table, played=played, notes=notes, dropped=contents.dropped, company=company)


def _is_first_of_event(contents: kinds.Turn, about: About) -> bool:
    """Whether this is the reader's first letter about this match of an event. The other players get `Begun`."""
    return contents.ply < len(about.match.seats) and (about.match.key or "").startswith("event:")


@view.register
def _reminder(contents: kinds.Reminder, about: About) -> letter_types.Reminder:
    return letter_types.Reminder(**about.table(contents.deadline), vacation=contents.vacation)


@view.register
def _refusal(contents: kinds.Refusal, about: About) -> letter_types.Refusal:
    awaited = about.viewer in about.position.turns and about.match.state == "running"
    order = ordered(about.order)
    # Conditional moves sent with a move are refused with it.
    now = order.now if isinstance(order, Conditional) else ""
    table = about.table()
    return letter_types.Refusal(
        **table | {"over": table["over"] or about.viewer is None},
        order=now or order.text,
        reason=about.order.message,
        sent=about.incoming.text if about.incoming else about.order.text,
        again=contents.again,
        to_move=awaited and not contents.waits,
        is_sentence=contents.sentence,
        offered=about.viewer is not None and about.position.offer not in (None, about.viewer),
        what="invitation" if about.match.state == "open" else (parse(now) if now else order).kind,
    )


@view.register
def _result(_: kinds.Result, about: About) -> letter_types.Result:
    outcome = about.position.outcome
    assert outcome is not None
    news = about.played()
    # A reader who ran out of time while the match went on got an email about it then.
    known = [one for one in news[:-1] if (one.side, one.move) == (about.side, "timeout")]
    return letter_types.Result(
        title=about.title,
        side=about.side,
        played=tuple(one for one in news if one not in known),
        winners=tuple(side for side, score in zip(about.sides, outcome.scores, strict=True) if score),
        reason=outcome.reason,
        notes=about.scene.notes,
        scores=tuple(zip(about.sides, map(str, outcome.scores), strict=True)),
        board=text(about.scene),
        facts=about.scene.facts,
        rated=leader_boards.changed(about.session, about.match.id, about.reader.id),
        unmoved=movers.is_unmoved(about.session, about.match),
        game=about.game.title,
        moved=review.has_moves(about.session, about.match),
        listening=about.listening,
        event=about.company.event,
        link=about.link,
        mute_link=about.mute_link,
    )


@view.register
def _invitation(contents: kinds.Invitation, about: About) -> letter_types.Invitation:
    reader, host = about.reader, about.session.get_one(Player, contents.inviter)
    again = contents.rematch is not None
    # A player who asks for a rematch is known from that match, and may never have seen the reader's address.
    stranger = host.is_unnamed and not again
    return letter_types.Invitation(
        title=about.title,
        game=about.game.title,
        summary=about.game.summary,
        host=host.name,
        unnamed=stranger,
        met=profiles.met(about.session, reader.id, host.id) if stranger else "",
        side=about.side,
        partners=about.partners,
        settings=_settings(about, contents.rematch),
        terms=_terms(about),
        press=_press_terms(about),
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
        rules_link=f"{about.site.settings.public_url}/rules/{about.game.name}",
        learn_link=f"{about.site.settings.public_url}/learn/{about.game.name}",
        newcomer=reader.is_unnamed and not again,
        number=reader.name if reader.is_unnamed and not press.of(about.match).names else "",
    )


def _settings(about: About, rematch: int | None) -> tuple[tuple[str, str], ...]:
    """The settings that an invitation lists: what the rematch would repeat, and the options."""
    again = [] if rematch is None else [("Rematch of", f"{about.game.title} {rematch}")]
    return (
        *again,
        ("Rated", "yes" if about.match.rated else "no"),
        *teams.shared(about.match, about.sides),
        *((name.replace("-", " ").capitalize(), value) for name, value in about.match.options.items() if value),
    )


def _terms(about: About) -> str:
    """The clock in plain words, with a date worked out for the reader."""
    control = clocks.control(about.match)
    said = templates().text.get_template("sentences/clock.txt").module
    first_turn = control.first_turn(about.letter.created, about.zone)
    match = about.match
    facts = (len(match.seats), has_count(about.game.words), match.substitutes, match.teams)
    return str(said.terms(control, first_turn, *facts))  # type: ignore[attr-defined]


def _press_terms(about: About) -> str:
    """What may be said, how a seat is shared and whether seats may change hands, where more than two play."""
    if (
        len(about.match.seats) == 2
        and about.match.press == press.DEFAULT
        and not (about.match.substitutes or about.match.teams)
    ):
        return ""
    said = templates().text.get_template("sentences/press.txt").module
    match, late = about.match, clocks.control(about.match).late
    return str(said.company(press.of(match), match.substitutes, late, match.teams))  # type: ignore[attr-defined]


@view.register
def _receipt(contents: kinds.Receipt, about: About) -> letter_types.Receipt:
    order, given, running = about.order, ordered(about.order), about.match.state == "running"
    return letter_types.Receipt(
        event=contents.event,
        title=about.title,
        side=about.side,
        move=receipts.move_of(about.session, order),
        order=order.text,
        ahead=given.plan if isinstance(given, Conditional) else "",
        remark=order.remark,
        waited=_waited(about) if running else (),
        playing=about.position.phase == "play",
        over=about.match.state == "over" or about.seat not in about.position.active,
        board=text(about.scene),
        facts=about.scene.facts,
        link=about.link,
    )


@view.register
def _said(contents: kinds.Said, about: About) -> letter_types.Said:
    known, team = press.of(about.match), about.answered == (about.seat,)
    chosen = tuple("you" if seat == about.seat else about.sides[seat] for seat in contents.chosen)
    return letter_types.Said(
        title=about.title,
        by="" if known.names == "unsigned" else about.sides[contents.by],
        name=contents.name,
        to=("your team",) if team else chosen,
        answers=("your team",) if team else tuple(about.sides[seat] for seat in about.answered),
        table=(*about.others, *(("your team",) if teams.is_shared(about.match, about.seat) else ())),
        watched=known.level == "public" or about.position.outcome is not None,
        remark=contents.text,
        board=text(about.scene),
        link=about.link,
        mute_link=about.mute_link,
    )


@view.register
def _begun(_: kinds.Begun, about: About) -> letter_types.Event:
    return about.event(company=about.company, partners=about.partners, waited=_waited(about))


@view.register
def _declined(contents: kinds.InvitationDeclined, about: About) -> letter_types.Event:
    return about.event(by=about.sides[contents.by], name=contents.name, quoted=contents.text)


@view.register
def _invitation_withdrawn(contents: kinds.InvitationWithdrawn, about: About) -> letter_types.Event:
    return about.event(name=contents.name)


@view.register
def _order_answer(contents: letter_contents.OrderAnswer, about: About) -> letter_types.Event:
    """An answer that names nothing but the order."""
    return about.event(order=about.order.text, unheard=contents.unheard)


@view.register
def _conditional_saved(contents: kinds.ConditionalSaved, about: About) -> letter_types.Event:
    order = ordered(about.order)
    assert isinstance(order, Conditional), "the kind of the order that this letter answers"
    return about.event(order=about.order.text, dropped=order.forgets, unheard=contents.unheard)


@view.register
def _standing_saved(contents: kinds.StandingSaved, about: About) -> letter_types.Event:
    order = ordered(about.order)
    assert isinstance(order, Standing), "the kind of the order that this letter answers"
    return about.event(order=" or ".join(order.choices), dropped=not order.choices, unheard=contents.unheard)


@view.register
def _choice_saved(contents: kinds.ChoiceSaved, about: About) -> letter_types.Event:
    message = "" if contents.unheard else about.order.remark
    unheard, offered = contents.unheard, contents.offered
    return about.event(order=about.order.text, message=message, offered=offered, unheard=unheard)


@view.register
def _order_withdrawn(contents: kinds.OrderWithdrawn, about: About) -> letter_types.Event:
    return about.event(order=contents.order, by=contents.by, unheard=contents.unheard)


@view.register
def _rematch_asked(contents: kinds.RematchAsked, about: About) -> letter_types.Event:
    people = [place.player_id for place in about.match.places if place.player and not place.player.bot]
    asked = len([one for one in people if one != about.reader.id])
    by = about.sides[contents.by]
    return about.event(rematch=contents.title, by=by, asked=asked, open=contents.open, unheard=contents.unheard)


@view.register
def _reviewed(contents: kinds.Reviewed, about: About) -> letter_types.Event:
    looked = review.of(about.session, about.match)
    at_once, worst, tried = (looked.at_once, looked.worst, looked.can_be_tried) if looked else (False, (), False)
    said = tuple(
        (one.round if at_once else one.ply, one.side.capitalize(), one.move, one.percent, one.line) for one in worst
    )
    return about.event(worst=said, at_once=at_once, can_be_tried=tried, unheard=contents.unheard)


@view.register
def _offer(contents: kinds.Offer, about: About) -> letter_types.Event:
    return about.event(by=about.sides[contents.by], quoted=contents.text)


@view.register
def _pause_offer(contents: kinds.PauseOffer, about: About) -> letter_types.Event:
    until = None if contents.until is None else about.local(contents.until)
    return about.event(by=about.sides[contents.by], until=until, quoted=contents.text)


@view.register
def _takeback_offer(contents: kinds.TakebackOffer, about: About) -> letter_types.Event:
    taken = tuple((about.sides[seat], move) for seat, move in contents.taken)
    return about.event(by=about.sides[contents.by], taken=taken, quoted=contents.text)


@view.register
def _departed(_: kinds.Departed, about: About) -> letter_types.Event:
    left = about.played()[-1]
    return about.event(play=left, quoted=left.remark)


@view.register
def _time_extended(contents: kinds.TimeExtended, about: About) -> letter_types.Event:
    return about.event(by=about.sides[contents.by], deadline=about.deadline(contents.deadline))


@view.register
def _of_player(contents: letter_contents.OfPlayer, about: About) -> letter_types.Event:
    return about.event(
        by=about.sides[contents.by],
        who=contents.who,
        mate=contents.mate,
        own=contents.by == about.seat and not contents.mate,
        timed=_is_timed(about) and about.match.state not in ("open", "declined"),
        deadline=about.deadline(contents.deadline),
    )


@view.register
def _seat_offered(contents: kinds.SeatOffered, about: About) -> letter_types.Event:
    terms = tuple(filter(None, (_terms(about), _press_terms(about))))
    return about.event(name=contents.name, timed=_is_timed(about), terms=terms)


@view.register
def _seat_taken(_: kinds.SeatTaken, about: About) -> letter_types.Event:
    waited = _waited(about)
    return about.event(partners=about.partners, company=about.company, timed=_is_timed(about), waited=waited)


def _is_timed(about: About) -> bool:
    return about.match.clock != "none"


@view.register
def _seat_lost(contents: kinds.SeatLost, about: About) -> letter_types.Event:
    return about.event(sealed=contents.sealed)


@view.register
def _gone(_: kinds.TimedOut | kinds.TeamLeft, about: About) -> letter_types.Event:
    return about.event()


@view.register
def _player_named(contents: kinds.NewPlayer | kinds.TeamSmaller, about: About) -> letter_types.Event:
    return about.event(by=about.sides[contents.by], name=contents.name)


def _waited(about: About) -> tuple[str, ...]:
    """The sides that the match visibly waits for."""
    return tuple(about.sides[seat] for seat in about.position.public_turns)
