"""Readers of streamed answers, and what the record has of what they read."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from libs.postgres.pool import connect
from tests.support.aside import environment_of
from tests.support.stack import QUESTION, SAMPLE, RunningStack

_ROWS = (
    "SELECT request_id, sentences, taken_back, success FROM audit_logs WHERE request_id = ANY($1)"
)


@dataclass
class Reading:
    """What one reader received: sentences, and the whole answer if it came to its end."""

    request_id: str
    sentences: list[str] = field(default_factory=list)
    answer: dict[str, Any] | None = None


@dataclass(frozen=True)
class Recorded:
    """A row of the record: its sentences, those that were shown and taken back, how it ended."""

    sentences: list[str]
    taken_back: list[str]
    success: bool

    @property
    def shown(self) -> set[str]:
        return {*self.sentences, *self.taken_back}


def read_answer(url: str, request_id: str, note: Callable[[], None]) -> Reading:
    """Ask as a reader, until the answer ends or breaks off; each sentence is noted at once."""
    reading = Reading(request_id)
    asked = httpx.stream(
        "POST",
        f"{url}/v1/books/{SAMPLE}/answers",
        json={"question": QUESTION},
        headers={"accept": "text/event-stream", "x-request-id": request_id},
        timeout=30,
        trust_env=False,
    )
    with suppress(httpx.TransportError), asked as stream:
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "sentence":
                reading.sentences.append(_data(line)["sentence"]["text"])
                note()
            elif line.startswith("data: ") and name == "done":
                reading.answer = _data(line)
    return reading


def _data(line: str) -> dict[str, Any]:
    return dict(json.loads(line.removeprefix("data: ")))


def proven_lines(stack: RunningStack) -> list[str]:
    """Lines of a draft that the book proves: its sentences, as the passages found have them."""
    found = stack.search(SAMPLE, QUESTION)["passages"]
    quotes = [
        passage["text"][span["start"] - passage["start"] : span["end"] - passage["start"]]
        for passage in found
        for span in passage["spans"]
        if span["kind"] == "paragraph"
    ]
    return [
        quote + "".join(f' [Source {number}: "{quote}"]' for number in range(1, 6))
        for quote in quotes
        if quote.endswith(".")
    ]


def read_rows(dsn: str, statement: str, *values: Any) -> list[Any]:
    """Return what a statement selects; a server that recovers is waited for."""

    async def read() -> list[Any]:
        async with await connect(dsn, max_size=1) as pool:
            return list(await pool.fetch(statement, *values))

    return asyncio.run(read())


def dsn_of(stack: RunningStack) -> str:
    return environment_of(stack, "generation")["QUOTH_POSTGRES_DSN"]


def recorded_rows(dsn: str, request_ids: Sequence[str]) -> dict[str, list[Recorded]]:
    """Return the rows of these requests; a request without any has none."""

    found: dict[str, list[Recorded]] = {one: [] for one in request_ids}
    for row in read_rows(dsn, _ROWS, request_ids):
        kept = Recorded(_texts(row["sentences"]), _texts(row["taken_back"]), row["success"])
        found[row["request_id"]].append(kept)
    return found


def _texts(sentences: str) -> list[str]:
    return [item[0] for item in json.loads(sentences)]
