"""Measure throughput by number of clients, and what overload does."""

import math
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from libs.budget.stages import TOTAL_S
from tests.benchmarks.asking import asking
from tests.benchmarks.corpora import Question
from tests.benchmarks.figures import Figures, round_off
from tests.benchmarks.load import OK, Load, arrivals, closed_load, open_load
from tests.benchmarks.product import Product

CLIENTS = (1, 8, 32)
OVERLOADS = (0.5, 1.0, 2.0, 4.0)
REJECTED = ("429", "503", "504")
REFUSED = "429"


async def measure_throughput(
    figures: Figures, product: Product, book: str, questions: Sequence[Question], duration_s: float
) -> float:
    """Ask from 1, 8 and 32 clients at once. Returns the highest throughput, in answers a second."""
    best = 0.0
    async with asking(product.url, book, questions) as asker:
        await closed_load(asker.sender("warm up"), 8, min(2.0, duration_s / 2))
        for clients in CLIENTS:
            began = time.process_time()
            with product.measured() as use:
                load = await closed_load(asker.sender(f"{clients} clients"), clients, duration_s)
            name, rate = f"throughput.{clients}", load.goodput_per_s(TOTAL_S)
            answers = max(1, load.outcomes.get(OK, 0))
            figures.add(f"{name}.rate", rate, "answers/s", better="higher")
            figures.add(f"{name}.cpu", 1e3 * use.total_s / answers, "ms CPU", guarded=True)
            own_cpu_s = time.process_time() - began
            figures.add(f"{name}.generator_cpu", 1e3 * own_cpu_s / answers, "ms CPU")
            figures.add(f"{name}.refused", len(load.samples) - load.outcomes.get(OK, 0), "")
            for share in (0.5, 0.95, 0.99):
                figures.add(f"{name}.p{100 * share:.0f}", load.latency_ms(share), "ms")
            best = max(best, rate)
    return best


async def measure_overload(
    product: Product,
    book: str,
    questions: Sequence[Question],
    *,
    capacity_per_s: float,
    duration_s: float,
    repeats: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Offer parts and multiples of the capacity by an open load; one row for each.

    A peak is that of a closed load right before, for a machine is not as fast all day.
    """
    runs: list[list[dict[str, Any]]] = [[] for _ in OVERLOADS]
    for number in range(repeats):
        async with asking(product.url, book, questions) as asker:
            closed = await closed_load(asker.sender(f"peak {number}"), CLIENTS[-1], duration_s / 2)
            peak = closed.goodput_per_s(TOTAL_S)
            for rows, times in zip(runs, OVERLOADS, strict=True):
                starts = arrivals(times * capacity_per_s, duration_s, seed + number)
                began = time.process_time()
                with product.measured() as use:
                    load = await open_load(
                        asker.sender(f"{times} times {number}"), starts, duration_s
                    )
                own_cpu_s = time.process_time() - began
                rows.append(overload_row(times, load, use.total_s, own_cpu_s, peak))
    return [median_row(rows) for rows in runs]


def overload_row(
    times: float, load: Load, cpu_s: float, generator_cpu_s: float, peak_per_s: float
) -> dict[str, Any]:
    """Return what one load came to; goodput counts what was answered within the deadline."""
    outcomes = load.outcomes
    other = {name: n for name, n in outcomes.items() if name not in (OK, *REJECTED)}
    goodput = load.goodput_per_s(TOTAL_S)
    return {
        "times_capacity": times,
        "offered_per_s": round_off(load.offered_per_s),
        "goodput_per_s": round_off(goodput),
        "share_of_peak": round_off(goodput / peak_per_s) if peak_per_s else 0.0,
        "requests": len(load.samples),
        "answered": outcomes.get(OK, 0),
        "rejected": {name: outcomes.get(name, 0) for name in REJECTED},
        "other": other,
        "refused_p50_ms": _or_none(load.latency_ms(0.50, REFUSED)),
        "refused_p99_ms": _or_none(load.latency_ms(0.99, REFUSED)),
        "p50_ms": _or_none(load.latency_ms(0.50)),
        "p95_ms": _or_none(load.latency_ms(0.95)),
        "p99_ms": _or_none(load.latency_ms(0.99)),
        "quiet_after_s": round_off(load.wall_s - load.offered_s),
        "generator_late_p99_ms": _or_none(load.late_ms(0.99)),
        "cpu_per_answer_ms": round_off(1e3 * cpu_s / max(1, outcomes.get(OK, 0))),
        "generator_cpu_ms": round_off(1e3 * generator_cpu_s / max(1, len(load.samples))),
    }


def median_row(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of each rate and time of repeats of one load, and the sum of its counts."""
    row: dict[str, Any] = {}
    for name, first in rows[0].items():
        values = [repeat[name] for repeat in rows]
        if isinstance(first, dict):
            keys = dict.fromkeys(key for value in values for key in value)
            row[name] = {key: sum(value.get(key, 0) for value in values) for key in keys}
        elif isinstance(first, int):
            row[name] = sum(values)
        else:
            known = [value for value in values if value is not None]
            row[name] = round_off(median(known)) if known else None
    return row


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else round_off(value)
