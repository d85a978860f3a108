"""Of the workers of a run one makes what the others then read."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Event

import pytest

from tests.support.rewriting import are_mostly_kept, kept_beside, one_first

WAIT_S = 60


@contextmanager
def entered(done: Path, run: str, went: list[str], name: str) -> Iterator[None]:
    with one_first(done, run):
        went.append(f"{name} in")
        yield
        went.append(f"{name} out")


def test_all_wait_for_the_first_and_then_go_together(tmp_path: Path) -> None:
    went: list[str] = []
    together = Barrier(2, timeout=WAIT_S)
    waiting = Event()

    def follow(name: str) -> None:
        waiting.set()
        with entered(tmp_path / "done", "run 2", went, name):
            together.wait()

    (tmp_path / "done").write_text("run 1", "utf-8")
    with ThreadPoolExecutor() as pool:
        with entered(tmp_path / "done", "run 2", went, "first"):
            others = [pool.submit(follow, name) for name in ("second", "third")]
            assert waiting.wait(WAIT_S)
        for other in others:
            other.result(WAIT_S)
    assert went[:2] == ["first in", "first out"]
    assert len(went) == 6


def test_whoever_comes_after_one_that_failed_is_the_first_again(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), one_first(tmp_path / "done", "run"):
        raise ZeroDivisionError
    assert (tmp_path / "done").read_text("utf-8") == ""
    with one_first(tmp_path / "done", "run"):
        pass
    assert (tmp_path / "done").read_text("utf-8") == "run"


def test_pytest_keeps_what_it_makes_of_a_file_where_it_is_looked_for() -> None:
    assert sys.dont_write_bytecode or kept_beside(Path(__file__)).exists()


def test_nobody_waits_where_most_is_kept_or_nothing_will_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    tests = [tmp_path / f"test_{number}.py" for number in range(3)]
    assert not are_mostly_kept(tests)
    kept_beside(tests[0]).parent.mkdir(parents=True)
    for path in tests[:2]:
        assert not are_mostly_kept(tests)
        kept_beside(path).touch()
    assert are_mostly_kept(tests)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert are_mostly_kept([tmp_path / "test_another.py"])
