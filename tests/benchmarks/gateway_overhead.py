"""Measure the gateway's own CPU time of an ask: all but ingest and generation, which answer at once.

python -m tests.benchmarks.gateway_overhead ASKS

The gateway is a process of its own; keys are found and requests counted in memory, as for one gateway.
Asks without a key and with one come in turns, so that a busy machine strikes both alike.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import grpc
import httpx
import uvloop
from google.protobuf.timestamp_pb2 import Timestamp
from quoth.common.v1.locator_pb2 import Locator, Range
from quoth.common.v1.passage_pb2 import Passage
from quoth.generation.v1 import answer_pb2, generation_service_pb2, generation_service_pb2_grpc
from quoth.ingest.v1 import book_pb2, ingest_service_pb2, ingest_service_pb2_grpc
from typing_extensions import override

from libs.garbage import freeze_loaded
from libs.rpc.server import start_server as start_service
from libs.rpc.transport import Transport
from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.bootstrap import bootstrap_remote, open_channels
from services.gateway.server import listen, start_server
from services.gateway.settings import Exposure, Settings
from tests.benchmarks.environment import ROOT
from tests.benchmarks.figures import Figures
from tests.support.key_fakes import FakeKeys

TOKEN = "t" * 43
ROUNDS = 10
PASSAGES, SENTENCES = 10, 5
AT_ONCE = 8
TEXT = "A hydraulic actuator turns the pressure of a fluid into force. " * 12
ANSWERS = "/v1/books/clocks/answers"
SERVE = "serve"
HTTP_ALONE = "/healthz, HTTP alone"
WITHOUT_KEY = "without a key"
WITH_KEY = "with a key and its limits"
BESIDE = f"with a key, {AT_ONCE} at a time"
NAMES = {
    HTTP_ALONE: "http_alone",
    WITHOUT_KEY: "without_key",
    WITH_KEY: "with_key",
    BESIDE: "with_key_beside",
}
"""What each way of asking is called among the figures."""


def _place(start: int) -> Locator:
    return Locator(
        document="03-actuators.mdx",
        range=Range(start=start, end=start + len(TEXT)),
        section_path=["Actuators", "Hydraulic actuators"],
        url="https://book.example/actuators#hydraulic",
        anchor="hydraulic",
    )


PASSAGES_FOUND = generation_service_pb2.PassagesFound(
    passages=[
        Passage(chunk_id=f"{number:064}", locator=_place(number), text=TEXT)
        for number in range(PASSAGES)
    ]
)
ANSWER = answer_pb2.Answer(
    answer_id="0192f3a4-0000-7000-8000-000000000000",
    book="clocks",
    edition=7,
    question="What drives a clock?",
    sentences=[
        answer_pb2.Sentence(text=TEXT[:250], citations=[n], kind=answer_pb2.SENTENCE_KIND_QUOTED)
        for n in range(1, SENTENCES + 1)
    ],
    citations=[
        answer_pb2.Citation(
            number=n, quote=TEXT[:250], locator=_place(n), verdict=answer_pb2.VERDICT_EXACT
        )
        for n in range(1, SENTENCES + 1)
    ],
    confidence=0.8,
    create_time=Timestamp(seconds=1_700_000_000),
)


class Services(
    ingest_service_pb2_grpc.IngestServiceServicer,
    generation_service_pb2_grpc.GenerationServiceServicer,
):
    """What the gateway asks, at once and always the same."""

    @override
    async def GetBook(self, request: Any, context: Any) -> Any:
        book = book_pb2.Book(slug="clocks", title="Clocks", edition=7, language="en")
        return ingest_service_pb2.GetBookResponse(book=book)

    @override
    async def AnswerQuestion(self, request: Any, context: Any) -> AsyncIterator[Any]:
        if not request.answer_only:
            yield generation_service_pb2.AnswerQuestionResponse(passages=PASSAGES_FOUND)
        yield generation_service_pb2.AnswerQuestionResponse(answer=ANSWER)

    def register(self, server: grpc.aio.Server) -> None:
        ingest_service_pb2_grpc.add_IngestServiceServicer_to_server(self, server)
        generation_service_pb2_grpc.add_GenerationServiceServicer_to_server(self, server)


async def serve(address: str) -> None:
    """Run a gateway before the services at `address` until its input ends."""
    settings = Settings(ingest=address, retrieval=address, generation=address)
    keys, channels = FakeKeys(), open_channels(settings, Transport(token=TOKEN))
    key = keys.grant("bench", scopes=("ask",), rate_per_minute=10**9)
    app = bootstrap_remote(settings, channels, Exposure(), keys, MovingWindow())
    running = await start_server(app, listen(0))
    freeze_loaded()
    sys.stdout.write(json.dumps({"port": running.port, "key": key}) + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await running.stop()


@contextmanager
def _gateway(address: str) -> Iterator[tuple[int, dict[str, Any]]]:
    command = [sys.executable, "-m", "tests.benchmarks.gateway_overhead", SERVE, address]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.pid, json.loads(process.stdout.readline())
        process.stdin.close()


def _cpu_ms(pid: int) -> float:
    """CPU time of all threads that live."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


