"""Kill a process of the product in the middle of streamed answers, and judge what the record has.

with killing(home, {SAMPLE: SAMPLE_PATH}) as kills:
    kills.play(["generation"], after=3)    # the third sentence that a reader receives is its last
    verdict = kills.judge()
"""

import asyncio
import os
import random
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.processes import POSTGRES
from tests.support import scripted_model as model
from tests.support.aside import MODEL_KEY, model_in_thread
from tests.support.readers import (
    Reading,
    Recorded,
    dsn_of,
    proven_lines,
    read_answer,
    read_rows,
    recorded_rows,
)
from tests.support.stack import (
    QUESTION,
    SAMPLE,
    RunningStack,
    eventually,
    is_ready,
    running_stack,
)

BACKEND = "a connection of PostgreSQL"
VICTIMS = ("generation", POSTGRES, "gateway", BACKEND)
"""Those that a row of the record goes through."""
ALL_VICTIMS = (*VICTIMS, "retrieval", "qdrant", "ingest")
READERS = 3
MOST_SENTENCES = 6
_BACKENDS = (
    "SELECT pid FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
)

_LINES, _PAUSE_S = 3, 0.1
_CHANCE = random.Random(1)
_BACK_S = 300.0
_REFUSED_S = 0.2
_PAUSE_BETWEEN_S = 0.5
"""At most so long after one process of a round the next is killed."""
_CLOSED_WITHIN_S = 90.0
"""Rows that are left open are closed after 15 s, by a look each 15 s, once the service is back."""


@dataclass(frozen=True)
class Verdict:
    """What was received and what is recorded of it; the last four are faults, by request."""

    kills: dict[str, int]
    streams: int
    sentences: int
    whole: int
    rows: int
    lost: tuple[str, ...]
    incomplete: tuple[str, ...]
    doubled: tuple[str, ...]
    open: int

    @property
    def holds(self) -> bool:
        return not (self.lost or self.incomplete or self.doubled or self.open)


@dataclass
class Kills:
    """The running product, whose model speaks line by line, and all that was read from it."""

    stack: RunningStack
    dsn: str
    readings: list[Reading] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def play(
        self,
        victims: Sequence[str],
        after: int,
        chance: random.Random = _CHANCE,
        *,
        again: float = 0.0,
    ) -> None:
        """Let readers ask, kill at their sentence of that number, and wait for all to be back.

        The first of `victims` is killed at the sentence, each other one shortly after the one before,
        and a share of them, `again`, once more while they come back.
        """
        received, ended = threading.Semaphore(0), threading.Event()

        def read() -> list[Reading]:
            found = []
            while not ended.is_set():
                found.append(read_answer(self.stack.url, uuid.uuid4().hex, received.release))
                if not found[-1].sentences:
                    ended.wait(_REFUSED_S)
            return found

        with ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(read) for _ in range(READERS)]
            try:
                for _ in range(after):
                    assert received.acquire(timeout=60), "no sentence comes"
                self._kill(victims, chance, again)
            finally:
                ended.set()
            for reader in readers:
                self.readings.extend(reader.result(60))
        eventually(lambda: is_ready(self.stack.url), "not ready", _BACK_S)

    def _kill(self, victims: Sequence[str], chance: random.Random, again: float) -> None:
        killed = {}
        for number, victim in enumerate(_connection_first(victims)):
            if number:
                time.sleep(chance.uniform(0, _PAUSE_BETWEEN_S))
            if victim == BACKEND:
                _kill_backend(self.dsn, chance)
            else:
                killed[victim] = self.stack.kill(victim)
            self.done[victim] += 1
        for victim in [one for one in killed if chance.random() < again]:
            killed[victim] = self._kill_again(victim, killed[victim])
            self.done[victim] += 1
        for victim, pid in killed.items():
            self.stack.wait_for_return(victim, pid, _BACK_S)

    def _kill_again(self, victim: str, old_pid: int) -> int:
        """Kill a process as soon as it is started again, whether or not it is ready."""
        found = [old_pid]

        def is_killed() -> bool:
            with suppress(KeyError, TypeError, ProcessLookupError):
                if (pid := self.stack.pid(victim)) != old_pid:
                    os.kill(pid, signal.SIGKILL)
                    found.append(pid)
            return len(found) > 1

        eventually(is_killed, f"{victim} is not started", _BACK_S)
        return found[-1]

    def judge(self) -> Verdict:
        """Compare once what was left open is closed, or has had long enough to be."""
        seen = [one.request_id for one in self.readings]
        with suppress(AssertionError):  # the verdict counts them
            eventually(lambda: not self._open(), "rows stay open", _CLOSED_WITHIN_S)
        rows = recorded_rows(self.dsn, seen)
        return Verdict(
            kills=dict(self.done),
            streams=len(self.readings),
            sentences=sum(len(one.sentences) for one in self.readings),
            whole=sum(one.answer is not None for one in self.readings),
            rows=sum(map(len, rows.values())),
            lost=_failing(self.readings, rows, _is_lost),
            incomplete=_failing(self.readings, rows, _is_incomplete),
            doubled=_failing(self.readings, rows, _is_doubled),
            open=self._open(),
        )

    def _open(self) -> int:
        [row] = read_rows(self.dsn, "SELECT count(*) AS open FROM audit_opened")
        return int(row["open"])


