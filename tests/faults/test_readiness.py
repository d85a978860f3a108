"""Readiness says what a question would get, in each state of the parts behind the gateway."""

import os
import signal
from collections.abc import Iterator

import httpx
import pytest

from tests.support.engines import children_of
from tests.support.stack import NAMES, RunningStack, eventually, running_stack

BOOK, QUESTION = "gears", "What is a gear?"
LACKING = {
    "postgres": {"ingest", "generation"},
    "qdrant": {"retrieval"},
    "ingest": {"ingest"},
    "retrieval": {"retrieval"},
    "generation": {"generation"},
}
"""Which services are not ready while a process stands still."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    folder = tmp_path_factory.mktemp("readiness")
    book = folder / "book"
    book.mkdir()
    (book / "a.md").write_text("# Gears\n\nA gear is a wheel with teeth.", "utf-8")
    # Nothing is started again meanwhile: what stands still does so until the test lets it go on.
    patience = {"QUOTH_PATIENCE_S": "600"}
    with running_stack(folder / "home", books={BOOK: book}, environment=patience) as running:
        yield running


def ask(stack: RunningStack) -> httpx.Response:
    url = f"{stack.url}/v1/books/{BOOK}/answers"
    return httpx.post(url, json={"question": QUESTION}, timeout=30, trust_env=False)


def asked(stack: RunningStack) -> int:
    return ask(stack).status_code


def not_serving(stack: RunningStack) -> set[str]:
    response = httpx.get(f"{stack.url}/readyz", timeout=30, trust_env=False)
    parts: dict[str, str] = response.json()["parts"]
    lacking = {name for name, state in parts.items() if state != "serving"}
    assert response.status_code == (503 if lacking else 200)
    return lacking


def processes(stack: RunningStack, name: str) -> list[int]:
    """Return what a process of ours consists of: PostgreSQL of many, below the one that waits."""
    pid = stack.pid(name)
    if name != "postgres":
        return [pid]
    [server] = children_of(pid)
    return [server, *children_of(server)]


def test_the_table_has_every_process() -> None:
    assert {*LACKING, "gateway"} == {*NAMES}


@pytest.mark.fault("D2", "D3", "P9")
@pytest.mark.invariant("I8")
@pytest.mark.parametrize("name", LACKING)
def test_it_is_ready_exactly_while_questions_are_answered(stack: RunningStack, name: str) -> None:
    eventually(lambda: not not_serving(stack), "not ready before")
    assert asked(stack) == 200
    halted = processes(stack, name)
    for pid in halted:
        os.kill(pid, signal.SIGSTOP)
    try:
        first = ask(stack)
        assert (first.status_code, first.headers["retry-after"]) == (503, "1"), first.text
        assert "does not answer" in first.json()["detail"]
        eventually(lambda: not_serving(stack) >= LACKING[name], f"ready without {name}")
        assert asked(stack) == 503
        assert not_serving(stack) == LACKING[name]
    finally:
        for pid in halted:
            os.kill(pid, signal.SIGCONT)
    eventually(lambda: not not_serving(stack), f"not ready with {name} again")
    stack.answers_soon(BOOK, QUESTION)
