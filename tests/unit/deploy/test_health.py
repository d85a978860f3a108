"""When a process counts as hanging, and how long it was silent until then."""

import asyncio
import time

from deploy.local.health import silent_stores, wait_for_silence
from deploy.local.settings import LocalSettings
from tests.support.ports import free_ports


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


async def test_a_store_that_the_person_names_and_that_is_silent_is_told_by_its_variable() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    gone = free_ports(1)
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        there = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await silent_stores(LocalSettings(qdrant_url=there)) == []
        dsn = f"postgresql://me:secret@127.0.0.1:{gone}/x"
        [said] = await silent_stores(LocalSettings(qdrant_url=there, postgres_dsn=dsn))
    assert said == f"Nothing answers at 127.0.0.1:{gone}, which QUOTH_POSTGRES_DSN names."
    [said] = await silent_stores(LocalSettings(qdrant_url=there))
    assert "QUOTH_QDRANT_URL" in said
    assert await silent_stores(LocalSettings()) == []
