"""Read a response up to a limit of bytes."""

import codecs
from collections.abc import AsyncIterator, Callable
from typing import Protocol


class _Stream(Protocol):
    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


class BoundedStream:
    """A response's bytes, up to `most`; more raises what `refuse` makes.

    A byte order mark before them is left out: it says nothing of UTF-8, and what reads streams of
    events takes it for a part of the first line. A class of a client's own streams, since each wants
    its own; beside that one it comes first.
    """

    def __init__(self, stream: _Stream, most: int, refuse: Callable[[], Exception]) -> None:
        self._stream = stream
        self._most = most
        self._refuse = refuse

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left, head, begun = self._most, b"", False
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise self._refuse()
            if begun:
                yield piece
                continue
            head += piece
            begun = not codecs.BOM_UTF8.startswith(head) or head == codecs.BOM_UTF8
            if begun:
                yield head.removeprefix(codecs.BOM_UTF8)
        if not begun:
            yield head

    async def aclose(self) -> None:
        await self._stream.aclose()
