"""Ask questions over REST, and read how long the answers took, as a whole and by stage."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.benchmarks.corpora import Question
from tests.benchmarks.load import OK, Send
from tests.benchmarks.posting import Poster

REFUSALS = (429, 503, 504)

TIMEOUT_S = 15.0
"""Longer than the product's own deadline, so that it is the product that gives up."""


@dataclass
class Asked:
    """What came back of questions asked one after the other."""

    walls_ms: list[float] = field(default_factory=list)
    first_event_ms: list[float] = field(default_factory=list)
    stages_ms: dict[str, list[float]] = field(default_factory=dict)
    passages: list[list[str]] = field(default_factory=list)
    answered: int = 0
    refused: int = 0
    """Those that ended as REFUSALS: too busy, or too late. They have no wall time."""

    def refuses(self, response: httpx.Response) -> bool:
        """Note a response that is no answer. Raises HTTPStatusError for one that never should be."""
        if response.status_code not in REFUSALS:
            response.raise_for_status()
            return False
        self.refused += 1
        return True

    def note_stages(self, answer: dict[str, Any]) -> None:
        for timing in answer.get("timings", ()):
            self.stages_ms.setdefault(timing["stage"], []).append(timing["used_ms"])


class Asker:
    """Asks one book. No question is asked twice in the same words: caches of questions do not help.

    `turn` sets the words of one series of questions apart from those of another.
    """

    def __init__(self, url: str, book: str, questions: Sequence[Question]) -> None:
        self._book = f"/v1/books/{book}"
        self._questions = questions
        self._client = httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, trust_env=False)
        self._poster = Poster(url)

    async def close(self) -> None:
        await self._client.aclose()
        self._poster.close()

    async def search(self, number: int, turn: str, asked: Asked) -> None:
        began = time.perf_counter()
        response = await self._client.post(f"{self._book}/search", json=self._body(number, turn))
        wall_ms = 1e3 * (time.perf_counter() - began)
        if asked.refuses(response):
            asked.passages.append([])
            return
        asked.walls_ms.append(wall_ms)
        found = response.json()
        asked.passages.append([passage["text"] for passage in found["passages"]])
        asked.note_stages(found)

    async def answer(self, number: int, turn: str, asked: Asked) -> None:
        began = time.perf_counter()
        response = await self._client.post(f"{self._book}/answers", json=self._body(number, turn))
        wall_ms = 1e3 * (time.perf_counter() - began)
        if asked.refuses(response):
            return
        asked.walls_ms.append(wall_ms)
        answer = response.json()
        asked.answered += not answer["refusal"]
        asked.note_stages(answer)

    async def stream(self, number: int, turn: str, asked: Asked) -> None:
        began = time.perf_counter()
        async with self._client.stream(
            "POST",
            f"{self._book}/answers",
            json=self._body(number, turn),
            headers={"accept": "text/event-stream"},
        ) as response:
            if asked.refuses(response):
                return
            first, ended = 0.0, False
            async for line in response.aiter_lines():
                if line.startswith("event:"):
                    first = first or time.perf_counter() - began
                    ended = line.removeprefix("event:").strip() in ("done", "error")
                    asked.refused += line.removeprefix("event:").strip() == "error"
        if not ended:
            raise RuntimeError("a stream broke off before its end")
        asked.walls_ms.append(1e3 * (time.perf_counter() - began))
        asked.first_event_ms.append(1e3 * first)

    def sender(self, turn: str) -> Send:
        """Return a function that asks for an answer and says how that ended."""

        async def send(number: int) -> str:
            body = json.dumps(self._body(number, turn)).encode()
            try:
                status = await self._poster.post(f"{self._book}/answers", body, timeout_s=TIMEOUT_S)
            except TimeoutError:
                return "timeout"
            except OSError:
                return "broken"
            return OK if status == httpx.codes.OK else str(status)

        return send

    def _body(self, number: int, turn: str) -> dict[str, Any]:
        return {"question": fresh_words(self._questions, number, turn)}


def fresh_words(questions: Sequence[Question], number: int, turn: str) -> str:
    """Return question `number`, after the last one beginning again in other words."""
    again, place = divmod(number, len(questions))
    marks = " ".join(part for part in (turn, str(again) if again else "") if part)
    text = questions[place].text
    return f"{text} ({marks})" if marks else text


@asynccontextmanager
async def asking(url: str, book: str, questions: Sequence[Question]) -> AsyncIterator[Asker]:
    asker = Asker(url, book, questions)
    try:
        yield asker
    finally:
        await asker.close()