def _connection_first(victims: Sequence[str]) -> list[str]:
    """Put a connection before its server, where both are to be killed: after it there is none."""
    ordered = list(victims)
    if {BACKEND, POSTGRES} <= {*ordered}:
        first, second = sorted(map(ordered.index, (BACKEND, POSTGRES)))
        ordered[first], ordered[second] = BACKEND, POSTGRES
    return ordered


def _is_lost(reading: Reading, rows: Sequence[Recorded]) -> bool:
    return bool(reading.sentences or reading.answer) and not rows


def _is_incomplete(reading: Reading, rows: Sequence[Recorded]) -> bool:
    """Whether its row lacks a sentence that was read, or is no answer's where there was one."""
    if not rows:
        return False
    lacking = set(reading.sentences) - rows[0].shown
    return bool(lacking) or (reading.answer is not None and not rows[0].success)


def _is_doubled(_: Reading, rows: Sequence[Recorded]) -> bool:
    parts = [part for row in rows for part in (row.sentences, row.taken_back)]
    return len(rows) > 1 or any(len(part) != len(set(part)) for part in parts)


def _failing(
    readings: Sequence[Reading],
    rows: Mapping[str, Sequence[Recorded]],
    is_fault: Callable[[Reading, Sequence[Recorded]], bool],
) -> tuple[str, ...]:
    return tuple(one.request_id for one in readings if is_fault(one, rows[one.request_id]))


def _kill_backend(dsn: str, chance: random.Random) -> None:
    """Kill the process of one of the services' connections; they come and go."""
    while True:
        found = read_rows(dsn, _BACKENDS)
        with suppress(IndexError, ProcessLookupError):
            os.kill(int(chance.choice(found)["pid"]), signal.SIGKILL)
            return


@contextmanager
def killing(home: Path, books: Mapping[str, Path] | None = None) -> Iterator[Kills]:
    """Run the product with a model that speaks three lines which the sample book proves.

    It is among `books`, or in the home already.
    """
    lines: list[str] = []

    async def speak(exchange: model.Exchange) -> None:
        await exchange.begin_stream()
        for line in lines:
            await exchange.text(f"{line}\n")
            await asyncio.sleep(_PAUSE_S)
        await exchange.end_stream()

    with (
        model_in_thread(speak) as played,
        running_stack(
            home,
            books=books,
            environment={
                "GENERATION_ANSWERER": "openai",
                "GENERATION_MODEL_URL": played.url,
                "GENERATION_MODEL_KEY": MODEL_KEY,
            },
        ) as stack,
    ):
        stack.finds_soon(SAMPLE, QUESTION)
        lines.extend(proven_lines(stack)[:_LINES])
        yield Kills(stack, dsn_of(stack))
