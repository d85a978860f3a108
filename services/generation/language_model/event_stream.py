"""Make the events that an SDK reads of what servers answer to a request for a stream."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2

_DATA = re.compile(rb"data(?::|\s*\Z)")


class EventStream(httpx2.AsyncByteStream):
    """A response's bytes as events. Raises ValueError at the end of one without data, as a page is.

    With `data_only` events have only their data: one that only names itself, its number or a time to
    wait is none, and OpenAI's SDK takes it for one. A whole chat completion becomes one event then.
    """

    def __init__(self, stream: httpx2.AsyncByteStream, *, data_only: bool) -> None:
        self._stream = stream
        self._data_only = data_only
        self._has_data = False
        self._whole: bytes | None = None
        self._pieces = self._read()

    def __aiter__(self) -> AsyncIterator[bytes]:
        # OpenAI's SDK iterates once more for what is left behind the end that it was told of; on a
        # connection that was read to its end the HTTP client would never come back from that.
        return self._pieces

    async def _read(self) -> AsyncIterator[bytes]:
        rest = b""
        async for piece in self._stream:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield self._keep(line + b"\n")
        yield self._keep(rest)
        if self._whole is not None:
            yield _event_of(self._whole)
        elif not self._has_data:
            raise ValueError("a response without events")

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _keep(self, line: bytes) -> bytes:
        """Return what the SDK is to read of a line."""
        is_data = _DATA.match(line) is not None
        if self._whole is not None:  # some servers write the end of a stream behind it
            self._whole += b"" if is_data else line
            return b""
        if self._data_only and not self._has_data and line.lstrip().startswith(b"{"):
            self._whole = line
            return b""
        self._has_data = self._has_data or is_data
        return line if is_data or not self._data_only or not line.strip() else b""


def _event_of(body: bytes) -> bytes:
    """Return a whole chat completion as one event of a stream, then the stream's end."""
    held: dict[str, Any] = json.loads(body)
    for choice in held.get("choices") or ():
        choice["delta"] = choice.pop("message", None)
    return b"data: " + json.dumps(held).encode() + b"\n\ndata: [DONE]\n\n"


def read_events(*, data_only: bool) -> Any:
    """Return the hook of a client that reads what answers a request for a stream as events."""

    async def hook(response: httpx2.Response) -> None:
        if response.status_code == httpx2.codes.OK and isinstance(
            response.stream, httpx2.AsyncByteStream
        ):
            response.stream = EventStream(response.stream, data_only=data_only)

    return hook
