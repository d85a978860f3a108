"""When a child that died is started again."""

from deploy.local.restarts import ATTEMPTS, BAD_SETTINGS, STEADY_S, RestartPolicy


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_the_first_death_is_answered_at_once_and_later_ones_ever_later() -> None:
    policy = RestartPolicy(Clock())
    policy.note_ready()

    delays = [policy.delay_after_death(-9) for _ in range(9)]

    assert delays == [0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]


def test_a_child_that_was_never_ready_is_given_up_after_five_deaths() -> None:
    policy = RestartPolicy(Clock())

    delays = [policy.delay_after_death(1) for _ in range(ATTEMPTS)]

    assert delays[-1] is None
    assert None not in delays[:-1]


def test_a_child_that_was_ready_once_is_never_given_up() -> None:
    policy = RestartPolicy(Clock())
    policy.note_ready()

    assert all(policy.delay_after_death(BAD_SETTINGS) is not None for _ in range(10_000))


def test_a_child_that_refuses_its_settings_is_not_tried_again() -> None:
    assert RestartPolicy(Clock()).delay_after_death(BAD_SETTINGS) is None


def test_a_long_run_without_a_crash_resets_the_restart_count() -> None:
    clock = Clock()
    policy = RestartPolicy(clock)
    for _ in range(6):
        policy.note_ready()
        policy.delay_after_death(-9)

    policy.note_ready()
    clock.now_s += STEADY_S
    assert policy.delay_after_death(-9) == 0.0


def test_a_short_run_does_not_clear_the_past() -> None:
    clock = Clock()
    policy = RestartPolicy(clock)
    policy.note_ready()
    policy.delay_after_death(-9)

    policy.note_ready()
    clock.now_s += STEADY_S - 1
    assert policy.delay_after_death(-9) == 0.2
