"""A chunk as its point keeps it: one JSON string beside the fields that filters need.

A search reads a hundred points and more. As single payload fields, their conversion to and from
protobuf costs several times what the search itself does.
"""

import zlib

import msgspec


class StoredChunk(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a passage is made from; `units` are (start, end, kind) with offsets in the document."""

    chunk_id: str
    document: str
    start: int
    end: int
    position: int
    section_path: tuple[str, ...]
    section_keys: tuple[str, ...]
    anchor: str
    url: str
    page: int
    text: str
    units: tuple[tuple[int, int, int], ...]
    gap: str = ""
    """What stands between it and the next chunk of the document; only white space does."""
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in the document from which on the text stands on another page, with its number."""
    terms: str = ""
    """The distinct terms of the text and of the titles above it, with spaces between."""
    unit_vectors: bytes = b""
    """A vector a unit, by libs.vectors.packed; empty when the model gives none of parts."""
    table_header: str = ""
    """The header row of the table that the text begins inside of; no part of the text."""
    footnotes: tuple[str, ...] = ()
    """Those that the text refers to and does not hold; no part of the text."""

    def encode(self) -> str:
        """Return it with its checksum in front: what a disk has changed is never read as the book."""
        text = msgspec.json.encode(self)
        return f"{zlib.crc32(text):0{_CHECKSUM}x}{text.decode()}"


_CHECKSUM = 8
"""Hexadecimal digits."""
_DECODER = msgspec.json.Decoder(StoredChunk)


def decode_chunk(text: str) -> StoredChunk:
    """Return the chunk that was encoded.

    Raises ValueError for anything else, a text that has changed, that does not fill its range, and a
    unit that lies outside of it included.
    """
    # Without a checksum are those that were written before there was one.
    is_checked = not text.startswith("{")
    held = text[_CHECKSUM:] if is_checked else text
    if is_checked and text[:_CHECKSUM] != f"{zlib.crc32(held.encode()):0{_CHECKSUM}x}":
        raise ValueError("the chunk is not what was written")
    try:
        chunk = _DECODER.decode(held)
    except msgspec.DecodeError as error:
        raise ValueError("not a stored chunk") from error
    if not chunk.text or len(chunk.text) != chunk.end - chunk.start:
        raise ValueError("the text does not fill its range")
    if any(not chunk.start <= start < end <= chunk.end for start, end, _ in chunk.units):
        raise ValueError("a unit lies outside the text")
    return chunk
