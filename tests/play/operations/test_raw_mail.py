"""The raw text of incoming mail is moved to a directory or a bucket after a day."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.app import create_app
from service.play.accounts import deletion
from service.play.inbox import unverified
from service.play.operations.sweep import sweep
from service.store import mail_store
from service.store.mail_store import MailStoreError
from service.store.tables.mail_rows import IncomingMail
from tests import s3
from tests.play.conftest import Town, whole
from tests.play.inbox.test_run_commands import ADA, rosette

HELD = "elsewhere@example.org"


@pytest.fixture(scope="module")
def bucket() -> Iterator[s3.Bucket]:
    with s3.running() as bucket:
        yield bucket


@dataclass
class Place:
    """A directory or a bucket, and a way to look into it."""

    url: str
    folder: Path
    bucket: s3.Bucket | None

    def count(self) -> int:
        """How many emails it has."""
        if self.bucket is None:
            return len([*self.folder.rglob("*.eml")])
        return self.bucket.names().count(f"<Key>{self.folder.name}/")


@pytest.fixture(params=["directory", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path, town: Town, monkeypatch: pytest.MonkeyPatch) -> Place:
    folder, bucket = tmp_path / f"mail-{tmp_path.name}", None
    if request.param == "bucket":
        bucket = request.getfixturevalue("bucket")
        for name, value in bucket.environment.items():
            monkeypatch.setenv(name, value)
    url = f"s3://mail/{folder.name}" if bucket else f"file://{folder}"
    town.settings = replace(town.settings, mail_store=url)
    return Place(url, folder, bucket)


def mails(town: Town) -> list[tuple[str, bool, bool, int]]:
    """Each email's verdict, whether its text is kept, whether it was moved, and its number of bytes in the database."""
    with town.store.reading() as session:
        found = session.scalars(select(IncomingMail).order_by(IncomingMail.id)).all()
        return [(mail.verdict, mail.kept, bool(mail.place), len(mail.raw)) for mail in found]


def texts(town: Town) -> list[bytes]:
    with town.store.reading() as session:
        found = session.scalars(select(IncomingMail).order_by(IncomingMail.id)).all()
        return [mail_store.text_of(town.settings, mail) for mail in found]


def pass_days(town: Town, days: float) -> None:
    town.now += timedelta(days=days)
    sweep(town.site)
    town.work()


def test_the_text_is_moved_after_a_day_and_deleted_after_a_month(town: Town, place: Place) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10")
    before = texts(town)
    pass_days(town, 0.9)
    assert place.count() == 0
    pass_days(town, 0.2)
    assert all((kept, moved, octets) == (True, True, 0) for _, kept, moved, octets in mails(town))
    assert place.count() == len(before)
    assert texts(town) == before
    pass_days(town, 30)
    pass_days(town, 0.1)
    assert place.count() == 0
    assert all((kept, moved, octets) == (False, False, 0) for _, kept, moved, octets in mails(town))


def test_a_held_email_is_shown_and_obeyed_after_its_text_was_moved(town: Town, place: Place) -> None:
    turns = rosette(town)
    town.reply(turns[ADA], "g10", sender=HELD)
    town.work()
    (question,) = [mail for mail in town.post() if "Did you" in str(mail["Subject"])]
    token = whole(question).partition("/confirm/")[2].split()[0]
    pass_days(town, 1.5)
    assert place.count() > 0
    held = unverified.held(town.site, token)
    assert held is not None
    assert "g10" in held.text
    unverified.confirm(town.site, token)
    town.work()
    assert mails(town)[-1][0] == "order"


def test_a_late_copy_is_compared_with_the_text_that_was_moved(town: Town, place: Place) -> None:
    turns = rosette(town)
    for words in ("g10", "g10", "g11"):
        town.reply(turns[ADA], words, message_id="<once@program.example>")
        pass_days(town, 1.1)
    assert [verdict for verdict, *_ in mails(town)][-2:] == ["order", "held"]


def test_the_texts_of_a_player_who_leaves_are_deleted(town: Town, place: Place) -> None:
    rosette(town)
    pass_days(town, 1.1)
    there = place.count()
    with town.store.writing() as session:
        mail = session.scalars(select(IncomingMail)).first()
        assert mail is not None
        assert mail.player_id is not None
        leaving = mail.player_id
    deletion.leave(town.site, leaving)
    sweep(town.site)
    assert place.count() < there
    assert all(moved == kept for _, kept, moved, _ in mails(town))