async def measure(asks: int) -> dict[str, list[float]]:
    """Return milliseconds of CPU an ask, one figure for each round."""
    service = await start_service(
        "127.0.0.1:0", Services().register, transport=Transport(token=TOKEN)
    )
    taken: dict[str, list[float]] = {way: [] for way in NAMES}
    address = f"127.0.0.1:{service.port}"
    with _gateway(address) as (pid, told):
        url = f"http://127.0.0.1:{told['port']}"
        held = {"authorization": f"Bearer {told['key']}"}
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:

            async def look(times: int) -> float:
                before = _cpu_ms(pid)
                for _ in range(times):
                    (await client.get("/healthz")).raise_for_status()
                return (_cpu_ms(pid) - before) / times

            async def ask(headers: dict[str, str], times: int) -> float:
                before = _cpu_ms(pid)
                for _ in range(times):
                    question = {"question": "What drives a clock?"}
                    response = await client.post(ANSWERS, json=question, headers=headers)
                    response.raise_for_status()
                return (_cpu_ms(pid) - before) / times

            async def ask_beside(headers: dict[str, str], times: int) -> float:
                before = _cpu_ms(pid)
                await asyncio.gather(*(ask(headers, times // AT_ONCE) for _ in range(AT_ONCE)))
                return (_cpu_ms(pid) - before) / (times // AT_ONCE * AT_ONCE)

            await ask(held, asks)  # what is loaded and opened first
            await ask_beside(held, asks)
            for _ in range(ROUNDS):
                taken[HTTP_ALONE].append(await look(asks // ROUNDS))
                taken[WITHOUT_KEY].append(await ask({}, asks // ROUNDS))
                taken[WITH_KEY].append(await ask(held, asks // ROUNDS))
                taken[BESIDE].append(await ask_beside(held, asks // ROUNDS))
    await service.stop(0)
    return taken


def measure_gateway(figures: Figures, asks: int = 800) -> None:
    """Add the gateway's CPU of an ask, one repeat for each turn."""
    for way, spent_ms in asyncio.run(measure(asks)).items():
        for one in spent_ms:
            figures.add(f"gateway.{NAMES[way]}.cpu", one, "ms CPU", guarded=way == WITH_KEY)


def main() -> None:
    if sys.argv[1] == SERVE:
        uvloop.run(serve(sys.argv[2]))
        return
    asks = int(sys.argv[1])
    for way, figures in asyncio.run(measure(asks)).items():
        told = {"cpu_ms": round(mean(figures), 3), "deviation": round(stdev(figures), 3)}
        sys.stdout.write(json.dumps({"asks": way, "number": asks, **told}) + "\n")


if __name__ == "__main__":
    main()
