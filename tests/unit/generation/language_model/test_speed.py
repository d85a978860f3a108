"""An answer's length is cut to what the model writes in time, and never to less than an answer."""

import pytest

from services.generation.language_model.speed import LEAST_TOKENS, WritingSpeed


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_tokens_follow_the_speed_that_was_seen() -> None:
    speed = WritingSpeed(Clock())
    assert speed.fitting_tokens(800, 2.0) == 300
    for _ in range(40):
        speed.measure(600, 2.0)
    assert speed.fitting_tokens(800, 2.0) in range(590, 610)


def test_an_answer_is_never_cut_below_what_one_needs_and_never_made_longer_than_wanted() -> None:
    speed = WritingSpeed(Clock())
    for _ in range(40):
        speed.measure(30, 10.0)
    assert speed.fitting_tokens(800, 2.0) == LEAST_TOKENS
    assert speed.fitting_tokens(100, 2.0) == 100


@pytest.mark.parametrize(("tokens", "took_s"), [(2, 0.5), (12, 1.0), (500, 0.0)])
def test_short_replies_and_those_that_come_at_once_tell_nothing(tokens: int, took_s: float) -> None:
    speed = WritingSpeed(Clock())
    for _ in range(12):
        speed.measure(tokens, took_s)
    assert speed.fitting_tokens(800, 5.0) == 750


def test_a_learnt_speed_halves_in_a_minute() -> None:
    clock = Clock()
    speed = WritingSpeed(clock)
    for _ in range(40):
        speed.measure(100, 2.0)
    assert speed.fitting_tokens(800, 5.0) < 300
    clock.now = 600.0
    assert speed.fitting_tokens(800, 5.0) in range(745, 751)


def test_an_answer_cut_short_resets_the_measured_speed() -> None:
    speed = WritingSpeed(Clock())
    for _ in range(40):
        speed.measure(100, 2.0)
    speed.forget()
    assert speed.fitting_tokens(800, 5.0) == 750
