"""Fixtures of more than one folder; properties hold at any speed of the machine."""

import gc
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer

from tests.catalogue import ROWS
from tests.support.authorities import one_authority
from tests.support.browser import browser
from tests.support.ingest_service import engines
from tests.support.real_books import read_book, read_parsed
from tests.support.rewriting import are_mostly_kept, one_first
from tests.support.spread import SpreadScheduling
from tests.support.stack import only_sample_stack, sample_home, sample_stack, sample_template
from tests.support.telemetry import exporter, recorded

# Imported here and nowhere else: a fixture that test files import is made once for each of them.
__all__ = [
    "browser",
    "engines",
    "exporter",
    "only_sample_stack",
    "read_book",
    "read_parsed",
    "recorded",
    "sample_home",
    "sample_stack",
    "sample_template",
]

settings.register_profile("quoth", deadline=None)
settings.load_profile("quoth")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without looking for garbage: all that is made stays, and is much.

    Looking took two fifths of it for each worker, and would go on through all of it in every test.
    """
    gc.disable()
    try:
        with _in_turn(session.config):
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _in_turn(config: pytest.Config) -> AbstractContextManager[None]:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    tests = Path(__file__).parent.rglob("test_*.py")
    # Without its plugin there is no cache.
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if run is None or cache is None or are_mostly_kept(tests):
        return nullcontext()
    return one_first(cache.mkdir("rewriting") / "done", run)


@pytest.fixture(scope="session", autouse=True)
def _only_one_authority() -> Iterator[None]:
    with one_authority():
        yield


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SpreadScheduling | None:
    return SpreadScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if unknown := unknown_rows(item.iter_markers()):
            raise pytest.UsageError(f"{item.nodeid}: not in tests/catalogue.py: {unknown}")


def unknown_rows(marks: Iterable[pytest.Mark]) -> list[str]:
    """Return what the markers of the catalogue name that it does not have."""
    return [one for mark in marks for one in _unknown(mark)]


def _unknown(mark: pytest.Mark) -> Iterator[str]:
    if mark.name not in ROWS:
        return
    if not mark.args:
        yield mark.name
    for row in mark.args:
        if row not in ROWS[mark.name]:
            yield f"{mark.name} {row}"
