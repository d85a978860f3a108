"""A provider that says when it takes requests again is asked nothing before, within bounds."""

import pytest

from libs.errors import ModelBusy, ModelUnavailable, QuothError, Unavailable
from services.generation.language_model.pause import LONGEST_S, Pause


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
