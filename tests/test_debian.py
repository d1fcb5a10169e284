"""The files for a Debian server: systemd accepts the units, which differ only in what they run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.cli.deployment.supervisor import read_procfile
from service.config import ROOT, Settings

PLACE = ROOT / "service" / "cli" / "debian"
WHOLE, ONE = PLACE / "stonepost.service", PLACE / "stonepost@.service"
BACKUP, NIGHTLY = PLACE / "stonepost-backup.service", PLACE / "stonepost-backup.timer"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd isn't installed")
@pytest.mark.parametrize("unit", [WHOLE, ONE, BACKUP, NIGHTLY], ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong_with_the_units(unit: Path, tmp_path: Path) -> None:
    here = tmp_path / unit.name.replace("@", "@web")
    for beside in {unit, BACKUP}:  # A timer is checked together with what it starts.
        place = here if beside == unit else tmp_path / beside.name
        place.write_text(beside.read_text().replace("/srv/stonepost/.venv/bin/stonepost", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(here)], capture_output=True, text=True
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if unit.stem.rstrip("@") in line]) == (0, [])


def test_the_unit_of_one_process_differs_in_its_name_and_what_it_runs() -> None:
    whole, one = WHOLE.read_text().splitlines(), ONE.read_text().splitlines()
    changed = [(mine, other) for mine, other in zip(whole[1:], one[1:], strict=True) if mine != other]
    assert changed == [
        ("Description=Stonepost", "Description=Stonepost, %i"),
        ("ExecStart=/srv/stonepost/.venv/bin/stonepost run", "ExecStart=/srv/stonepost/.venv/bin/stonepost run %i"),
    ]


def test_the_unit_of_the_backup_is_confined_like_the_service() -> None:
    def confinement(unit: Path) -> list[str]:
        lines = unit.read_text().partition("\nStateDirectoryMode=")[2].partition("\n\n[Install]")[0]
        return lines.split()

    assert confinement(BACKUP) == confinement(WHOLE)
    assert "StateDirectory=stonepost stonepost-backup\n" in BACKUP.read_text(), "it may write where the copies are"


def test_the_unit_of_the_backup_copies_into_a_directory_for_each_day_of_the_week(tmp_path: Path) -> None:
    (run,) = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", BACKUP.read_text(), re.MULTILINE)
    script = run.replace("$$", "$").replace("%%", "%").replace("/srv/stonepost/.venv/bin/stonepost", "echo")
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
    assert re.fullmatch(r"backup /var/lib/stonepost-backup/[1-7]\n", done.stdout)
    guide = (ROOT / "README.md").read_text().partition("- **Back up**")[2].partition("\n- **")[0]
    assert f"cp service/cli/debian/{BACKUP.stem}.* " in guide
    assert f"systemctl enable --now {NIGHTLY.name}\n" in guide


def test_the_guide_to_an_upgrade_names_the_files_that_were_copied() -> None:
    upgrade = (ROOT / "README.md").read_text().partition("- **Upgrade**")[2].partition("\n- **")[0]
    assert "`service/cli/debian/`" in upgrade


def test_nginx_serves_what_certbot_writes_and_is_given_the_certificate_last() -> None:
    """A server that only redirects answers 404 when certbot renews, and nginx refuses a certificate that is missing."""
    tls = (ROOT / "README.md").read_text().partition("**TLS.**")[2].partition("**Mail.**")[0]
    webroot = re.search(r"certbot certonly --webroot --webroot-path (\S+) ", tls)
    assert webroot is not None
    assert tls.index("certbot certonly") < tls.index("nginx.conf") < tls.rindex("systemctl reload nginx")
    cleartext = (PLACE / "nginx.conf").read_text().partition("listen 443")[0]
    place = re.search(r"location /\.well-known/acme-challenge/ \{\s+root (\S+);\s+\}", cleartext)
    assert (place and place[1]) == webroot[1]


def test_the_guide_to_procfile_hosts_has_what_production_requires(tmp_path: Path) -> None:
    told = (ROOT / "README.md").read_text().partition("### Containers and other hosts")[2].partition("there. If")[0]
    values = {
        "STONEPOST_SECRET": "x" * 40,
        "REDIS_URL": "redis://127.0.0.1:6379/0",
        "DATABASE_URL": "postgres://me:it@127.0.0.1/stonepost",
        "PUBLIC_URL": "https://play.example.org",
        "MAIL_DOMAIN": "play.example.org",
        "SMTP_URL": "smtp://me:it@mail.example.org:587",
    }
    listed = re.findall(r"`([A-Z_]+)(?:=(\w+))?`", told.partition("Set ")[2])
    given = {name: value or values[name] for name, value in listed}
    settings = Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "PORT": "5000"} | given)
    assert (settings.development, settings.post_office_open, settings.proxies) == (False, False, 1)


def test_the_guide_starts_each_process_of_the_procfile() -> None:
    names = [process.name for process in read_procfile((ROOT / "Procfile").read_text(), {})]
    assert f"systemctl enable --now stonepost@{{{','.join(names)}}}" in (ROOT / "README.md").read_text()


def test_the_command_for_root_reads_the_settings_as_systemd_does(tmp_path: Path) -> None:
    """A shell would run what follows an `&` as a second command, and replace a `$` and what follows."""
    (tmp_path / "env").write_text(
        "# A comment\n\nDATABASE_URL=postgresql:///stonepost?connect_timeout=5&sslmode=require\n"
        "  SMTP_URL=smtp://us$er:pa;ss@mail.example.org:587  \n"
        'CLUB_NOTICES="mailto:a@example.org mailto:b@example.org"\n'
        "SECURITY_CONTACT='mailto:c@example.org'\nOPERATORS=\nSTONEPOST_MODE=production"
    )
    told = "DATABASE_URL SMTP_URL CLUB_NOTICES SECURITY_CONTACT OPERATORS STONEPOST_MODE"
    done = _printenv(tmp_path, *told.split())
    assert (done.stdout.splitlines(), done.stderr) == (
        [
            "postgresql:///stonepost?connect_timeout=5&sslmode=require",
            "smtp://us$er:pa;ss@mail.example.org:587",
            "mailto:a@example.org mailto:b@example.org",
            "mailto:c@example.org",
            "",
            "production",
        ],
        "",
    )


def _printenv(place: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Prints variables in place of running the service's command, with the settings in the file `env`."""
    (place / "runuser").write_text('#!/bin/sh\nshift 3\nexec "$@"\n')
    (place / "runuser").chmod(0o755)
    script = (PLACE / "stonepost").read_text().replace("/etc/stonepost.env", str(place / "env"))
    script = script.replace("/srv/stonepost/.venv/bin/stonepost", "/usr/bin/printenv")
    ways = os.environ | {"PATH": f"{place}:{os.environ['PATH']}", "HOME": "/root"}
    return subprocess.run(["sh", "-c", script, "stonepost", *names], env=ways, capture_output=True, text=True)


