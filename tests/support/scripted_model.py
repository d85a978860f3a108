"""An OpenAI-compatible chat server on loopback that does what a script says, however wrong.

    async with scripted_model(says("Motors turn. [Source 1: \"Motors turn\"]")) as model:
        client = AsyncOpenAI(base_url=model.url, api_key="key")

With several scripts each serves one request, and the last all that follow.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Script = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Request:
    """What a client sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Exchange:
    """One request being answered: `send` raw bytes, or chunks of a streamed body."""

    request: Request
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, status: str, *headers: str) -> None:
        lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
        await self.send("\r\n".join(lines).encode())

    async def begin_stream(self) -> None:
        await self.head(
            "200 OK", "Content-Type: text/event-stream; charset=utf-8", "Transfer-Encoding: chunked"
        )

    async def chunk(self, data: bytes) -> None:
        await self.send(b"%x\r\n%s\r\n" % (len(data), data))

    async def event(
        self, choice: dict[str, Any] | None, usage: dict[str, Any] | None = None
    ) -> None:
        message = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "scripted",
            "choices": [] if choice is None else [{"index": 0, **choice}],
            "usage": usage,
        }
        await self.chunk(b"data: " + json.dumps(message).encode() + b"\n\n")

    async def text(self, text: str) -> None:
        await self.event({"delta": {"content": text}, "finish_reason": None})

    async def end_stream(self, finish_reason: str | None = "stop") -> None:
        await self.event({"delta": {}, "finish_reason": finish_reason})
        await self.chunk(b"data: [DONE]\n\n")
        await self.send(b"0\r\n\r\n")


@dataclass
class ScriptedModel:
    """The running server: what it was asked, and whether a client left before the script's end."""

    port: int
    requests: list[Request] = field(default_factory=list)
    abandoned: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@asynccontextmanager
async def scripted_model(*scripts: Script) -> AsyncIterator[ScriptedModel]:
    model = ScriptedModel(0)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            request = await _read_request(reader)
            script = scripts[min(len(model.requests), len(scripts) - 1)]
            model.requests.append(request)
            await _run(script, Exchange(request, writer), reader, model)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        for task in tasks.copy():
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.strip().split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.split(" ")[1], headers, json.loads(body or b"{}"))


async def _run(
    script: Script, exchange: Exchange, reader: asyncio.StreamReader, model: ScriptedModel
) -> None:
    """Run the script until it ends or the client goes away."""
    playing = asyncio.ensure_future(script(exchange))
    leaving = asyncio.ensure_future(reader.read())
    try:
        await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done() or isinstance(playing.exception(), ConnectionError):
            model.abandoned.set()
    finally:
        for task in (playing, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await task


def says(text: str, finish_reason: str | None = "stop") -> Script:
    """A proper answer, streamed in small pieces."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for start in range(0, len(text), 7):
            await exchange.text(text[start : start + 7])
        await exchange.end_stream(finish_reason)

    return script


def says_slowly(*pieces: str, pause_s: float) -> Script:
    """A proper answer, whose first byte is long in coming, and so is its end."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for piece in pieces:
            await asyncio.sleep(pause_s)
            await exchange.text(piece)
        await asyncio.sleep(pause_s)
        await exchange.end_stream()

    return script


def says_then_hangs(text: str = "") -> Script:
    """Some text, and then nothing for ever."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        if text:
            await exchange.text(text)
        await asyncio.Event().wait()

    return script


def says_by_line(lines: Sequence[str], pause_s: float) -> Script:
    """One line at a time, and then nothing for ever."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for line in lines:
            await exchange.text(f"{line}\n")
            await asyncio.sleep(pause_s)
        await asyncio.Event().wait()

    return script


async def hangs(exchange: Exchange) -> None:
    """Not a byte."""
    await asyncio.Event().wait()


def drips(text: str, pause_s: float) -> Script:
    """One character at a time."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for character in text:
            await exchange.text(character)
            await asyncio.sleep(pause_s)
        await exchange.end_stream()

    return script


def cuts_off(text: str) -> Script:
    """Some text, and then the connection breaks."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        await exchange.text(text)

    return script


async def resets(exchange: Exchange) -> None:
    """Closed before a byte."""


def fails(
    status: str, *headers: str, body: str = '{"error": {"message": "provider text"}}'
) -> Script:
    """An error of the provider."""

    async def script(exchange: Exchange) -> None:
        size = f"Content-Length: {len(body.encode())}"
        await exchange.head(status, "Content-Type: application/json", size, *headers)
        await exchange.send(body.encode())

    return script


def sends(body: bytes, *headers: str, content_type: str = "text/event-stream") -> Script:
    """A body that may be anything."""

    async def script(exchange: Exchange) -> None:
        size = f"Content-Length: {len(body)}"
        await exchange.head("200 OK", f"Content-Type: {content_type}", size, *headers)
        await exchange.send(body)

    return script


def sends_choices(*choices: dict[str, Any] | None, usage: dict[str, Any] | None = None) -> Script:
    """Chunks with these choices, the tokens used, and the end of the stream."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        for choice in choices:
            await exchange.event(choice)
        if usage:
            await exchange.event(None, usage)
        await exchange.chunk(b"data: [DONE]\n\n")
        await exchange.send(b"0\r\n\r\n")

    return script


async def never_stops(exchange: Exchange) -> None:
    """Text without end, in lines."""
    await exchange.begin_stream()
    while True:
        await exchange.text("and so on and on " * 20 + "\n")


async def never_ends_a_line(exchange: Exchange) -> None:
    """One event without end."""
    await exchange.begin_stream()
    await exchange.chunk(b"data: ")
    while True:
        await exchange.chunk(b"x" * 65536)
