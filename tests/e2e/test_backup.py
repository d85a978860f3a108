"""`quoth backup` of a laptop that runs, and `quoth restore` into another: the same answers."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deploy.local.settings import PORTS
from tests.support.ports import free_ports
from tests.support.stack import (
    CHECKOUT,
    QUESTION,
    SAMPLE,
    RunningStack,
    assert_nothing_left,
    eventually,
    running_stack,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

QUESTIONS = (QUESTION, "What does a servo do?", "Who won the football match?")
OWN = {"answer_id", "timings", "timestamp"}


def quoth(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command on the stores of a home."""
    own = {"QUOTH_HOME": str(home), "QUOTH_PORT": str(free_ports(PORTS))}
    return subprocess.run(
        [sys.executable, "-m", "deploy.cli", *arguments],
        cwd=CHECKOUT,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def answers(stack: RunningStack) -> list[dict[str, Any]]:
    # The first question with a word that the book lacks may not wait until the words are read.
    eventually(lambda: not stack.ask(SAMPLE, QUESTIONS[-1])["degraded"], "words are not read")
    given = [stack.ask(SAMPLE, question) for question in QUESTIONS]
    return [{key: one[key] for key in one.keys() - OWN} for one in given]


def test_a_restored_laptop_gives_the_same_answers(
    sample_stack: RunningStack, tmp_path: Path
) -> None:
    place, home = tmp_path / "backup", tmp_path / "home"
    taken = quoth(sample_stack.home, "backup", str(place))
    assert taken.returncode == 0, taken.stderr
    assert ": 1 book, " in taken.stdout
    for path in (place, *place.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path

    restored = quoth(home, "restore", str(place))
    assert restored.returncode == 0, restored.stderr
    assert_nothing_left(home)
    with running_stack(home) as stack:
        assert answers(stack) == answers(sample_stack)

    again = quoth(home, "restore", str(place))
    assert again.returncode == 1
    assert "not empty" in again.stderr
    at_rest = quoth(home, "backup", str(tmp_path / "another"))
    assert at_rest.returncode == 0, at_rest.stderr


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    for place in (str(tmp_path / "nowhere"), "nowhere://here"):
        done = quoth(tmp_path / "home", "restore", place)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert str(place) in done.stderr or "or to s3://" in done.stderr
    assert not (tmp_path / "home").exists()


def test_a_home_that_holds_nothing_is_told_and_not_made(tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "backup"
    done = quoth(home, "backup", str(place))
    assert done.returncode == 2
    assert f"{home} has nothing to back up" in " ".join(done.stderr.split())
    assert not home.exists()
    assert not place.exists()