def test_the_command_for_root_has_the_home_of_the_service(tmp_path: Path) -> None:
    """In root's, where the service's user may not look, libpq fails to look for a certificate."""
    (tmp_path / "env").touch()
    home = re.search(r"useradd .*--home-dir (\S+)", (ROOT / "README.md").read_text())
    assert home is not None
    assert _printenv(tmp_path, "HOME").stdout == f"{home[1]}\n"


def test_the_command_runs_no_file_of_the_directory_it_is_called_in(tmp_path: Path) -> None:
    made = subprocess.run(["make", "-n", "-B", ".venv/service"], cwd=ROOT, capture_output=True, text=True, check=True)
    (line,) = [line for line in made.stdout.splitlines() if line.startswith("printf") and "service.cli" in line]
    command = subprocess.run(["sh", "-c", line.rpartition(" > ")[0]], capture_output=True, text=True).stdout
    (tmp_path / "json.py").write_text("raise SystemExit('This is a stranger.')")
    run = subprocess.run(["sh", "-c", command, "stonepost", "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_the_command_for_root_runs_nothing_without_settings(tmp_path: Path) -> None:
    script = (PLACE / "stonepost").read_text().replace("/etc/stonepost.env", str(tmp_path / "none"))
    done = subprocess.run(["sh", "-c", script.replace("exec runuser", "exec echo")], capture_output=True, text=True)
    assert (done.returncode != 0, done.stdout) == (True, "")
