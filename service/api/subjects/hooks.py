"""Hooks: addresses that are called when something happens in the player's matches, so that programs needn't poll."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, TypeAlias, get_args

from msgspec import Meta, Struct, field

from service.api.operations import Call, operation
from service.api.problem_details import Refused
from service.api.shapes import Done, Strict
from service.api.subjects.talk import refused
from service.play.notify import doors
from service.play.notify.doors import DoorError, Form
from service.store.tables.doors import Door
from service.web.current_player import site

Told: TypeAlias = Literal["turn", "invitation", "result", "said"]


class Hook(Struct):
    """A hook. Calls of the format `standard` are signed (Standard Webhooks) with each of the `secrets`: after a
    rotation there are two for a day, the new one first. While calls fail, `error` says how the latest one failed."""

    id: int
    url: str
    address: str
    format: Form
    events: Sequence[Told]
    state: Literal["on", "failing", "off"]
    error: str
    secrets: Sequence[str]
    made: datetime
    used: datetime | None


class Hooks(Struct):
    """The player's hooks, the oldest first."""

    hooks: Sequence[Hook]


class NewHook(Strict):
    """A hook to add. Its `address` begins with https://, is public, and answers within five seconds, without
    redirects. It gets all events, or only those given."""

    address: Annotated[str, Meta(min_length=1, max_length=doors.LONGEST_ADDRESS)]
    format: Form = "standard"
    events: Annotated[list[Told], Meta(min_length=1, max_length=8)] = field(default_factory=lambda: [*get_args(Told)])


@operation("GET", "/hooks", Hooks, tag="hooks", scope="hooks")
def hooks(call: Call) -> Hooks:
    """The hooks of the token's player."""
    return Hooks([_shown(one) for one in _of(call)])


@operation("POST", "/hooks", Hook, tag="hooks", scope="hooks", body=NewHook, status=201, limit="60 per hour")
def add_hook(call: Call) -> Hook:
    """Adds a hook, and gives its signing secret. If the address already has a hook, this changes its format and events,
    and switches it on again."""
    wanted: NewHook = call.body
    try:
        made = doors.add_hook(site(), call.player.id, wanted.address, wanted.format, wanted.events)
    except DoorError as error:
        raise refused(error) from error
    return _shown(made)


@operation("POST", "/hooks/<number:hook_id>/rotate", Hook, tag="hooks", scope="hooks", limit="60 per hour")
def rotate_secret(call: Call, hook_id: int) -> Hook:
    """Replaces the signing secret. For a day, calls are signed with the old one too. Repeating it within a minute
    changes nothing."""
    if _own(call, hook_id).form != "standard":
        raise Refused(422, "refused", "Only a hook of the format standard has a secret.")
    doors.rotate(site(), call.player.id, hook_id)
    return _shown(_own(call, hook_id))


@operation("POST", "/hooks/<number:hook_id>/test", Done, tag="hooks", scope="hooks", status=202, limit="60 per hour")
def test_hook(call: Call, hook_id: int) -> Done:
    """Sends the hook an event `test`, soon. The result is in `used` or `error`."""
    if _own(call, hook_id).off is not None:
        raise Refused(422, "refused", "This hook is switched off. Add it again to switch it on.")
    doors.test(site(), call.player.id, hook_id)
    return Done("/api/v1/hooks")


@operation("DELETE", "/hooks/<number:hook_id>", Done, tag="hooks", scope="hooks")
def remove_hook(call: Call, hook_id: int) -> Done:
    """Removes a hook, and drops the events it hasn't been sent yet."""
    _own(call, hook_id)
    doors.remove(site(), call.player.id, hook_id)
    return Done("/api/v1/hooks")


def _of(call: Call) -> list[Door]:
    return [one for one in doors.of(site(), call.player.id) if one.form != doors.PUSH]


def _own(call: Call, hook_id: int) -> Door:
    found = next((one for one in _of(call) if one.id == hook_id), None)
    if found is None:
        raise Refused(404, "not-found", f"You have no hook {hook_id}.")
    return found


def _shown(door: Door) -> Hook:
    return Hook(
        id=door.id,
        url=f"/api/v1/hooks/{door.id}",
        address=door.address,
        format=door.form,  # type: ignore[arg-type]
        events=door.events.split(),  # type: ignore[arg-type]
        state="off" if door.off else "failing" if door.failing else "on",
        error=door.error,
        secrets=doors.signing_secrets(site().settings, door, site().now()) if door.form == "standard" else (),
        made=door.made,
        used=door.used,
    )
