"""What readers and editors do to a product for minutes: ask, stream, abandon, upload, edit, delete."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support.ingest_fakes import zipped
from tests.support.stack import SAMPLE

EDITED = "edited"
"""The book that editors change all the time; each of its chunks names the change it is of."""
_FEW, _MANY = 6, 100
_PARTS = 4
_DECLARED = frozenset({200, 201, 202, 204, 400, 404, 409, 410, 413, 415, 422, 429, 503, 504})
_UNDER_WAY = ("queued", "running")

Do = Callable[["Traffic", random.Random], Awaitable[None]]


@dataclass
class Traffic:
    """One soak's requests: what came back, and what must not have."""

    url: str
    questions: list[str]
    done: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    answer_ids: list[str] = field(default_factory=list)
    took_ms: dict[str, list[float]] = field(default_factory=dict)
    change: int = 0
    ingesting: bool = False
    texts: dict[tuple[int, str], str] = field(default_factory=dict)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        async with httpx.AsyncClient(base_url=self.url, timeout=60, trust_env=False) as client:
            yield client

    def note(self, what: str, response: httpx.Response) -> bool:
        """Count a response; says whether it is a success."""
        status = response.status_code
        self.statuses[str(status)] += 1
        if status not in _DECLARED:
            self.fault(f"{what}: {status} {response.text[:300]}")
        elif status >= 400 and not response.json().get("request_id"):
            self.fault(f"{what}: {status} without a request id")
        if status < 400:
            self.done[what] += 1
        return status < 400

    def fault(self, what: str) -> None:
        self.faults.append(what)

    async def run(self, seconds: float, seed: int) -> None:
        """Let everybody do what they do until the time is over."""
        until = time.monotonic() + seconds
        tasks = [
            self._repeat(do, random.Random(f"{seed}.{number}"), until)
            for number, do in enumerate(EVERYBODY)
        ]
        await asyncio.gather(*tasks)

    async def _repeat(self, do: Do, chance: random.Random, until: float) -> None:
        while time.monotonic() < until:
            try:
                await do(self, chance)
            except httpx.TransportError as error:
                self.statuses["broken off"] += 1
                self.fault(f"{do.__name__}: {error!r}")
            await asyncio.sleep(chance.uniform(0.3, 1.2))


async def ask(traffic: Traffic, chance: random.Random) -> None:
    """Ask for a whole answer, and hold each of its quotations against the book."""
    async with traffic.client() as client:
        began, beside = time.monotonic(), traffic.ingesting
        body = {"question": chance.choice(traffic.questions)}
        response = await client.post(f"/v1/books/{SAMPLE}/answers", json=body)
        if not traffic.note("ask", response):
            return
        kind = "beside an ingest" if beside else "alone"
        traffic.took_ms.setdefault(kind, []).append(1000 * (time.monotonic() - began))
        answer = response.json()
        traffic.answer_ids.append(answer["answer_id"])
        await _check_quotes(traffic, client, answer)


async def _check_quotes(
    traffic: Traffic, client: httpx.AsyncClient, answer: dict[str, Any]
) -> None:
    if bool(answer["sentences"]) != (answer["refusal"] is None):
        traffic.fault(f"neither an answer nor a refusal: {answer['answer_id']}")
    for citation in answer["citations"]:
        key = (int(answer["edition"]), str(citation["document"]))
        if key not in traffic.texts:
            path = f"/v1/books/{SAMPLE}/documents/{key[1]}"
            found = await client.get(path, params={"edition": key[0]})
            if not traffic.note("read", found):
                return
            traffic.texts[key] = str(found.json()["text"])
        if traffic.texts[key][citation["start"] : citation["end"]] != citation["quote"]:
            traffic.fault(f"a quotation that is not the book's: {answer['answer_id']}")


async def stream(traffic: Traffic, chance: random.Random) -> None:
    """Read an answer as it comes; every second reader leaves in the middle."""
    leaves = chance.random() < 0.5
    lines_until_gone = chance.randrange(1, 12)
    async with traffic.client() as client:
        body = {"question": chance.choice(traffic.questions)}
        headers = {"accept": "text/event-stream"}
        path = f"/v1/books/{SAMPLE}/answers"
        async with client.stream("POST", path, json=body, headers=headers) as response:
            if response.status_code != 200:
                await response.aread()
                traffic.note("stream", response)
                return
            last, count = "", 0
            async for line in response.aiter_lines():
                count += 1
                last = line.removeprefix("event: ") if line.startswith("event: ") else last
                if leaves and count >= lines_until_gone:
                    traffic.done["abandon"] += 1
                    return
            traffic.note("stream", response)
            if last != "done" and last != "error":
                traffic.fault(f"a stream that ended with {last!r}")


