"""A response is read to its bound, and without a byte order mark."""

from collections.abc import AsyncIterator

import pytest

from libs.bounded import BoundedStream
from libs.errors import Unavailable

MARK = b"\xef\xbb\xbf"


class Pieces:
    """A response that comes in these pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        pass


async def read(*pieces: bytes, most: int = 100) -> bytes:
    stream = BoundedStream(Pieces(*pieces), most, lambda: Unavailable("too much"))
    return b"".join([piece async for piece in stream])


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ((b"data: 1",), b"data: 1"),
        ((MARK + b"data: 1",), b"data: 1"),
        ((MARK, b"data: 1"), b"data: 1"),
        ((b"\xef", b"\xbb", b"", b"\xbfda", b"ta: 1"), b"data: 1"),
        ((MARK + MARK + b"data: 1",), MARK + b"data: 1"),
        ((b"data: " + MARK,), b"data: " + MARK),
        ((b"\xef\xbb",), b"\xef\xbb"),
        ((b"\xef", b"\xbc"), b"\xef\xbc"),
        ((MARK,), b""),
        ((), b""),
    ],
)
async def test_a_byte_order_mark_before_a_response_is_no_part_of_it(
    pieces: tuple[bytes, ...], text: bytes
) -> None:
    assert await read(*pieces) == text


async def test_no_more_is_read_than_is_allowed() -> None:
    assert await read(b"12", b"34", most=4) == b"1234"
    with pytest.raises(Unavailable, match="too much"):
        await read(b"12", b"345", most=4)
