"""Scripts for the scripted model by which it speaks as Anthropic's API does."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from services.generation.adapters.models.anthropic_answerer import AnthropicAnswerer
from tests.support.scripted_model import Exchange, scripted_model, sends

KEY = "secret-key"


@asynccontextmanager
async def claude_answerer(*scripts: Callable[..., Any]) -> AsyncIterator[Any]:
    """An answerer whose model does what the scripts say, and that model."""
    async with scripted_model(*scripts) as model:
        answerer = AnthropicAnswerer(url=f"http://127.0.0.1:{model.port}", key=KEY)
        try:
            yield answerer, model
        finally:
            await answerer.close()


def block(index: int, text: str, *citations: tuple[int, str]) -> Iterator[dict[str, Any]]:
    """The events of one text block; a citation is (number of the document, cited text)."""
    yield {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": "text", "text": "", "citations": []},
    }
    for document, cited in citations:
        citation = {
            "type": "char_location",
            "cited_text": cited,
            "document_index": document,
            "document_title": "Source",
            "start_char_index": 0,
            "end_char_index": len(cited),
        }
        delta = {"type": "citations_delta", "citation": citation}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    delta = {"type": "text_delta", "text": text}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def writes(*blocks: tuple[Any, ...], stop: str | None = "end_turn") -> Callable[..., Any]:
    """A proper answer: each block is its text and its citations."""
    return sends(render(*blocks, stop=stop))


def begins(*blocks: tuple[Any, ...]) -> Callable[..., Any]:
    """The beginning of an answer, and then nothing for ever."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        whole = render(*blocks, stop=None)
        await exchange.chunk(whole[: whole.index(b"event: message_delta")])
        await asyncio.Event().wait()

    return script


def breaks_off(*blocks: tuple[str, tuple[int, str]]) -> Callable[..., Any]:
    """The beginning of an answer, and then the connection breaks."""

    async def script(exchange: Exchange) -> None:
        await exchange.begin_stream()
        whole = render(*blocks, stop=None)
        await exchange.chunk(whole[: whole.index(b"event: message_delta")])

    return script


async def talks_for_ever(exchange: Exchange) -> None:
    """Text without end, in lines."""
    whole = render(("and so on and on " * 20 + "\n",), stop=None)
    start, _, text = whole.partition(b"event: content_block_delta")
    delta = b"event: content_block_delta" + text.split(b"event: content_block_stop")[0]
    await exchange.begin_stream()
    await exchange.chunk(start)
    while True:
        await exchange.chunk(delta)


def render(*blocks: tuple[Any, ...], stop: str | None, tokens: tuple[int, int] = (1, 1)) -> bytes:
    """The events of a whole message, as bytes; `tokens` are those given and written."""
    usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    message: dict[str, Any] = {
        "id": "m", "type": "message", "role": "assistant", "model": "claude", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, (text, *citations) in enumerate(blocks):
        events += block(index, text, *citations)
    ending = {"stop_reason": stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ending, "usage": usage}, {"type": "message_stop"}]
    body = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
    return body.encode()
