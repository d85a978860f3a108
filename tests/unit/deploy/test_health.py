"""When a process counts as hanging, and how long it was silent until then."""

import asyncio
import time

from deploy.local.health import wait_for_silence


async def test_the_time_without_an_answer_is_that_since_the_last_one() -> None:
    answered: list[float] = []

    async def answers(timeout_s: float) -> bool:
        if len(answered) < 4:
            answered.append(time.monotonic())
            return True
        return False

    silent_s = await wait_for_silence(answers, 0.6)
    assert 0 <= time.monotonic() - answered[-1] - silent_s < 0.1
    assert silent_s >= 0.3


async def test_questions_that_wait_for_their_answer_count_whole() -> None:
    async def answers(timeout_s: float) -> bool:
        await asyncio.sleep(timeout_s)
        return False

    assert await wait_for_silence(answers, 0.3) >= 0.3
