"""Catalogue P1, P2, P9: replicas of retrieval that are killed, restarted in turn, or stand still.

And generation that stands still.
"""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.aside import aside, aside_process, post
from tests.support.ports import free_ports
from tests.support.stack import (
    QUESTION,
    SAMPLE,
    RunningStack,
    eventually,
)

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

LATE = (503, 504)
ASKERS = 4
ENOUGH = 25
_BETWEEN_ASKS_S = 0.1
"""Questions answered after each event, before the next."""


@dataclass
class Replicas:
    """Retrieval processes at fixed ports, behind a generation and a gateway of their own."""

    stack: RunningStack
    ports: list[int]
    url: str = ""
    processes: dict[int, "subprocess.Popen[str]"] = field(default_factory=dict)
    opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def start(self, port: int) -> None:
        listen: dict[str, Any] = {"RETRIEVAL_LISTEN": f"127.0.0.1:{port}"}
        process, _ = self.opened.enter_context(aside_process(self.stack, "retrieval", **listen))
        self.processes[port] = process

    def kill(self, port: int) -> None:
        self.processes[port].kill()
        self.processes[port].wait(30)

    def signal(self, port: int, number: signal.Signals) -> None:
        os.kill(self.processes[port].pid, number)

    def status(self) -> int:
        return post(self.url, SAMPLE, QUESTION).status_code

    def answers(self) -> bool:
        return self.status() == 200

    def reach(self, port: int) -> None:
        """Wait until the gateway and generation are both connected to a replica."""
        eventually(lambda: len(_connections(port)) >= 2, f"nobody connects to {port}")


@contextmanager
def replicas(stack: RunningStack, count: int) -> Iterator[Replicas]:
    """Run `count` of them behind one target, as README says it for several."""
    first = free_ports(count)
    group = Replicas(stack, list(range(first, first + count)))
    target = "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in group.ports)
    with group.opened:
        for port in group.ports:
            group.start(port)
        generation = group.opened.enter_context(
            aside(stack, "generation", GENERATION_RETRIEVAL=target)
        )
        group.url = group.opened.enter_context(
            aside(stack, "gateway", GATEWAY_GENERATION=generation, GATEWAY_RETRIEVAL=target)
        )
        eventually(group.answers, "no answer")
        eventually(lambda: _search(group.url).status_code == 200, "no passages")
        yield group


def _search(url: str) -> httpx.Response:
    body = {"question": QUESTION}
    return httpx.post(f"{url}/v1/books/{SAMPLE}/search", json=body, timeout=30, trust_env=False)


@dataclass
class Load:
    """What readers who ask one question after the other got, since the beginning."""

    answered: int = 0
    errors: list[str] = field(default_factory=list)

    def note(self, response: httpx.Response) -> None:
        self.answered += 1
        if response.status_code != 200:
            self.errors.append(f"{self.answered}: {response.status_code} {response.text}")

    def more(self) -> None:
        """Wait until enough further questions have had their answer."""
        enough = self.answered + ENOUGH
        eventually(lambda: self.answered >= enough, f"too slow: {self.answered}", 300)


@contextmanager
def load(url: str) -> Iterator[Load]:
    """Ask and search, from several threads, until the block ends."""
    found, ended = Load(), threading.Event()

    def ask(kind: Callable[[str], httpx.Response]) -> None:
        # With a pause: it is not how much they carry that is tried here.
        while not ended.wait(_BETWEEN_ASKS_S):
            found.note(kind(url))

    kinds = [_search, lambda url: post(url, SAMPLE, QUESTION)]
    with ThreadPoolExecutor(ASKERS) as threads:
        asked = [threads.submit(ask, kinds[number % 2]) for number in range(ASKERS)]
        try:
            yield found
        finally:
            ended.set()
    for one in asked:
        one.result()


def _connections(port: int) -> list[int]:
    """Bytes not yet read, of each connection that is established to a port of this machine."""
    found = []
    lines = [
        *_lines("/proc/net/tcp"),
        *_lines("/proc/net/tcp6"),
    ]  # gRPC's sockets are of both kinds
    for line in lines:
        _, local, _, state, queues, *_ = line.split()
        if state == "01" and int(local.rpartition(":")[2], 16) == port:
            found.append(int(queues.rpartition(":")[2], 16))
    return found


