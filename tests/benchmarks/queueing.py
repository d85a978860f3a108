"""A small simulation of queues: answers pass through processes that each do one thing at a time.

An answer is a list of visits, `(station, seconds of CPU)`. A station is one service; each of its
replicas has a queue, and callers take them in turn. Replicas have a core each, or share the cores of
one machine. The gateway admits so many at once; others wait, but not for long and not too many.
"""

import heapq
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Visit = tuple[str, float]
Draw = Callable[[random.Random], list[Visit]]


@dataclass(frozen=True)
class Setup:
    """What there is: replicas by station; `cores` that all share, or None where each has its own.

    `admitted` are the answers worked on at once and `most_waiting` those that wait for that, both
    for each gateway; `patience_s` is how long one waits before it is refused.
    """

    replicas: Mapping[str, int]
    cores: int | None = None
    admitted: int = 16
    most_waiting: int = 128
    patience_s: float = 1.0


@dataclass
class Outcome:
    """What became of a run: seconds from intention to answer, and how many were refused."""

    seconds: list[float] = field(default_factory=list)
    refused: int = 0
    lasted_s: float = 0.0

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.lasted_s

    def quantile_ms(self, share: float) -> float:
        ordered = sorted(self.seconds)
        if not ordered:
            return math.nan
        return 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Replica:
    def __init__(self) -> None:
        self.waiting: deque[tuple[_Answer, float]] = deque()
        self.is_busy = False


class _Answer:
    def __init__(self, began: float, visits: Sequence[Visit]) -> None:
        self.began = began
        self.visits = deque(visits)


class Simulation:
    """One run; `open_load` or `closed_load` says who asks."""

    def __init__(self, setup: Setup, draw: Draw, seed: int) -> None:
        self._setup = setup
        self._draw = draw
        self._random = random.Random(seed)
        self._stations = {
            name: [_Replica() for _ in range(count)] for name, count in setup.replicas.items()
        }
        self._turns = {name: itertools.cycle(all_) for name, all_ in self._stations.items()}
        self._free_cores = setup.cores if setup.cores is not None else math.inf
        self._for_core: deque[tuple[_Replica, _Answer, float]] = deque()
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._now = 0.0
        gateways = setup.replicas["gateway"]
        self._free_places = setup.admitted * gateways
        self._most_waiting = setup.most_waiting * gateways
        self._outside: deque[_Answer] = deque()
        self._outcome = Outcome()
        self._after: Callable[[], None] = lambda: None

    def open_load(self, rate: float, lasts_s: float) -> Outcome:
        """Ask at random moments, `rate` a second, whatever has become of those before."""
        moment = self._random.expovariate(rate)
        while moment < lasts_s:
            self._at(moment, self._ask)
            moment += self._random.expovariate(rate)
        return self._run(lasts_s)

    def closed_load(self, clients: int, lasts_s: float) -> Outcome:
        """Let each of `clients` ask again when it was answered."""
        self._after = lambda: self._ask() if self._now < lasts_s else None
        for _ in range(clients):
            self._at(0.0, self._ask)
        return self._run(lasts_s)

    def _run(self, lasts_s: float) -> Outcome:
        while self._events:
            self._now, _, happen = heapq.heappop(self._events)
            happen()
        self._outcome.lasted_s = max(lasts_s, self._now)
        return self._outcome

    def _at(self, moment: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._numbers), happen))

    def _ask(self) -> None:
        answer = _Answer(self._now, self._draw(self._random))
        if self._free_places:
            self._free_places -= 1
            self._go_on(answer)
        elif len(self._outside) < self._most_waiting:
            self._outside.append(answer)
        else:
            self._outcome.refused += 1
            self._after()

    def _go_on(self, answer: _Answer) -> None:
        if not answer.visits:
            self._outcome.seconds.append(self._now - answer.began)
            self._admit_next()
            self._after()
            return
        station, seconds = answer.visits.popleft()
        replica = next(self._turns[station])
        replica.waiting.append((answer, seconds))
        self._serve(replica)

    def _admit_next(self) -> None:
        self._free_places += 1
        while self._outside:
            waiting = self._outside.popleft()
            if self._now - waiting.began > self._setup.patience_s:
                self._outcome.refused += 1
                continue
            self._free_places -= 1
            self._go_on(waiting)
            return

    def _serve(self, replica: _Replica) -> None:
        if replica.is_busy or not replica.waiting:
            return
        replica.is_busy = True
        answer, seconds = replica.waiting.popleft()
        if self._free_cores:
            self._begin(replica, answer, seconds)
        else:
            self._for_core.append((replica, answer, seconds))

    def _begin(self, replica: _Replica, answer: _Answer, seconds: float) -> None:
        self._free_cores -= 1
        self._at(self._now + seconds, lambda: self._done(replica, answer))

    def _done(self, replica: _Replica, answer: _Answer) -> None:
        self._free_cores += 1
        replica.is_busy = False
        self._serve(replica)
        if self._for_core and self._free_cores:
            self._begin(*self._for_core.popleft())
        self._go_on(answer)
