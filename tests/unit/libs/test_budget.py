"""A deadline is shared out by the table, and what was taken is written down."""

import asyncio
from dataclasses import replace

import pytest

from libs.budget import Budget, Outcome
from libs.budget.stages import PIPELINES, TOTAL_S, Stage
from libs.errors import DeadlineExceeded, NotFound, Unavailable

FIRST = Stage("test.first", cap_s=2.0, floor_s=0.1)
SECOND = Stage("test.second", cap_s=2.5, floor_s=0.5)
LAST = Stage("test.last", cap_s=0.5, floor_s=0.1)
STAGES = (FIRST, SECOND, LAST)
WAITING = Stage("test.waiting", cap_s=0.04, floor_s=0.001, during="it was kept", awaits="The store")


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_stage_is_allowed_its_cap_when_much_is_left() -> None:
    assert Budget(5.0, STAGES, Clock()).allowance_s(FIRST) == 2.0


def test_a_stage_leaves_the_floors_of_the_stages_after_it() -> None:
    assert Budget(1.0, STAGES, Clock()).allowance_s(FIRST) == pytest.approx(1.0 - 0.5 - 0.1)


def test_time_that_was_not_used_flows_on() -> None:
    clock = Clock()
    budget = Budget(5.0, STAGES, clock)
    clock.now_s += 0.2
    assert budget.allowance_s(SECOND) == 2.5
    clock.now_s += 2.9
    assert budget.allowance_s(SECOND) == pytest.approx(1.9 - 0.1)


def test_no_caller_gets_more_than_the_whole_deadline() -> None:
    assert Budget(60.0, STAGES, Clock()).left_s() == TOTAL_S


async def test_a_stage_below_its_floor_is_not_started() -> None:
    clock = Clock()
    budget = Budget(0.55, STAGES, clock)
    with pytest.raises(DeadlineExceeded) as caught:
        async with budget.stage(SECOND):
            pytest.fail("the stage ran")
    assert caught.value.stage == "test.second"
    assert budget.timings[0].outcome is Outcome.NOT_STARTED


async def test_a_call_within_that_is_late_first_is_told_with_the_name_of_the_stage() -> None:
    budget = Budget(5.0, STAGES, Clock())
    with pytest.raises(DeadlineExceeded) as caught:
        async with budget.stage(FIRST):
            raise DeadlineExceeded("The store did not answer in time.")
    assert caught.value.stage == FIRST.name


async def test_a_stage_that_hangs_is_stopped_at_its_allowance() -> None:
    budget = Budget(0.75, STAGES)
    with pytest.raises(DeadlineExceeded) as caught:
        async with budget.stage(FIRST) as allowed_s:
            await asyncio.Event().wait()
    assert caught.value.stage == "test.first"
    (timing,) = budget.timings
    assert timing.outcome is Outcome.CAPPED
    assert timing.allowed_ms == pytest.approx(allowed_s * 1000)


async def test_parts_of_a_stage_share_its_cap() -> None:
    clock = Clock()
    budget = Budget(5.0, STAGES, clock)
    for _ in range(2):
        async with budget.stage(LAST):
            clock.now_s += 0.2
    assert budget.allowance_s(LAST) == pytest.approx(0.1)
    assert budget.timings[0].used_ms == pytest.approx(400)


@pytest.mark.fault("D2", "D3")
@pytest.mark.invariant("I5")
async def test_a_part_that_left_its_stage_without_an_answer_is_said_not_to_answer() -> None:
    with pytest.raises(Unavailable, match="The store does not answer"):
        async with Budget(5.0, [WAITING]).stage(WAITING):
            await asyncio.Event().wait()


@pytest.mark.fault("D3")
async def test_a_call_in_a_stage_that_is_late_blames_the_part_that_the_stage_waits_for() -> None:
    clock = Clock()

    async def wait() -> None:
        clock.now_s += 0.03
        raise DeadlineExceeded("The connection took too long.")

    with pytest.raises(Unavailable, match="The store does not answer"):
        async with Budget(5.0, [WAITING], clock).stage(WAITING):
            await wait()


async def test_a_part_that_had_hardly_any_time_is_not_blamed() -> None:
    with pytest.raises(DeadlineExceeded, match="while it was kept") as caught:
        async with Budget(0.01, [WAITING]).stage(WAITING):
            await asyncio.Event().wait()
    assert caught.value.stage == WAITING.name


async def test_a_cap_that_is_spent_before_a_part_of_its_stage_blames_what_it_waited_for() -> None:
    clock = Clock()
    budget = Budget(5.0, [WAITING], clock)
    async with budget.stage(WAITING):
        clock.now_s += WAITING.cap_s
    with pytest.raises(Unavailable, match="The store does not answer"):
        async with budget.stage(WAITING):
            pytest.fail("the stage ran")


async def test_a_deadline_is_told_by_the_stage_that_spent_it() -> None:
    clock = Clock()
    slow = Stage("test.slow", cap_s=5.0, floor_s=0.1, during="the book was read")
    budget = Budget(5.0, [slow, *STAGES], clock)
    async with budget.stage(slow):
        clock.now_s += 4.95
    with pytest.raises(DeadlineExceeded, match="while the book was read") as caught:
        async with budget.stage(LAST):
            pytest.fail("the stage ran")
    assert caught.value.stage == LAST.name


@pytest.mark.parametrize("stage", [stage for stages in PIPELINES for stage in stages])
async def test_no_stage_of_the_table_has_readers_ask_simpler_questions(stage: Stage) -> None:
    with pytest.raises((DeadlineExceeded, Unavailable)) as caught:
        async with Budget(5.0, [replace(stage, cap_s=stage.floor_s)]).stage(stage):
            raise DeadlineExceeded("late")
    assert stage.during
    assert "simpler" not in caught.value.message
    assert caught.value.message.endswith(" in a moment.")


async def test_an_error_of_ours_passes_through_a_stage() -> None:
    budget = Budget(5.0, STAGES)
    with pytest.raises(NotFound):
        async with budget.stage(FIRST):
            raise NotFound("no such book")
    assert budget.timings[0].outcome is Outcome.FAILED


async def test_a_timeout_that_is_not_the_stage_s_own_is_an_error_not_a_deadline() -> None:
    budget = Budget(5.0, STAGES)
    with pytest.raises(TimeoutError):
        async with budget.stage(FIRST):
            raise TimeoutError


async def test_a_cancelled_stage_says_so() -> None:
    budget = Budget(5.0, STAGES)

    async def work() -> None:
        async with budget.stage(FIRST):
            started.set()
            await asyncio.Event().wait()

    started = asyncio.Event()
    task = asyncio.create_task(work())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert budget.timings[0].outcome is Outcome.CANCELLED


@pytest.mark.parametrize("stages", PIPELINES)
def test_every_pipeline_of_the_table_fits_the_deadline(stages: tuple[Stage, ...]) -> None:
    assert sum(stage.floor_s for stage in stages) < TOTAL_S / 10
    assert all(0 < stage.floor_s <= stage.cap_s <= TOTAL_S for stage in stages)
    names = [stage.name for stage in stages]
    assert len(set(names)) == len(names)
    assert len({name.split(".")[0] for name in names}) == 1
