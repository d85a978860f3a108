"""Reckon what many replicas carry: `python -m tests.benchmarks.capacity`.

Times of one answer are those of the last kept full result of `make bench`; the simulation is held
against the loads of the same result first, then asked about what this machine cannot hold.
"""

import math
import random
import sys
from collections.abc import Mapping

from tests.benchmarks.queueing import Draw, Outcome, Setup, Simulation, Visit
from tests.benchmarks.result import Result, read_results

SHARE = 0.7
"""Of a core: what a replica is to carry on average."""
LEAST = 2
RATES = (10, 100, 1_000, 10_000)
ANSWERS = 20_000
"""Asked in each simulated load, as far as 60 s of it give as many."""
SEED = 1
PATH = (
    ("gateway", 0.5),
    ("ingest", 1.0),
    ("generation", 0.2),
    ("retrieval", 0.5),
    ("qdrant", 1.0),
    ("retrieval", 0.5),
    ("generation", 0.8),
    ("postgres", 1.0),
    ("gateway", 0.5),
)
"""The processes of an answer, in order, with the part of each one's CPU that is spent there."""
ORDER = tuple(dict.fromkeys(name for name, _ in PATH))
STORE_MS = {100_000: 7.0, 500_000: 11.0}
"""CPU of the store for one question among books of 1,000 chunks, by chunks: README.md; smaller
libraries are in the results."""


def last_full(results: list[Result]) -> Result:
    """The newest result that measured everything."""
    return [one for one in results if one.setup["mode"] != "quick" and one.overload][-1]


def cpu_ms(result: Result) -> dict[str, float]:
    """CPU of an answer by process, in milliseconds."""
    names = {name for name, _ in PATH}
    return {name: result.value(f"answer.cpu.{name}") or 0.0 for name in names}


def drawn(costs: Mapping[str, float], result: Result) -> Draw:
    """Answers whose times differ as the measured ones do: lognormal, by their median and 95 %."""
    middle, late = (result.value(f"answer.wall.{name}") or 1.0 for name in ("p50", "p95"))
    spread = math.log(late / middle) / 1.645

    def draw(source: random.Random) -> list[Visit]:
        factor = 1e-3 * source.lognormvariate(-(spread**2) / 2, spread)
        return [(name, factor * part * costs[name]) for name, part in PATH]

    return draw


def store_ms(chunks: float, result: Result) -> float:
    """CPU of the store for one question among so many chunks, by a line over their logarithm."""
    known = dict(STORE_MS)
    for count in (3_000, 20_000):
        known[count] = result.value(f"scale.library.{count}.cpu.store") or 6.0
    points = [(math.log10(count), cost) for count, cost in known.items()]
    middle = sum(x for x, _ in points) / len(points)
    height = sum(y for _, y in points) / len(points)
    slope = sum((x - middle) * (y - height) for x, y in points) / sum(
        (x - middle) ** 2 for x, _ in points
    )
    return max(height + slope * (math.log10(chunks) - middle), min(known.values()))


def replicas_for(rate: float, costs: Mapping[str, float]) -> dict[str, int]:
    """So many of each that a core is busy for at most SHARE of the time, and never one alone."""
    return {name: max(LEAST, math.ceil(rate * cost / 1e3 / SHARE)) for name, cost in costs.items()}


def simulate(rate: float, replicas: Mapping[str, int], draw: Draw) -> Outcome:
    lasts_s = min(60.0, ANSWERS / rate)
    return Simulation(Setup(replicas), draw, SEED).open_load(rate, lasts_s)


def here(result: Result) -> Setup:
    """The machine of a result: one process of each, all on its cores."""
    return Setup(dict.fromkeys(ORDER, 1), cores=int(result.environment["cores"]))


def costs_ms(result: Result) -> dict[str, float]:
    """CPU of an answer by process, and its share of what a busy machine loses between processes.

    The one figure that is fitted: as many answers are to come out as 32 clients were measured to get.
    """
    alone = cpu_ms(result)
    run = Simulation(here(result), drawn(alone, result), SEED).closed_load(32, 60.0)
    lost = run.rate / (result.value("throughput.32.rate") or run.rate)
    return {name: cost * lost for name, cost in alone.items()}


def check(result: Result) -> list[str]:
    """The loads of the result, measured and simulated on as many cores as it had."""
    draw = drawn(costs_ms(result), result)
    lines = ["| load | answers/s | simulated | p50 ms | simulated | p95 ms | simulated |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for clients in (1, 8, 32):
        run = Simulation(here(result), draw, SEED).closed_load(clients, 60.0)
        measured = [result.value(f"throughput.{clients}.{name}") for name in ("rate", "p50", "p95")]
        lines.append(_row(f"{clients} clients", measured, run))
    for row in result.overload:
        run = Simulation(here(result), draw, SEED).open_load(row["offered_per_s"], 60.0)
        measured = [row["goodput_per_s"], row["p50_ms"], row["p95_ms"]]
        lines.append(_row(f"{row['offered_per_s']:.0f} a second", measured, run))
    return lines


def _row(name: str, measured: list[float | None], run: Outcome) -> str:
    simulated = [run.rate, run.quantile_ms(0.5), run.quantile_ms(0.95)]
    cells = [
        f"{value or 0:.0f}" for pair in zip(measured, simulated, strict=True) for value in pair
    ]
    return f"| {name} | {' | '.join(cells)} |"


def by_rate(result: Result) -> list[str]:
    """What each rate of answers takes, and what it is like with one replica of retrieval less."""
    costs = costs_ms(result)
    draw = drawn(costs, result)
    lines = ["| answers a second | replicas | p50, p99 ms | one retrieval less |"]
    lines.append("|--:|--:|--:|--:|")
    for rate in RATES:
        replicas = replicas_for(rate, costs)
        whole = simulate(rate, replicas, draw)
        fewer = simulate(rate, {**replicas, "retrieval": replicas["retrieval"] - 1}, draw)
        own = ", ".join(str(replicas[name]) for name in ORDER)
        lines.append(f"| {rate:,} | {own} | {_times(whole)} | {_times(fewer)} |")
    return lines


def _times(run: Outcome) -> str:
    refused = f", {run.refused} refused" if run.refused else ""
    return f"{run.quantile_ms(0.5):.0f}, {run.quantile_ms(0.99):.0f}{refused}"


def by_chunks(result: Result) -> list[str]:
    """What the store's cores come to where a book is in one shard, and a search asks that one."""
    lines = ["| chunks | shards | CPU of the store a question, ms | its cores at 100 a second |"]
    lines.append("|--:|--:|--:|--:|")
    for power, shards in ((4, 1), (5, 1), (6, 1), (7, 6), (8, 12), (9, 100)):
        cost = store_ms(10**power / shards, result)
        cores = math.ceil(100 * cost / 1e3 / SHARE)
        lines.append(f"| {10**power:,} | {shards} | {cost:.0f} | {cores} |")
    return lines


def main() -> int:
    result = last_full(read_results())
    print(f"Times of {result.name}, on {result.environment['cores']} cores.\n")
    for table in (check(result), by_rate(result), by_chunks(result)):
        print("\n".join(table), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
