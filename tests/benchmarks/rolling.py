"""Update a running product replica by replica, from the version before, under load.

    python -m tests.benchmarks.rolling FORMER

FORMER is a checkout of the version before, its stubs built. Two replicas of gateway, generation and
retrieval and one of ingest run from it while readers ask and a book comes in; then tables are
migrated and each replica is replaced by one of this version, as a Deployment does it: the new one is
ready and named, then the old one's name goes, and later it is told to end. Prints what each step's
requests became, and how many answers' rows are missing.
"""

import asyncio
import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from deploy.evaluation.stack import free_ports
from tests.benchmarks.load import OK
from tests.benchmarks.measure_replicas import WRONG, words_of
from tests.support.engines import postgres_node, qdrant_node
from tests.support.names import Names, names
from tests.support.stack import SAMPLE, SAMPLE_PATH

PRESENT = Path(__file__).parents[2]
REPLICAS = {"ingest": 1, "retrieval": 2, "generation": 2, "gateway": 2}
"""In the order of their update."""
QUESTIONS = (
    "What is passive compliance?",
    "What benefits does the spring of a series elastic actuator bring?",
    "How does a servo hold its position?",
    "What is the capital of France?",
)
READERS = 2
PAUSE_S = 0.4
QUIET_S = 15.0
PRE_STOP_S = 5.0
"""The chart's: callers hear that a replica goes before it stops."""
WAIT_S = 300.0
_ADDRESS = itertools.count(1)


@dataclass
class Replica:
    process: "subprocess.Popen[str]"
    address: str
    url: str


