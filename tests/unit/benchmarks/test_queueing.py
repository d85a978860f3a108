"""The simulation of queues agrees with what is known of them."""

import random
from statistics import mean

import pytest

from tests.benchmarks.capacity import check, last_full
from tests.benchmarks.queueing import Draw, Setup, Simulation, Visit
from tests.benchmarks.result import read_results


def constant(*visits: Visit) -> Draw:
    return lambda source: list(visits)


def at_random(mean_s: float) -> Draw:
    def draw(source: random.Random) -> list[Visit]:
        return [("gateway", source.expovariate(1 / mean_s))]

    return draw


def test_one_queue_takes_as_long_as_theory_says() -> None:
    setup = Setup({"gateway": 1}, admitted=10**6)
    run = Simulation(setup, at_random(0.01), seed=3).open_load(50, 2_000)
    # M/M/1: the mean is 1 / (100 - 50) s.
    assert mean(run.seconds) == pytest.approx(0.02, rel=0.05)
    assert run.rate == pytest.approx(50, rel=0.02)


def test_replicas_with_cores_of_their_own_carry_as_many_times_the_load() -> None:
    draw = constant(("gateway", 0.0), ("retrieval", 0.01))
    one, four = (
        Simulation(Setup({"gateway": 1, "retrieval": count}), draw, 1).closed_load(16, 20)
        for count in (1, 4)
    )
    assert one.rate == pytest.approx(100, rel=0.01)
    assert four.rate == pytest.approx(400, rel=0.01)


def test_replicas_on_one_core_carry_no_more_than_one() -> None:
    draw = constant(("gateway", 0.0), ("retrieval", 0.01))
    setup = Setup({"gateway": 1, "retrieval": 4}, cores=1)
    assert Simulation(setup, draw, 1).closed_load(16, 20).rate == pytest.approx(100, rel=0.01)


def test_a_request_that_waits_too_long_or_finds_no_room_is_refused_and_counted_once() -> None:
    draw = constant(("gateway", 0.1))
    setup = Setup({"gateway": 1}, admitted=1, most_waiting=20, patience_s=1.0)
    run = Simulation(setup, draw, 1).open_load(100, 60)
    assert run.rate == pytest.approx(10, rel=0.05)
    assert run.quantile_ms(1.0) <= 1_100 + 1e-6
    assert run.refused + len(run.seconds) == pytest.approx(6_000, rel=0.05)


def test_the_kept_benchmark_is_met() -> None:
    rows = [line.split("|")[2:-1] for line in check(last_full(read_results()))[2:]]
    for measured, simulated, middle, simulated_middle, *_ in (
        [float(cell) for cell in row] for row in rows
    ):
        assert simulated == pytest.approx(measured, rel=0.15)
        assert simulated_middle == pytest.approx(middle, rel=0.35)
