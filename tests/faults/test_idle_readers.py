"""Many readers whose answers take long: what they cost the gateway."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

READERS = 1000
MOST_MIB = 150
TOGETHER = 50
BODY = json.dumps({"question": "How does it work?"}).encode()
ASKED = (
    b"POST /v1/books/tide-mills/answers HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Accept: text/event-stream\r\nContent-Type: application/json\r\n"
    b"Content-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY
)
pytestmark = [pytest.mark.timeout(900)]


@dataclass(frozen=True)
class IdleGateway:
    """A gateway whose answers never end."""

    pid: int
    port: int

    def memory_mib(self) -> float:
        """What it keeps in memory, what it shares with others among it."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) / 1024


@pytest.fixture
def gateway() -> Iterator[IdleGateway]:
    command = [sys.executable, "-m", "tests.support.idle_gateway", str(READERS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield IdleGateway(process.pid, int(process.stdout.readline()))
        process.kill()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
async def test_a_thousand_idle_readers_of_a_stream_take_at_most_150_mib(
    gateway: IdleGateway,
) -> None:
    turns = asyncio.Semaphore(TOGETHER)

    async def begin() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        async with turns:
            reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
            writer.write(ASKED)
            await reader.readuntil(b"event: passages")
        return reader, writer

    opened = await asyncio.gather(*(begin() for _ in range(READERS)))
    # Each is still there: what keeps its connection alive comes.
    await asyncio.gather(*(reader.readuntil(b": ping") for reader, _ in opened))
    assert gateway.memory_mib() <= MOST_MIB
    for _, writer in opened:
        writer.close()
