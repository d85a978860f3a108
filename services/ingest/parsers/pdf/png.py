"""Write what is drawn of a page as a PNG."""

import struct
import zlib

import pypdfium2 as pdfium

_DEPTH = 6


def png_of(bitmap: pdfium.PdfBitmap) -> bytes:
    """Return a picture of red, green and blue bytes as a PNG."""
    rows = memoryview(bitmap.buffer).cast("B")
    width = bitmap.width * bitmap.n_channels
    starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
    lines = b"".join(b"\0" + bytes(rows[start : start + width]) for start in starts)
    header = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 8, 2, 0, 0, 0)
    image = zlib.compress(lines, _DEPTH)
    parts = (_part(b"IHDR", header), _part(b"IDAT", image), _part(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _part(name: bytes, body: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + check
