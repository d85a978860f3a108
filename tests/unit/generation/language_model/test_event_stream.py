"""What answers a request for a stream is read as events, however it comes in pieces."""

import json
from collections.abc import AsyncIterator

import httpx2
import pytest

from services.generation.language_model.event_stream import EventStream


class Pieces(httpx2.AsyncByteStream):
    """Bytes in pieces of one size."""

    def __init__(self, body: bytes, size: int) -> None:
        self._pieces = [body[start : start + size] for start in range(0, len(body), size)]

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


async def read(body: bytes, size: int, *, data_only: bool = True) -> bytes:
    return b"".join([piece async for piece in EventStream(Pieces(body, size), data_only=data_only)])


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_only_the_data_of_events_is_kept(size: int) -> None:
    body = b": hm\nevent: ping\nid: 1\n\nretry: 3\n\ndata: {}\n\ndatabase\n\ndata: [DONE]\n\n"
    assert await read(body, size) == b"\n\ndata: {}\n\n\ndata: [DONE]\n\n"
    assert await read(body, size, data_only=False) == body


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_a_whole_completion_becomes_one_event(size: int) -> None:
    whole = {"choices": [{"index": 0, "message": {"content": "Hm."}}]}
    piece = {"choices": [{"index": 0, "delta": {"content": "Hm."}}]}
    for body in (json.dumps(whole), json.dumps(whole, indent=1) + "\n\ndata: [DONE]\n"):
        event, done, _ = (await read(body.encode(), size)).split(b"\n\n")
        assert json.loads(event.removeprefix(b"data: ")) == piece
        assert done == b"data: [DONE]"


@pytest.mark.parametrize("data_only", [True, False])
@pytest.mark.parametrize("body", [b"", b"<html>\ndatabase: no\n</html>", b": hm\n\n", b"\n\n"])
async def test_a_response_without_data_is_no_stream(body: bytes, data_only: bool) -> None:
    with pytest.raises(ValueError, match="without events"):
        await read(body, 4, data_only=data_only)


@pytest.mark.parametrize("body", [b'{"choices": [', b"{]", b'{"choices": [1]}', b'{"choices": 1}'])
async def test_a_broken_completion_is_malformed(body: bytes) -> None:
    with pytest.raises((ValueError, AttributeError, TypeError)):
        await read(body, 1000)


async def test_reading_once_more_goes_on_where_it_ended() -> None:
    stream = EventStream(Pieces(b"data: {}\n\ndata: 1\n\n", 10), data_only=True)
    async for _ in stream:
        break
    assert b"".join([piece async for piece in stream]).endswith(b"data: 1\n\n")
    assert [piece async for piece in stream] == []
