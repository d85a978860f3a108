"""Known numbers give known medians, percentiles and verdicts."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.figures import Figure, Figures, percentile, round_off
from tests.benchmarks.guard import find_previous, find_worse
from tests.benchmarks.result import Result, read_results, write_result


def result_of(date: str = "2026-01-01", commit: str = "aaaa", **figures: Any) -> Result:
    return Result(
        date, commit, False, {"mode": "full", "seed": 7}, {"cpu": "x", "cores": 2}, figures
    )


def cpu(*repeats: float) -> Figure:
    return Figure("ms", repeats, guarded=True)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 10.0), (0.5, 30.0), (0.25, 20.0), (0.9, 46.0), (1.0, 50.0)]
)
def test_a_percentile_is_interpolated_between_its_neighbours(
    share: float,
    expected: float,
) -> None:
    assert percentile([50, 10, 40, 20, 30], share) == pytest.approx(expected)


def test_the_percentile_of_nothing_is_not_a_number() -> None:
    assert math.isnan(percentile([], 0.5))


def test_a_figure_is_the_median_of_its_repeats_with_their_spread() -> None:
    figure = Figure("ms", (5.0, 1.0, 3.0))
    assert (figure.low, figure.median, figure.high) == (1.0, 3.0, 5.0)


def test_repeats_gather_under_their_name_and_what_is_not_finite_is_left_out() -> None:
    figures = Figures()
    for value in (1.0, math.nan, 3.0):
        figures.add("ask.p50", value, "ms")
    assert figures.all() == {"ask.p50": Figure("ms", (1.0, 3.0))}


def test_more_than_five_digits_are_noise() -> None:
    assert round_off(123456.789) == 123460.0


def test_a_result_survives_its_file(tmp_path: Path) -> None:
    kept = replace(result_of(a=cpu(1.0, 2.0)), overload=[{"offered_per_s": 3.0}], notes=["n"])
    write_result(kept, tmp_path)
    assert read_results(tmp_path) == [kept]


def test_a_slower_run_is_named() -> None:
    [worse] = find_worse(result_of(ask=cpu(10, 11, 12)), result_of(ask=cpu(13, 14, 15)))
    assert worse.name == "ask"
    assert worse.ratio == pytest.approx(14 / 11)
    assert "ask: 11 → 14 ms (×1.27" in str(worse)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param((10, 11, 14), (13, 14, 15), id="the repeats overlap"),
        pytest.param((10.0, 10.1), (10.2, 10.3), id="less than 5 %"),
        pytest.param((10,), (12,), id="measured once: less than 25 %"),
        pytest.param((10, 11), (5, 6), id="it got better"),
    ],
)
def test_noise_and_progress_are_not_named(
    before: tuple[float, ...], now: tuple[float, ...]
) -> None:
    assert find_worse(result_of(ask=cpu(*before)), result_of(ask=cpu(*now))) == []


def test_a_figure_where_more_is_better_is_worse_when_it_falls() -> None:
    before = Figure("/s", (50, 52), "higher", guarded=True)
    now = Figure("/s", (40, 41), "higher", guarded=True)
    assert [w.name for w in find_worse(result_of(rate=before), result_of(rate=now))] == ["rate"]
    assert find_worse(result_of(rate=now), result_of(rate=before)) == []


def test_figures_that_are_not_guarded_are_never_named() -> None:
    wall = Figure("ms", (10, 11))
    assert find_worse(result_of(wall=wall), result_of(wall=replace(wall, repeats=(90, 99)))) == []


def test_only_the_same_setup_on_the_same_machine_is_compared() -> None:
    now = result_of("2026-03-01", "cccc")
    older, old = result_of("2026-01-01", "aaaa"), result_of("2026-02-01", "bbbb")
    quick = replace(old, setup={"mode": "quick", "seed": 7})
    elsewhere = replace(old, environment={"cpu": "y", "cores": 2})
    assert find_previous(now, [older, old, quick, elsewhere, now]) == old
    assert find_previous(now, [quick, elsewhere]) is None
