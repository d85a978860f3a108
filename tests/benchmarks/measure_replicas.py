"""Six replicas of retrieval behind a name: against one; one killed, frozen, cut off, drained, added.

Each is a host of its own, in a network namespace, where root runs this; elsewhere it has an address of
its own on the loopback device, and none is cut off. A name server names those that are ready, as a
headless Service does. So a replica that is lost or joins is found by gRPC's own means.
"""

import asyncio
import contextlib
import signal
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from deploy.evaluation.stack import free_ports
from libs.telemetry.readers import EXPORTERS, HOST, PORT
from tests.benchmarks.corpora import Question
from tests.benchmarks.figures import Figures, round_off
from tests.benchmarks.load import OK, Load, Send, arrivals, closed_load, open_load
from tests.benchmarks.processes import measured_cpu
from tests.support.aside import aside_process
from tests.support.names import Names, names
from tests.support.namespaces import Host, Network, can_part, network
from tests.support.stack import SAMPLE, SAMPLE_PATH, RunningStack, running_stack

REPLICAS = 6
CLIENTS = 8
LOAD_SHARE = 0.3
"""Of what they carry at most: what is offered while one of them is lost."""
_ADDRESS = "127.0.1.{}"
_COUNT = "rpc_server_call_duration_seconds_count"
_LOOK_S = 0.25
_TIMEOUT_S = 15.0
WRONG = "wrong"


@dataclass
class Fleet:
    """Replicas of retrieval at one port of several addresses."""

    stack: RunningStack
    known: Names
    lan: Network | None
    """Where replicas are hosts; None where they are addresses of this one."""

    places: list[str] = field(default_factory=list)
    """Addresses of all replicas that ever ran, in the order in which they came."""

    hosts: dict[str, Host] = field(default_factory=dict)
    port: int = field(default_factory=lambda: free_ports(1))
    metrics_port: int = field(default_factory=lambda: free_ports(1))
    running: dict[str, ExitStack] = field(default_factory=dict)
    processes: "dict[str, subprocess.Popen[str]]" = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    """Pids of what else an answer goes through, by name."""

    def add(self) -> None:
        """Run another replica, at an address of its own."""
        address = _ADDRESS.format(len(self.places) + 1)
        if self.lan:
            host = self.lan.add_host()
            self.lan.share(host, self.stack.port("qdrant"))
            address = host.address
            self.hosts[address] = host
        self.places.append(address)
        self.start(address)

    def start(self, address: str) -> None:
        """Run a replica there; once it is ready its name has its address."""
        host = self.hosts.get(address)
        told = {
            "RETRIEVAL_LISTEN": f"{address}:{self.port}",
            "RETRIEVAL_CACHED_VECTORS": "1",
            EXPORTERS: "prometheus",
            HOST: address,
            PORT: str(self.metrics_port),
        }
        opened = ExitStack()
        self.processes[address], _ = opened.enter_context(
            aside_process(self.stack, "retrieval", None, host.within if host else (), **told)
        )
        self.running[address] = opened
        self.known.addresses.append(address)

    def end(self, address: str, number: signal.Signals) -> None:
        """End a replica, by SIGTERM as a drain does or at once; its name drops it."""
        self.known.addresses.remove(address)
        self.processes[address].send_signal(number)
        self.processes.pop(address).wait(30)
        self.running.pop(address).close()

    def close(self) -> None:
        for opened in self.running.values():
            opened.close()

    def searches(self, address: str) -> float:
        """Return how many searches a replica has been asked for."""
        url = f"http://{address}:{self.metrics_port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        counts = [line.rpartition(" ")[2] for line in lines if line.startswith(_COUNT)]
        return sum(map(float, counts))


