"""Send many requests, by a closed or an open load, and count what came of them.

Closed: so many clients, each sends its next request when the last one was answered. It measures
throughput, but a slow server slows its own clients down, and what they did not send is not seen.
Open: requests start at times fixed beforehand, whatever has become of the earlier ones, and a
latency counts from the *intended* start (free of coordinated omission): while a server stalls,
every request that was due meanwhile is late.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count

from tests.benchmarks.figures import percentile

OK = "ok"
Send = Callable[[int], Awaitable[str]]
"""Sends the request of this number and returns OK, or what it ended as: "429", "timeout", …"""


@dataclass(frozen=True)
class Sample:
    """One request. `late_s`: how long after the intended moment it was really sent."""

    outcome: str
    latency_s: float
    late_s: float = 0.0


@dataclass(frozen=True)
class Load:
    """What came of a load that was offered for `offered_s` seconds."""

    samples: Sequence[Sample]
    offered_s: float
    wall_s: float

    @property
    def outcomes(self) -> dict[str, int]:
        return dict(sorted(Counter(sample.outcome for sample in self.samples).items()))

    @property
    def offered_per_s(self) -> float:
        return len(self.samples) / self.offered_s

    def goodput_per_s(self, within_s: float) -> float:
        """Return answers a second that came within `within_s` of their intended start."""
        good = [s for s in self.samples if s.outcome == OK and s.latency_s <= within_s]
        return len(good) / self.wall_s

    def latency_ms(self, share: float, outcome: str = OK) -> float:
        """Return this percentile of the latency of what ended as `outcome`; nan if nothing did."""
        return 1e3 * percentile([s.latency_s for s in self.samples if s.outcome == outcome], share)

    def late_ms(self, share: float) -> float:
        """Return this percentile of how late the generator itself was: its own honesty."""
        return 1e3 * percentile([sample.late_s for sample in self.samples], share)


def arrivals(rate_per_s: float, duration_s: float, seed: int) -> list[float]:
    """Return start times in [0, duration_s) of independent visitors: a Poisson process."""
    chance = random.Random(seed)
    times, at = [], chance.expovariate(rate_per_s)
    while at < duration_s:
        times.append(at)
        at += chance.expovariate(rate_per_s)
    return times


async def closed_load(
    send: Send,
    clients: int,
    duration_s: float,
    *,
    now: Callable[[], float] = time.perf_counter,
) -> Load:
    """Let `clients` send one after the other until `duration_s` is over, and wait for the last."""
    samples: list[Sample] = []
    numbers = count()
    began = now()

    async def client() -> None:
        while (start := now()) - began < duration_s:
            outcome = await send(next(numbers))
            samples.append(Sample(outcome, now() - start))

    await asyncio.gather(*(client() for _ in range(clients)))
    wall_s = now() - began
    return Load(samples, wall_s, wall_s)


async def open_load(
    send: Send,
    starts: Sequence[float],
    duration_s: float,
    *,
    now: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Load:
    """Send a request at each of `starts` (seconds from now), never waiting for an answer first."""
    samples: list[Sample] = []
    began = now()

    async def one(number: int, due: float) -> None:
        late_s = now() - due
        outcome = await send(number)
        samples.append(Sample(outcome, now() - due, late_s))

    async with asyncio.TaskGroup() as tasks:
        for number, start in enumerate(starts):
            due = began + start
            if (wait_s := due - now()) > 0:
                await sleep(wait_s)
            tasks.create_task(one(number, due))
    return Load(samples, duration_s, max(now() - began, duration_s))