def test_two_sweeps_that_move_the_same_text_keep_it(town: Town, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    rosette(town)
    before, write = texts(town), mail_store.write
    assert len(before) > 1

    def write_beside_another_sweep(url: str, name: str, raw: bytes) -> None:
        monkeypatch.setattr(mail_store, "write", write)
        sweep(town.site)  # It moves all of them before this one goes on.
        write(url, name, raw)

    monkeypatch.setattr(mail_store, "write", write_beside_another_sweep)
    pass_days(town, 1.1)
    assert texts(town) == before


def test_texts_are_deleted_even_if_no_more_can_be_written(
    town: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.settings = replace(town.settings, mail_store=f"file://{tmp_path}/mail")
    turns = rosette(town)
    pass_days(town, 1.1)
    town.reply(turns[ADA], "g10")
    pass_days(town, 29)

    def write_on_a_full_disk(_url: str, name: str, _raw: bytes) -> None:
        raise MailStoreError(f"{name} can't be written (No space left on device)")

    monkeypatch.setattr(mail_store, "write", write_on_a_full_disk)
    there = len([*(tmp_path / "mail").rglob("*.eml")])
    town.reply(turns[ADA], "h11", message_id="<another@program.example>")
    pass_days(town, 1.1)
    pass_days(town, 0.1)
    assert len([*(tmp_path / "mail").rglob("*.eml")]) < there


def test_nothing_is_lost_while_the_bucket_is_away(
    town: Town, bucket: s3.Bucket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("service.store.mail_store.PATIENCE", timedelta(seconds=0.3))
    town.settings = replace(town.settings, mail_store="s3://mail/away")
    turns = rosette(town)
    town.reply(turns[ADA], "nonsense", message_id="<first@program.example>")
    pass_days(town, 1.1)
    moved = len(mails(town))
    bucket.signal(signal.SIGSTOP)
    try:
        town.reply(turns[ADA], "g10", message_id="<once@program.example>")  # It's received and judged as always.
        pass_days(town, 1.1)
        assert caplog.text.count("incoming mail stays in the database for now") == 1
        assert [octets > 0 for *_, octets in mails(town)[moved:]] == [True]
        with pytest.raises(MailStoreError):
            # The sender of a copy gets a temporary error while the original can't be read.
            town.reply(turns[ADA], "h11", message_id="<first@program.example>")
    finally:
        bucket.signal(signal.SIGCONT)
    sweep(town.site)
    assert all((kept, moved, octets) == (True, True, 0) for _, kept, moved, octets in mails(town))


def test_a_page_that_needs_a_text_that_is_away_answers_503(town: Town, tmp_path: Path) -> None:
    town.settings = replace(town.settings, mail_store=f"file://{tmp_path}/mail", redis_url="memory://")
    turns = rosette(town)
    town.reply(turns[ADA], "g10", sender=HELD)
    town.work()
    (question,) = [mail for mail in town.post() if "Did you" in str(mail["Subject"])]
    page = next(word for word in whole(question).split() if "/confirm/" in word).removeprefix(town.settings.public_url)
    pass_days(town, 1.5)
    (tmp_path / "mail").rename(tmp_path / "gone")
    assert create_app(town.site).test_client().get(page).status_code == 503
    (tmp_path / "gone").rename(tmp_path / "mail")
    assert create_app(town.site).test_client().get(page).status_code == 200


def test_what_a_killed_process_left_of_a_text_is_deleted_with_it(tmp_path: Path) -> None:
    url, name = f"file://{tmp_path}", "2026/11/21/7.eml"
    mail_store.write(url, name, b"From: ada@example.org")
    mail_store.write(url, "2026/11/21/77.eml", b"From: ben@example.org")
    (tmp_path / "being-written" / "7.4711").write_bytes(b"From: ada@exam")
    mail_store.drop(url, name)
    mail_store.drop(url, "2026/11/20/7.eml")
    assert [path.name for path in tmp_path.rglob("*.*")] == ["77.eml"]


def test_an_error_of_the_directory_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(MailStoreError, match=r"^1\.eml can't be written \(Not a directory\)$"):
        mail_store.write(f"file://{tmp_path}/taken", "2026/1.eml", b"status")
    (tmp_path / "2026" / "1.eml").mkdir(parents=True)
    with pytest.raises(MailStoreError, match=r"^2026/1\.eml can't be deleted \(Is a directory\)$"):
        mail_store.drop(f"file://{tmp_path}", "2026/1.eml")
    mail_store.drop(f"file://{tmp_path}", "2026/2.eml")


def test_a_text_that_is_gone_is_as_good_as_deleted(place: Place) -> None:
    for _ in range(2):
        mail_store.drop(place.url, "2026/1.eml")
