"""A model's server that sends its caller elsewhere is not followed, whatever stands there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import openai
import pytest

from services.generation.adapters.models import anthropic_answerer, openai_answerer


@asynccontextmanager
async def redirecting() -> AsyncIterator[tuple[str, list[str]]]:
    """Yield the URL of a server that answers each request with another place, and what was asked."""
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n")).decode().split()[1])
        writer.write(
            b"HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\n"
            b"content-length: 0\r\nconnection: close\r\n\r\n"
        )
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}", asked


async def ask_openai(url: str) -> None:
    client = openai_answerer.open_client(url, "k")
    message: Any = {"role": "user", "content": "Hello"}
    await client.chat.completions.create(model="m", messages=[message])


async def ask_anthropic(url: str) -> None:
    client = anthropic_answerer.open_client(url, "k")
    message: Any = {"role": "user", "content": "Hello"}
    await client.messages.create(model="m", max_tokens=1, messages=[message])


@pytest.mark.control("V10")
@pytest.mark.parametrize("ask", [ask_openai, ask_anthropic])
async def test_a_redirect_of_a_models_server_is_not_followed(ask: Callable[[str], Any]) -> None:
    async with redirecting() as (url, asked):
        with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)):
            await ask(url)
    assert len(asked) == 1
    assert "/elsewhere" not in asked
