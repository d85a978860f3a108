"""Framing of server-sent events."""

import asyncio
import json
from typing import Any

import pytest

from services.gateway.model.answers import Sentence
from services.gateway.routes import streams
from services.gateway.routes.streams import EventStream, SendEvent, frame


def test_an_event_is_three_lines_whatever_its_text() -> None:
    framed = frame("sentence", Sentence("a\n\nevent: done\r\u2028ü", [1])).decode()
    assert framed.count("\n") == 3
    assert "\r" not in framed
    assert framed.startswith("event: sentence\ndata: {")
    assert json.loads(framed.split("data: ")[1])["text"] == "a\n\nevent: done\r\u2028ü"


async def test_comments_keep_a_quiet_stream_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PING_S", 0.001)
    pinged = asyncio.Event()
    sent: list[dict[str, Any]] = []

    async def produce(send_event: SendEvent) -> None:
        await pinged.wait()
        send_event("done", {})

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: Any) -> None:
        sent.append(dict(message))
        if message.get("body") == b": ping\n\n":
            pinged.set()

    await EventStream(produce)({"type": "http"}, receive, send)
    assert sent[0]["status"] == 200
    assert sent[1]["body"] == b": ping\n\n"
    assert sent[-2]["body"] == b"event: done\ndata: {}\n\n"
    assert sent[-1].get("more_body", False) is False