@dataclass
class Service:
    """The replicas of a service, at one port of several addresses, by a name; or gateways' URLs."""

    name: str
    known: Names
    port: int = field(default_factory=lambda: free_ports(1))
    running: list[Replica] = field(default_factory=list)

    def start(self, checkout: Path, told: Mapping[str, str]) -> None:
        """Run a replica of a version; it is named when it is ready."""
        address = f"127.0.1.{next(_ADDRESS)}"
        own_port = free_ports(1)
        listen = {f"{self.name.upper()}_LISTEN": f"{address}:{self.port}"}
        if self.name == "gateway":
            listen = {"QUOTH_PORT": str(own_port)}
        process = subprocess.Popen(
            [sys.executable, "-m", f"services.{self.name}"],
            cwd=checkout,
            env=environment(checkout, {**told, **listen}),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        word, _, url = process.stdout.readline().strip().partition(" ")
        if word != "ready":
            raise SystemExit(f"{self.name} of {checkout} does not start")
        self.running.append(Replica(process, address, url))
        self.known.addresses.append(address)

    async def end_first(self) -> None:
        """Drop the oldest replica's name, wait as a pod does before it stops, and let it end."""
        replica = self.running.pop(0)
        self.known.addresses.remove(replica.address)
        await asyncio.sleep(PRE_STOP_S)
        replica.process.terminate()
        if await asyncio.to_thread(replica.process.wait, WAIT_S):
            raise SystemExit(f"{self.name} ended with {replica.process.returncode}")

    def close(self) -> None:
        for replica in self.running:
            replica.process.terminate()
        for replica in self.running:
            replica.process.wait(WAIT_S)


def environment(checkout: Path, told: Mapping[str, str]) -> dict[str, str]:
    paths = os.pathsep.join((str(checkout), str(checkout / "protos")))
    return {**os.environ, "PYTHONPATH": paths, **told}


def migrate(checkout: Path, told: Mapping[str, str]) -> None:
    command = [sys.executable, "-m", "deploy.cli", "migrate"]
    subprocess.run(command, cwd=checkout, env=environment(checkout, told), check=True)


@dataclass
class Readers:
    """Ask gateway after gateway; each answer is one that a version gives when it is alone."""

    gateways: Service
    step: str = ""
    learning: bool = True
    known: dict[str, set[str]] = field(default_factory=lambda: {one: set() for one in QUESTIONS})
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    unknown: dict[str, set[str]] = field(default_factory=lambda: {one: set() for one in QUESTIONS})
    answers: list[str] = field(default_factory=list)
    slowest_s: dict[str, float] = field(default_factory=dict)

    async def read(self, first: int) -> None:
        async with httpx.AsyncClient(timeout=30, trust_env=False) as client:
            for number in itertools.count(first):
                step, began = self.step, time.monotonic()
                outcome = await self._ask(client, number)
                took = time.monotonic() - began
                self.outcomes.setdefault(step, Counter())[outcome] += 1
                self.slowest_s[step] = max(took, self.slowest_s.get(step, 0.0))
                await asyncio.sleep(PAUSE_S)

    async def _ask(self, client: httpx.AsyncClient, number: int) -> str:
        question = QUESTIONS[number % len(QUESTIONS)]
        gateway = self.gateways.running[number % len(self.gateways.running)]
        url = f"{gateway.url}/v1/books/{SAMPLE}/answers"
        try:
            response = await client.post(url, json={"question": question})
        except httpx.TransportError as error:
            return type(error).__name__
        if response.status_code != httpx.codes.OK:
            return f"{response.status_code} {response.json().get('detail')}"
        answer = response.json()
        self.answers.append(answer["answer_id"])
        told = words_of(answer)
        if self.learning:
            self.known[question].add(told)
        elif told not in self.known[question]:
            self.unknown[question].add(told)
        return OK

    def wrong(self) -> int:
        """Count the answers that neither version gives alone."""
        return sum(len(told - self.known[one]) for one, told in self.unknown.items())


def packed(folder: Path) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            archive.write(file, file.relative_to(folder))
    return data.getvalue()


async def ingest(url: str, book: str) -> str:
    """Let the sample come in as a book; returns the path of its job."""
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client:
        response = await client.post(
            f"/v1/books/{book}/ingests?file_name=book.zip",
            content=packed(SAMPLE_PATH),
            headers={"content-type": "application/octet-stream"},
        )
        response.raise_for_status()
        return str(response.headers["location"])


async def state_of(url: str, job: str) -> str:
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client:
        end = time.monotonic() + WAIT_S
        state = ""
        while time.monotonic() < end:
            state = (await client.get(job)).json()["job"]["state"]
            if state in {"published", "failed", "unchanged"}:
                break
            await asyncio.sleep(1)
        return state


@contextlib.contextmanager
def stores(folder: Path) -> Iterator[dict[str, str]]:
    with postgres_node(folder / "postgres") as postgres, qdrant_node(folder / "qdrant") as qdrant:
        yield {
            "QUOTH_POSTGRES_DSN": postgres.dsn,
            "QUOTH_QDRANT_URL": qdrant.url,
            "QUOTH_CACHE_DIR": str(folder / "cache"),
        }


def addresses(services: Mapping[str, Service]) -> dict[str, str]:
    """What callers are told of the services, by variable."""
    targets = {name: one.known.target(one.port) for name, one in services.items()}
    return {
        "GENERATION_RETRIEVAL": targets["retrieval"],
        **{f"GATEWAY_{name.upper()}": targets[name] for name in REPLICAS if name != "gateway"},
    }


async def update(services: Mapping[str, Service], told: Mapping[str, str], asked: Readers) -> None:
    for name, service in services.items():
        asked.step = name
        for _ in range(REPLICAS[name]):
            await asyncio.to_thread(service.start, PRESENT, told)
            await service.end_first()


async def lost_rows(dsn: str, answers: list[str]) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        query = "SELECT count(*) FROM audit_logs WHERE answer_id = ANY($1::uuid[])"
        return len(set(answers)) - int(await connection.fetchval(query, answers))
    finally:
        await connection.close()


async def run(services: Mapping[str, Service], told: Mapping[str, str]) -> dict[str, Any]:
    gateways = services["gateway"]
    job = await ingest(gateways.running[0].url, SAMPLE)
    first = await state_of(gateways.running[0].url, job)
    asked = Readers(gateways, step="former alone")
    readers = [asyncio.create_task(asked.read(number)) for number in range(READERS)]
    await asyncio.sleep(QUIET_S)
    asked.learning, asked.step = False, "migrations"
    await asyncio.to_thread(migrate, PRESENT, told)
    # Comes in while ingest is replaced.
    moving = await ingest(gateways.running[0].url, "moving")
    await update(services, told, asked)
    asked.learning, asked.step = True, "present alone"
    await asyncio.sleep(QUIET_S)
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    return {
        "requests": {step: dict(found) for step, found in asked.outcomes.items()},
        "slowest_s": {step: round(took, 2) for step, took in asked.slowest_s.items()},
        WRONG: asked.wrong(),
        "lost_rows": await lost_rows(told["QUOTH_POSTGRES_DSN"], asked.answers),
        "book before": first,
        "book during": await state_of(gateways.running[0].url, moving),
    }


def main() -> None:
    former = Path(sys.argv[1]).resolve()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        told = opened.enter_context(stores(folder))
        services = {name: Service(name, opened.enter_context(names())) for name in REPLICAS}
        told |= addresses(services)
        migrate(former, told)
        for name, service in services.items():
            opened.callback(service.close)
            for _ in range(REPLICAS[name]):
                service.start(former, told)
        print(json.dumps(asyncio.run(run(services, told)), indent=2))


if __name__ == "__main__":
    main()
