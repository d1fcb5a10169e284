"""Errors of a form, each shown beside the field it is about.

Not WTForms: use cases validate the fields, because the same words also come by email, and the fields of a new match
depend on its game and number of players. Form classes would repeat all of that.
"""

from __future__ import annotations

from typing import cast

from flask import Flask, g, request
from markupsafe import Markup


def refuse(error: Exception | str, field: str = "") -> None:
    """Has the page show the sentence beside the field with this id, or for "" above the form."""
    _errors()[field] = str(error)


def found() -> bool:
    """Whether anything was refused."""
    return bool(_errors())


def number(field: str, sentence: str) -> int | None:
    """The whole number in this field of the form, None if it's empty. Anything else is refused with `sentence`.

    In `sentence`, {} is replaced by what was typed.
    """
    text = request.form.get(field, "").strip()
    if not text:
        return None
    if text.isascii() and text.isdecimal() and len(text) < 6:
        return int(text)
    refuse(sentence.format(repr(text[:20])), field)
    return None


def add_form_errors(app: Flask) -> None:
    """Gives templates `wrong`, `described` and `why`."""
    app.jinja_env.globals.update(wrong=wrong, described=described, why=why)


def wrong(field: str) -> bool:
    """Whether the field has an error. If so, the section it's folded into is shown open."""
    return field in _errors()


def described(field: str, hint: str = "") -> Markup:
    """The ARIA attributes of a field: what describes it, and whether it's invalid. The first invalid field gets the
    focus."""
    if not wrong(field):
        return Markup('aria-describedby="{}"').format(hint) if hint else Markup()
    described_by = f"{field}-error {hint}".strip()
    return Markup('aria-invalid="true" aria-describedby="{}"{}').format(described_by, _focus())


def why(field: str = "") -> Markup:
    """The error below a field or, for "", above the form; empty if there is none."""
    if not wrong(field):
        return Markup()
    if not field:
        return Markup('<p class="note refused" role="alert" tabindex="-1"{}>{}</p>').format(_focus(), _errors()[""])
    return Markup('<p class="wrong" id="{}-error">{}</p>').format(field, _errors()[field])


def _errors() -> dict[str, str]:
    if "form_errors" not in g:
        g.form_errors = {}
    return cast("dict[str, str]", g.form_errors)


def _focus() -> Markup:
    first = "focused" not in g
    g.focused = True
    return Markup(" autofocus") if first else Markup()
