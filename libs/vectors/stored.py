"""A chunk as its point keeps it: one JSON string beside the fields that filters need.

A search reads a hundred points and more. As single payload fields, their conversion to and from
protobuf costs several times what the search itself does.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class StoredChunk:
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
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in the document from which on the text stands on another page, with its number."""

    def encode(self) -> str:
        fields = asdict(self)
        fields["units"] = " ".join(f"{start},{end},{kind}" for start, end, kind in self.units)
        breaks = fields.pop("page_breaks")
        if breaks:
            fields["page_breaks"] = " ".join(f"{offset},{page}" for offset, page in breaks)
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def decode_chunk(text: str) -> StoredChunk:
    """Return the chunk that was encoded.

    Raises ValueError for anything else, a text that does not fill its range and a unit that lies
    outside of it included.
    """
    try:
        chunk = _read(json.loads(text))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("not a stored chunk") from error
    if not chunk.text or len(chunk.text) != chunk.end - chunk.start:
        raise ValueError("the text does not fill its range")
    if any(not chunk.start <= start < end <= chunk.end for start, end, _ in chunk.units):
        raise ValueError("a unit lies outside the text")
    return chunk


def _read(fields: dict[str, Any]) -> StoredChunk:
    return StoredChunk(
        chunk_id=_text(fields["chunk_id"]),
        document=_text(fields["document"]),
        start=int(fields["start"]),
        end=int(fields["end"]),
        position=int(fields["position"]),
        section_path=tuple(_text(title) for title in fields["section_path"]),
        section_keys=tuple(_text(key) for key in fields["section_keys"]),
        anchor=_text(fields["anchor"]),
        url=_text(fields["url"]),
        page=int(fields["page"]),
        text=_text(fields["text"]),
        units=_units(_text(fields["units"])),
        page_breaks=_page_breaks(_text(fields.get("page_breaks", ""))),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _units(text: str) -> tuple[tuple[int, int, int], ...]:
    numbers = map(int, text.replace(" ", ",").split(",")) if text else iter(())
    return tuple(zip(numbers, numbers, numbers, strict=True))


def _page_breaks(text: str) -> tuple[tuple[int, int], ...]:
    numbers = map(int, text.replace(" ", ",").split(",")) if text else iter(())
    return tuple(zip(numbers, numbers, strict=True))
