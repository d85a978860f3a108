"""A provider that says when it takes requests again is asked nothing before, within bounds."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from libs.errors import ModelBusy, ModelUnavailable, QuothError, Unavailable
from libs.pause import LONGEST_S, Pause, asked_wait_s


class Now:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def test_nothing_is_paused_before_a_provider_says_so() -> None:
    pause = Pause(Now())
    for error in (QuothError("x"), ModelBusy("x"), ModelBusy("x", 0.0), ModelUnavailable("x")):
        pause.heed(error)
    pause.require_end()
    assert pause.left_s == 0


@pytest.mark.parametrize("error", [ModelBusy("busy", 8.0), ModelUnavailable("down", 8.0)])
def test_the_error_is_raised_with_what_is_left_until_the_time_is_up(error: Unavailable) -> None:
    now = Now()
    pause = Pause(now)
    pause.heed(error)
    now.s += 6
    pause.require_end(within_s=2.0)
    with pytest.raises(type(error), match=error.message) as caught:
        pause.require_end(within_s=1.9)
    assert caught.value.retry_after_s == 2.0
    now.s += 2
    pause.require_end()


def test_a_provider_that_asks_for_an_hour_is_asked_again_after_a_minute() -> None:
    now = Now()
    pause = Pause(now)
    pause.heed(ModelBusy("busy", 3600.0))
    now.s += LONGEST_S - 1
    with pytest.raises(ModelBusy):
        pause.require_end(within_s=-5.0)
    now.s += 1
    pause.require_end(within_s=-5.0)


@pytest.mark.parametrize(
    ("after", "wait_s"),
    [("7", 7), ("0.5", 0.5), ("-3", 0), ("soon", None), ("", None), ("nan", None), ("inf", None)],
)
def test_a_provider_may_say_when_to_come_back(after: str, wait_s: float | None) -> None:
    assert asked_wait_s(429, {"Retry-After": after}) == wait_s


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2),
        ({"Retry-After-Ms": "-1"}, 0),
        ({"retry-after-ms": "inf"}, None),
    ],
)
def test_a_provider_may_name_milliseconds(headers: dict[str, str], wait_s: float | None) -> None:
    assert asked_wait_s(429, headers) == wait_s


@pytest.mark.parametrize(
    ("status", "is_heeded"), [(503, True), (529, True), (400, False), (500, False)]
)
def test_only_a_provider_that_is_busy_says_when_to_come_back(status: int, is_heeded: bool) -> None:
    assert asked_wait_s(status, {"retry-after": "3600"}) == (3600 if is_heeded else None)


def test_a_provider_may_say_nothing() -> None:
    assert asked_wait_s(429, {}) is None


def test_a_provider_may_name_a_date() -> None:
    later = datetime.now(UTC) + timedelta(seconds=30)
    asked_s = asked_wait_s(429, {"retry-after": format_datetime(later, usegmt=True)})
    assert asked_s == pytest.approx(30, abs=5)
    assert asked_wait_s(429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0


async def test_a_wait_that_leaves_no_time_for_a_request_is_not_begun() -> None:
    pause = Pause()
    pause.heed(ModelBusy("busy", 0.05))
    with pytest.raises(ModelBusy):
        await pause.wait(0.3)
    await pause.wait(0.4)
    assert pause.left_s == 0
