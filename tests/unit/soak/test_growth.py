"""What counts as growing without bound."""

import pytest

from tests.soak.figures import allowed_of
from tests.soak.growth import Growth, Series, judge


def judged(*values: float, allowed: float = 5.0) -> Growth | None:
    return judge(Series("a service", "memory", "MiB", allowed, values))


def test_a_measure_that_rises_all_the_time_grows() -> None:
    growth = judged(*range(100, 200, 2))
    assert growth is not None
    assert growth.grows


def test_a_measure_that_fills_up_and_stays_does_not_grow() -> None:
    growth = judged(*range(0, 100, 10), *[100.0] * 40)
    assert growth is not None
    assert not growth.grows


def test_a_measure_that_goes_up_and_down_does_not_grow() -> None:
    growth = judged(*[100.0, 180.0, 90.0, 170.0] * 10)
    assert growth is not None
    assert not growth.grows


@pytest.mark.parametrize(("allowed", "grows"), [(5.0, True), (60.0, False)])
def test_a_rise_within_what_is_allowed_is_no_growth(allowed: float, grows: bool) -> None:
    growth = judged(*[100.0 + step for step in range(60)], allowed=allowed)
    assert growth is not None
    assert growth.grows is grows


def test_a_few_samples_say_nothing() -> None:
    assert judged(1.0, 2.0, 3.0) is None


def test_one_large_change_of_a_book_is_no_growth_and_what_every_change_leaves_is() -> None:
    def grows(owner: str, *values: float) -> bool:
        growth = judge(Series(owner, "rows", *allowed_of(owner, "rows"), values))
        return growth is not None and growth.grows

    by_chance = [10.0 * sample for sample in range(30)]
    assert not grows("public.vectors", *by_chance)
    assert grows("public.sessions", *by_chance)
    assert not grows("public.documents", *(4.0 * sample for sample in range(30)))
    assert grows("public.documents", *by_chance)
    assert grows("public.vectors", *(float(100 * change) for change in range(35)))
