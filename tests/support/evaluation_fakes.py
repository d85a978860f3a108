"""A product that answers as a test says, over the gateway's own REST interface."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

Json = dict[str, Any]


@dataclass
class FakeProduct:
    """One book of given documents; `answer` and `find` make what the gateway would send."""

    documents: dict[str, str]
    answer: Callable[[Json], Json]
    find: Callable[[Json], list[Json]] = field(default=lambda _: [])
    gate: Callable[[Json], Json] = field(
        default=lambda _: {"probability": 0.9, "threshold": 0.5, "passed": True, "features": {}}
    )
    shows_passages: bool = True
    requests: list[Json] = field(default_factory=list)

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._handle)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/documents"):
            listed = [{"path": name} for name in self.documents]
            return httpx.Response(200, json={"documents": listed})
        if "/documents/" in path:
            name = path.split("/documents/", 1)[1]
            return httpx.Response(200, json={"path": name, "text": self.documents[name]})
        if "/ingests" in path:
            return self._ingest(request)
        body = json.loads(request.content)
        self.requests.append(body)
        if path.endswith("/search"):
            return httpx.Response(200, json={"passages": self.find(body), "gate": self.gate(body)})
        return self._stream(body)

    def _ingest(self, request: httpx.Request) -> httpx.Response:
        job = {"job_id": "1", "book": "measured", "state": "published", "chunks_total": 3}
        if request.method == "POST":
            return httpx.Response(202, json={"job": job})
        return _events([("job", {"job": job})])

    def _stream(self, body: Json) -> httpx.Response:
        found = [("passages", {"passages": self.find(body)})] if self.shows_passages else []
        return _events([*found, ("done", self.answer(body))])


def _events(events: list[tuple[str, Json]]) -> httpx.Response:
    text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return httpx.Response(200, text=text, headers={"Content-Type": "text/event-stream"})


def cited(document: str, text: str, quote: str, confidence: float = 0.9) -> Json:
    """Return an answer whose one sentence is a quote at its place in the document."""
    start = text.index(quote)
    citation = {
        "n": 1,
        "quote": quote,
        "document": document,
        "start": start,
        "end": start + len(quote),
    }
    level = "high" if confidence > 0.85 else "medium" if confidence >= 0.7 else "low"
    return {
        "text": quote,
        "sentences": [{"text": quote, "citations": [1]}],
        "citations": [citation],
        "refusal": None,
        "confidence": {"score": confidence, "level": level},
    }


def refused() -> Json:
    return {
        "text": "The book does not contain information about this topic.",
        "sentences": [],
        "citations": [],
        "refusal": {"code": "not_covered", "message": "", "related_sections": []},
        "confidence": {"score": 0.0, "level": None},
    }