@dataclass
class Asking:
    """Asks over and over, and holds each answer against the first of its question."""

    url: str
    questions: Sequence[str]
    expected: dict[str, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    """Ids of all answers that came."""

    async def learn(self, client: httpx.AsyncClient) -> None:
        """Ask each question once, and again where a busy machine was late."""
        for question in self.questions:
            while (response := await self._post(client, question)).is_server_error:
                pass
            response.raise_for_status()
            self.expected[question] = words_of(response.json())

    def sender(self, client: httpx.AsyncClient) -> Send:
        async def send(number: int) -> str:
            question = self.questions[number % len(self.questions)]
            try:
                response = await self._post(client, question)
            except httpx.TransportError as error:
                return type(error).__name__
            if response.status_code != httpx.codes.OK:
                return str(response.status_code)
            answer = response.json()
            self.answers.append(answer["answer_id"])
            return OK if words_of(answer) == self.expected[question] else WRONG

        return send

    async def _post(self, client: httpx.AsyncClient, question: str) -> httpx.Response:
        return await client.post(f"/v1/books/{SAMPLE}/answers", json={"question": question})


def words_of(answer: dict[str, Any]) -> str:
    """Return what a reader is told: the text, or the code of the refusal."""
    return str(answer["refusal"]["code"] if answer["refusal"] else answer["text"])


@contextmanager
def fleet_in(home: Path) -> Iterator[tuple[Fleet, str]]:
    """Run the product with the sample book and one replica behind a name; yield it and the URL."""
    with ExitStack() as opened:
        lan = opened.enter_context(network()) if can_part() else None
        stack = opened.enter_context(running_stack(home, books={SAMPLE: SAMPLE_PATH}))
        known = opened.enter_context(names())
        fleet = Fleet(stack, known, lan)
        try:
            fleet.add()
            target = known.target(fleet.port)
            with (
                aside_process(stack, "generation", GENERATION_RETRIEVAL=target) as (
                    one,
                    generation,
                ),
                aside_process(
                    stack, "gateway", GATEWAY_GENERATION=generation, GATEWAY_RETRIEVAL=target
                ) as (other, url),
            ):
                fleet.others = {name: stack.pid(name) for name in ("ingest", "qdrant", "postgres")}
                fleet.others |= {"generation": one.pid, "gateway": other.pid}
                yield fleet, url
        finally:
            fleet.close()


async def measure_replicas(
    figures: Figures, home: Path, questions: Sequence[Question], duration_s: float
) -> list[dict[str, Any]]:
    """Measure throughput with one and with six, then each event; one row for each.

    `duration_s` is of a closed load; an event has six times as long, at least 40 s.
    """
    with fleet_in(home) as (fleet, url):
        asking = Asking(url, [question.text for question in questions])
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(
            base_url=url, timeout=_TIMEOUT_S, trust_env=False, limits=limits
        ) as client:
            await asking.learn(client)
            send = asking.sender(client)
            rows = [await _closed("one", fleet, send, duration_s)]
            for _ in range(1, REPLICAS):
                await asyncio.to_thread(fleet.add)
            await _wait_for_all(fleet, send)
            rows.append(await _closed("six", fleet, send, duration_s))
            rate = LOAD_SHARE * max(row["per_s"] for row in rows)
            for name, event in _EVENTS.items():
                if event is _cut_off and not fleet.lan:
                    continue
                rows.append(
                    await _during(name, event, fleet, send, rate, max(40.0, 6 * duration_s))
                )
        lost = await _lost_rows(fleet.stack, asking.answers)
    _add_figures(figures, rows, lost)
    return rows


async def _closed(name: str, fleet: Fleet, send: Send, duration_s: float) -> dict[str, Any]:
    """Ask as fast as a few clients do, and see what each service took of the CPU for an answer."""
    replicas = {address: process.pid for address, process in fleet.processes.items()}
    with measured_cpu({**fleet.others, **replicas}) as use:
        load = await closed_load(send, CLIENTS, duration_s)
    shares = [use.seconds[address] for address in replicas]
    seconds = {"retrieval": sum(shares), **{other: use.seconds[other] for other in fleet.others}}
    return {
        **_row(name, load),
        "cpu_ms": {key: round_off(1e3 * one / len(load.samples)) for key, one in seconds.items()},
        "busiest": round_off(max(shares) / sum(shares)),
    }


async def _wait_for_all(fleet: Fleet, send: Send) -> None:
    """Ask until every replica has been asked."""
    while not all(fleet.searches(address) for address in fleet.processes):
        await asyncio.gather(*(send(number) for number in range(REPLICAS)))


Event = Callable[[Fleet, Send, float], Awaitable[dict[str, float]]]


async def _kill(fleet: Fleet, send: Send, pause_s: float) -> dict[str, float]:
    address = fleet.places[0]
    await asyncio.to_thread(fleet.end, address, signal.SIGKILL)
    await asyncio.sleep(pause_s)
    await asyncio.to_thread(fleet.start, address)
    return {}


async def _freeze(fleet: Fleet, send: Send, pause_s: float) -> dict[str, float]:
    # Its name keeps it, until a probe would notice.
    process = fleet.processes[fleet.places[1]]
    process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(pause_s)
    process.send_signal(signal.SIGCONT)
    return {}


async def _cut_off(fleet: Fleet, send: Send, pause_s: float) -> dict[str, float]:
    # It runs on, and nothing tells its callers that it can't be reached.
    assert fleet.lan
    host = fleet.hosts[fleet.places[3]]
    await asyncio.to_thread(fleet.lan.cut, host)
    await asyncio.sleep(pause_s)
    await asyncio.to_thread(fleet.lan.join, host)
    return {}


async def _drain(fleet: Fleet, send: Send, pause_s: float) -> dict[str, float]:
    await asyncio.to_thread(fleet.end, fleet.places[2], signal.SIGTERM)
    return {}


async def _add(fleet: Fleet, send: Send, pause_s: float) -> dict[str, float]:
    address = fleet.places[2]
    await asyncio.to_thread(fleet.start, address)
    began, before = time.monotonic(), fleet.searches(address)
    # Asked here as well: on a busy machine it may be ready only after the offered load has ended.
    while fleet.searches(address) == before:
        await send(0)
        await asyncio.sleep(_LOOK_S)
    return {"first_call_after_s": round_off(time.monotonic() - began)}


_EVENTS: dict[str, Event] = {
    "killed": _kill,
    "frozen": _freeze,
    "cut_off": _cut_off,
    "drained": _drain,
    "added": _add,
}


async def _during(
    name: str, event: Event, fleet: Fleet, send: Send, rate: float, duration_s: float
) -> dict[str, Any]:
    """Offer an open load; the event comes after a sixth of it, and lasts a third."""

    async def happen() -> dict[str, float]:
        await asyncio.sleep(duration_s / 6)
        return await event(fleet, send, duration_s / 3)

    starts = arrivals(rate, duration_s, seed=7)
    load, found = await asyncio.gather(open_load(send, starts, duration_s), happen())
    return {**_row(name, load), **found}


def _row(name: str, load: Load) -> dict[str, Any]:
    outcomes = Counter(load.outcomes)
    wrong, answered = outcomes.pop(WRONG, 0), outcomes.pop(OK, 0)
    return {
        "event": name,
        "requests": len(load.samples),
        "per_s": round_off(answered / load.wall_s),
        "p50_ms": round_off(load.latency_ms(0.5)),
        "p99_ms": round_off(load.latency_ms(0.99)),
        "errors": dict(outcomes),
        "wrong": wrong,
    }


async def _lost_rows(stack: RunningStack, answers: Sequence[str]) -> int:
    connection = await asyncpg.connect(stack.entry("postgres")["address"])
    try:
        kept = await connection.fetchval(
            "SELECT count(*) FROM audit_logs WHERE answer_id = ANY($1::uuid[])", list(answers)
        )
    finally:
        await connection.close()
    return len(set(answers)) - int(kept)


def _add_figures(figures: Figures, rows: Sequence[dict[str, Any]], lost: int) -> None:
    for row in rows:
        name = f"replicas.{row['event']}"
        figures.add(f"{name}.rate", row["per_s"], "answers/s", better="higher")
        for part in ("p50_ms", "p99_ms"):
            figures.add(f"{name}.{part.removesuffix('_ms')}", row[part], "ms")
        figures.add(f"{name}.requests", row["requests"], "", better="higher")
        figures.add(f"{name}.errors", sum(row["errors"].values()), "")
        figures.add(f"{name}.wrong", row["wrong"], "")
        for service, cpu_ms in row.get("cpu_ms", {}).items():
            figures.add(f"{name}.cpu.{service}", cpu_ms, "ms")
        with contextlib.suppress(KeyError):
            figures.add(f"{name}.busiest", row["busiest"], "")
        with contextlib.suppress(KeyError):
            figures.add(f"{name}.first_call", row["first_call_after_s"], "s")
    figures.add("replicas.lost_rows", lost, "")
