"""What pip-audit wrote is read honestly: what it could not look up is not called free of faults.

The reports are those of pip-audit 2.10.1, cut down to a few packages.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import vulnerabilities

ROOT = Path(__file__).parents[3]
LOCK = """\
# make run
anyio==4.16.0 \\
    --hash=sha256:00
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:00
Jinja2==3.1.2 \\
    --hash=sha256:00
"""
UNKNOWN = "Dependency not found on PyPI and could not be audited: {0} ({1})"
NOTHING_AUDITED = {
    "dependencies": [
        {"name": "anyio", "skip_reason": UNKNOWN.format("anyio", "4.16.0")},
        {"name": "jinja2", "skip_reason": UNKNOWN.format("jinja2", "3.1.2")},
    ],
    "fixes": [],
}
SOME_AUDITED = {
    "dependencies": [
        {"name": "anyio", "skip_reason": UNKNOWN.format("anyio", "4.16.0")},
        {"name": "jinja2", "version": "3.1.2", "vulns": []},
    ],
    "fixes": [],
}
VULNERABLE = {
    "dependencies": [
        {"name": "anyio", "version": "4.16.0", "vulns": []},
        {
            "name": "jinja2",
            "version": "3.1.2",
            "vulns": [
                {
                    "id": "PYSEC-2024-1",
                    "fix_versions": ["3.1.3"],
                    "aliases": ["CVE-2024-22195"],
                    "description": "The `xmlattr` filter takes keys with spaces.",
                },
                {"id": "PYSEC-2024-2", "fix_versions": [], "aliases": [], "description": "N/A"},
            ],
        },
    ],
    "fixes": [],
}
NO_CONNECTION = """\
  File "requests/adapters.py", line 729, in send
    raise ConnectionError(e, request=request)
requests.exceptions.ConnectionError: HTTPSConnectionPool(host='database', port=443): Max retries
"""


def test_a_database_that_knows_no_package_looks_nothing_up() -> None:
    result = vulnerabilities.read_report(LOCK, json.dumps(NOTHING_AUDITED))
    assert str(result) == "look-up skipped: no advisory database"
    assert not result.vulnerable


@pytest.mark.parametrize(
    "errors", [NO_CONNECTION, "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed"]
)
def test_a_database_that_is_not_reached_looks_nothing_up(errors: str) -> None:
    result = vulnerabilities.read_report(LOCK, "", errors)
    assert str(result) == "look-up skipped: no advisory database"


def test_packages_that_were_not_looked_up_are_counted_and_named() -> None:
    result = vulnerabilities.read_report(LOCK, json.dumps(SOME_AUDITED))
    assert str(result).splitlines() == [
        "1 of 3 locked versions looked up",
        "not looked up: anyio==4.16.0, colorama==0.4.6",
        "no known vulnerabilities",
    ]


def test_the_first_of_many_packages_not_looked_up_are_named() -> None:
    lock = "".join(f"package{number:02}==1 \\\n" for number in range(13)) + "jinja2==3.1.2 \\\n"
    counted, named, _ = str(
        vulnerabilities.read_report(lock, json.dumps(SOME_AUDITED))
    ).splitlines()
    assert counted == "1 of 14 locked versions looked up"
    assert named.endswith("package08==1, package09==1 and 3 more")


def test_a_version_other_than_the_locked_one_does_not_count_as_looked_up() -> None:
    lock = LOCK.replace("Jinja2==3.1.2", "Jinja2==3.1.6")
    assert vulnerabilities.read_report(lock, json.dumps(SOME_AUDITED)).missed == (
        "anyio==4.16.0",
        "colorama==0.4.6",
        "jinja2==3.1.6",
    )


@pytest.mark.control("V18")
def test_a_known_vulnerability_is_told_with_the_version_that_mends_it() -> None:
    result = vulnerabilities.read_report(LOCK, json.dumps(VULNERABLE))
    assert result.vulnerable == (
        "jinja2==3.1.2: PYSEC-2024-1 (CVE-2024-22195), fixed in 3.1.3",
        "jinja2==3.1.2: PYSEC-2024-2, fixed in no version",
    )
    assert "no known vulnerabilities" not in str(result)


def test_a_failure_that_is_no_missing_connection_is_not_called_skipped() -> None:
    with pytest.raises(vulnerabilities.LookUpFailed, match="invalid requirement"):
        vulnerabilities.read_report(
            LOCK, "", "ERROR:pip_audit._cli:invalid requirement in requirements.lock"
        )


@pytest.mark.control("V18")
@pytest.mark.parametrize(("report", "code"), [(VULNERABLE, 1), (SOME_AUDITED, 0)])
def test_the_command_fails_for_a_known_vulnerability_alone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    report: dict[str, list[dict[str, list[dict[Any, Any]] | str]]],
    code: int,
) -> None:
    lock = tmp_path / "lock"
    lock.write_text(LOCK, "utf-8")
    # Stands in for the interpreter that would run pip-audit, and ends as pip-audit does.
    played = tmp_path / "python"
    played.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(report)}\nEND\nexit {code}\n", "utf-8")
    played.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(played))
    assert vulnerabilities.main([str(lock)]) == code


def test_the_command_asks_with_the_options_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "lock"
    lock.write_text(LOCK, "utf-8")
    played = tmp_path / "python"
    played.write_text('#!/bin/sh\necho "$@" >&2\nexit 2\n', "utf-8")
    played.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(played))
    assert vulnerabilities.main([str(lock), "--ignore-vuln", "PYSEC-2024-1"]) == 1
    assert capsys.readouterr().err.split()[-2:] == ["--ignore-vuln", "PYSEC-2024-1"]


def test_the_lock_of_the_project_is_read_whole() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pins = re.findall(r"^[\w.-]+==", lock, re.MULTILINE)
    assert len(vulnerabilities.read_report(lock, "", NO_CONNECTION).missed) == len(pins) > 100
