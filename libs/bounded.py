"""Read a response up to a limit of bytes."""

from collections.abc import AsyncIterator, Callable
from typing import Protocol


class _Stream(Protocol):
    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


class BoundedStream:
    """A response's bytes, up to `most`; more raises what `refuse` makes.

    A class of a client's own streams, since each wants its own; beside that one it comes first.
    """

    def __init__(self, stream: _Stream, most: int, refuse: Callable[[], Exception]) -> None:
        self._stream = stream
        self._most = most
        self._refuse = refuse

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise self._refuse()
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