async def converse(traffic: Traffic, chance: random.Random) -> None:
    """Ask twice in a session, and end it."""
    async with traffic.client() as client:
        begun = await client.post(f"/v1/books/{SAMPLE}/sessions")
        if not traffic.note("session", begun):
            return
        session = begun.json()["session_id"]
        for _ in range(2):
            body = {"question": chance.choice(traffic.questions), "session": session}
            response = await client.post(f"/v1/books/{SAMPLE}/answers", json=body)
            if traffic.note("turn", response):
                traffic.answer_ids.append(response.json()["answer_id"])
        traffic.note("end", await client.delete(f"/v1/sessions/{session}"))


async def search(traffic: Traffic, chance: random.Random) -> None:
    """Search the book that is being changed: what is found is of one change alone."""
    async with traffic.client() as client:
        body = {"question": f"What turns in part {chance.randrange(_PARTS)}?", "max_passages": 20}
        response = await client.post(f"/v1/books/{EDITED}/search", json=body)
        if traffic.note("search", response):
            words = json.dumps(response.json()["passages"]).split()
            marks = {word.strip('".,\\n') for word in words if word.startswith("Change-")}
            if len(marks) > 1:
                traffic.fault(f"a search that found {sorted(marks)}")


async def edit(traffic: Traffic, chance: random.Random) -> None:
    """Upload a new edition, now and then a large one; then delete, vacuum, bring back or leave."""
    traffic.change += 1
    many = traffic.change % 5 == 0
    async with traffic.client() as client:
        data = zipped(_documents(traffic.change, _MANY if many else _FEW))
        traffic.ingesting = many
        try:
            await _upload(traffic, client, "edit", data)
        finally:
            traffic.ingesting = False
        if chance.random() < 0.4:
            document = f"/v1/books/{EDITED}/documents/d{chance.randrange(_FEW)}.md"
            traffic.note("delete a document", await client.delete(document))
        if traffic.change % 7 == 0:
            await _finish(traffic, client, "delete", await client.delete(f"/v1/books/{EDITED}"))
        vacuum = await client.post(f"/v1/books/{EDITED}/vacuum", params={"keep": 1})
        await _finish(traffic, client, "vacuum", vacuum)


def _documents(change: int, count: int) -> dict[str, bytes | str]:
    def paragraph(number: int, part: int) -> str:
        return f"In part {part} of {number} the gear turns by Change-{change} teeth at once. " * 4

    return {
        f"d{number}.md": f"# Document {number}\n\n"
        + "\n\n".join(f"## Part {part}\n\n{paragraph(number, part)}" for part in range(_PARTS))
        for number in range(count)
    }


async def _upload(traffic: Traffic, client: httpx.AsyncClient, what: str, data: bytes) -> None:
    response = await client.post(
        f"/v1/books/{EDITED}/ingests",
        params={"file_name": "book.zip"},
        content=data,
        headers={"Content-Type": "application/zip"},
    )
    await _finish(traffic, client, what, response)


async def _finish(
    traffic: Traffic, client: httpx.AsyncClient, what: str, response: httpx.Response
) -> None:
    """Wait until the job that a change has begun is over."""
    if not traffic.note(what, response) or not response.content:
        return
    job = response.json().get("job") or {}
    for _ in range(600):
        if not job or job["state"] not in _UNDER_WAY:
            break
        await asyncio.sleep(0.2)
        found = await client.get(f"/v1/books/{EDITED}/ingests/{job['job_id']}")
        if not traffic.note("watch", found):
            return
        job = found.json().get("job") or found.json()
    else:
        traffic.fault(f"{what}: a job that did not end: {job}")


async def upload_half(traffic: Traffic, chance: random.Random) -> None:
    """Break an upload off in the middle, and send one that can't be read."""

    async def half() -> AsyncIterator[bytes]:
        yield b"PK\x03\x04" + bytes(chance.randrange(1, 4000))
        raise ConnectionAbortedError

    await asyncio.sleep(chance.uniform(2, 6))
    async with traffic.client() as client:
        path = f"/v1/books/{EDITED}/ingests"
        try:
            await client.post(
                path,
                params={"file_name": "half.zip"},
                content=half(),
                headers={"Content-Type": "application/zip"},
            )
        except ConnectionAbortedError:
            traffic.done["upload abandoned"] += 1
        bad = chance.choice((b"", b"\x00", b"PK\x03\x04", b"%PDF-1.7", bytes(range(256)) * 40))
        name = chance.choice(("a.zip", "a.pdf", "a.epub", "a.md", "a.docx"))
        response = await client.post(
            path,
            params={"file_name": name, "dry_run": "true"},
            content=bad,
            headers={"Content-Type": "application/octet-stream"},
        )
        traffic.note("bad upload", response)


EVERYBODY: tuple[Do, ...] = (ask, ask, stream, stream, converse, search, edit, upload_half)