def _lines(table: str) -> list[str]:
    return Path(table).read_text().splitlines()[1:] if Path(table).exists() else []


def _ask_while_it_stands_still(group: Replicas, asker: ThreadPoolExecutor) -> "Future[int]":
    """Stop the only replica and ask; returns when the question lies unread at its door."""
    [port] = group.ports
    group.signal(port, signal.SIGSTOP)
    asked = asker.submit(group.status)
    eventually(lambda: any(_connections(port)), "the question does not arrive")
    return asked


@pytest.mark.fault("P2")
def test_one_of_two_killed_under_load_is_no_error_for_anybody(
    sample_stack: RunningStack,
) -> None:
    with replicas(sample_stack, 2) as group, load(group.url) as asked:
        one, other = group.ports
        asked.more()
        group.kill(one)
        asked.more()
        group.start(one)
        group.reach(one)
        # A connection that is only opening is none yet: gRPC still takes its replica for dead.
        asked.more()
        group.kill(other)
        asked.more()
    assert asked.errors == []


@pytest.mark.fault("P7")
def test_restarting_them_in_turn_is_no_error_for_anybody(
    sample_stack: RunningStack,
) -> None:
    with replicas(sample_stack, 2) as group, load(group.url) as asked:
        for port in group.ports:
            asked.more()
            group.signal(port, signal.SIGTERM)
            assert group.processes[port].wait(30) == 0
            asked.more()
            group.start(port)
            group.reach(port)
        asked.more()
    assert asked.errors == []


@pytest.mark.fault("P1")
@pytest.mark.invariant("I5")
def test_the_only_one_killed_with_a_question_in_it_is_an_error_in_time_and_recovers(
    sample_stack: RunningStack,
) -> None:
    with replicas(sample_stack, 1) as group, ThreadPoolExecutor(1) as asker:
        asked = _ask_while_it_stands_still(group, asker)
        group.kill(group.ports[0])
        assert asked.result(30) in LATE
        assert group.status() in LATE
        group.start(group.ports[0])
        eventually(group.answers, "no answer after the restart")


@pytest.mark.fault("P9")
@pytest.mark.invariant("I5")
def test_the_only_one_standing_still_ends_questions_at_the_deadline_and_goes_on(
    sample_stack: RunningStack,
) -> None:
    with replicas(sample_stack, 1) as group, ThreadPoolExecutor(1) as asker:
        asked = _ask_while_it_stands_still(group, asker)
        assert asked.result(30) in LATE
        assert group.processes[group.ports[0]].poll() is None
        group.signal(group.ports[0], signal.SIGCONT)
        eventually(group.answers, "no answer after it went on")
        assert [group.status() for _ in range(5)] == [200] * 5


@pytest.mark.fault("P9")
@pytest.mark.invariant("I5")
def test_generation_standing_still_ends_questions_at_the_deadline_and_answers_none_of_them_late(
    sample_stack: RunningStack,
) -> None:
    with (
        aside_process(sample_stack, "generation") as (process, address),
        aside(sample_stack, "gateway", GATEWAY_GENERATION=address) as url,
        ThreadPoolExecutor(1) as asker,
    ):
        eventually(lambda: post(url, SAMPLE, QUESTION).status_code == 200, "no answer")
        port = int(address.rpartition(":")[2])
        os.kill(process.pid, signal.SIGSTOP)
        asked = asker.submit(lambda: post(url, SAMPLE, QUESTION))
        eventually(lambda: any(_connections(port)), "the question does not arrive")
        late = asked.result(30)
        assert late.status_code in LATE
        assert "sentences" not in late.json()
        os.kill(process.pid, signal.SIGCONT)
        eventually(lambda: post(url, SAMPLE, QUESTION).status_code == 200, "no answer after that")
        assert process.poll() is None


@pytest.mark.fault("P9")
def test_one_of_two_standing_still_is_asked_no_more_after_a_while(
    sample_stack: RunningStack,
) -> None:
    with replicas(sample_stack, 2) as group:
        group.signal(group.ports[0], signal.SIGSTOP)
        seen: list[int] = []

        def settled() -> bool:
            seen.append(group.status())
            return seen[-6:] == [200] * 6

        eventually(settled, f"it is still asked: {seen}", 30)
        assert set(seen) <= {200, *LATE}
        group.signal(group.ports[0], signal.SIGCONT)
        group.reach(group.ports[0])
        assert group.status() == 200
