"""Read the size of a raster image from its first bytes, without decoding it."""

import struct
from collections.abc import Callable, Iterator

Raster = tuple[str, int, int]
"""Media type, width and height in pixels."""

_PNG = b"\x89PNG\r\n\x1a\n"
_FRAMES = frozenset(
    (*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
)
"""Markers of JPEG after which the size stands."""
_BARE = frozenset((0x01, *range(0xD0, 0xD9)))
"""Markers of JPEG that have no length."""
_MOST_MARKERS = 1000
_MOST_BOXES = 1000
_NESTED = {b"meta": 4, b"iprp": 0, b"ipco": 0}
"""Boxes of AVIF on the way to the size, with the bytes that stand before what is in them."""


def read_raster(data: bytes) -> Raster | None:
    """Return what the image is; None for what is none, or breaks off before its size."""
    for begins, media_type, read_size in _FORMATS:
        if begins(data):
            try:
                width, height = read_size(data)
            except (struct.error, IndexError):
                return None
            return (media_type, width, height) if width > 0 and height > 0 else None
    return None


def _png(data: bytes) -> tuple[int, int]:
    kind, width, height = struct.unpack_from(">4sII", data, 12)
    return (width, height) if kind == b"IHDR" else (0, 0)


def _gif(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    for _ in range(_MOST_MARKERS):
        if data[at] != 0xFF:
            return 0, 0
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if marker == 0xFF:
            at += 1
        elif marker in _BARE:
            at += 2
        else:
            at += 2 + max(2, struct.unpack_from(">H", data, at + 2)[0])
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        return (width, height) if len(data) >= 30 else (0, 0)
    if kind == b"VP8L":
        [bits] = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _avif(data: bytes) -> tuple[int, int]:
    """Return the largest of the sizes that its items have: one is the image, others are its parts."""
    sizes = [
        struct.unpack_from(">II", data, start + 4)
        for kind, start, _ in _boxes(data, 0, len(data))
        if kind == b"ispe"
    ]
    return max(sizes, key=lambda size: size[0] * size[1], default=(0, 0))


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield kind and range of the boxes between two offsets, those inside of known ones too."""
    waiting = [(start, end)]
    for _ in range(_MOST_BOXES):
        if not waiting:
            return
        at, stop = waiting.pop()
        if at + 8 > stop:
            continue
        size, kind = struct.unpack_from(">I4s", data, at)
        inner = at + 8
        if size == 1:
            [size] = struct.unpack_from(">Q", data, inner)
            inner += 8
        close = at + size if size else stop
        if close > stop or close < inner:
            return
        waiting.append((close, stop))
        if kind in _NESTED:
            waiting.append((inner + _NESTED[kind], close))
        yield kind, inner, close


def _is_avif(data: bytes) -> bool:
    return data[4:8] == b"ftyp" and any(brand in data[8:64] for brand in (b"avif", b"avis"))


_FORMATS: tuple[tuple[Callable[[bytes], bool], str, Callable[[bytes], tuple[int, int]]], ...] = (
    (lambda data: data.startswith(_PNG), "image/png", _png),
    (lambda data: data.startswith(b"\xff\xd8\xff"), "image/jpeg", _jpeg),
    (lambda data: data[:6] in (b"GIF87a", b"GIF89a"), "image/gif", _gif),
    (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP", "image/webp", _webp),
    (_is_avif, "image/avif", _avif),
)
