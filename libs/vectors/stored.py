"""A chunk as its point keeps it: two JSON strings beside the fields that filters need.

A search finds a hundred points and reads the head of each, but only a few whole: with text and
vectors of spans a chunk is six times its head. As single payload fields, their conversion to and
from protobuf costs several times what the search itself does.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator, Set
from functools import lru_cache

import msgspec


class StoredChunk(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a passage is made from; `spans` are (start, end, kind) with offsets in the document."""

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
    spans: tuple[tuple[int, int, int], ...]
    gap: str = ""
    """What stands between it and the next chunk of the document; only white space does."""
    page_breaks: tuple[tuple[int, int], ...] = ()
    """Offsets in the document from which on the text stands on another page, with its number."""
    page_labels: tuple[tuple[int, str], ...] = ()
    """Pages that it has text of with what the source calls them, "iv"; empty where it only counts."""
    terms: str = ""
    """Of a point without a head: the terms that it would hold, with spaces between."""
    span_vectors: bytes = b""
    """A vector a span, by libs.vectors.packed; empty when the model gives none of parts."""
    table_header: str = ""
    """The header row of the table that the text begins inside of; no part of the text."""
    footnotes: tuple[str, ...] = ()
    """Those that the text refers to and does not hold; no part of the text."""
    sections: tuple[tuple[int, tuple[str, ...], str], ...] = ()
    """Where several sections share the text: where each begins in the document, its path and anchor.
    Older points have none."""
    neighbours: tuple[tuple[int, int, int, str, bool], ...] = ()
    """Spans beside the text: start, end, kind, text, and whether its nearest span is of the same block.
    Older points have none."""
    lead_ins: tuple[tuple[int, int, int, bool], ...] = ()
    """Spans of it and of its neighbours that belong to all that follows up to an offset: start, end,
    that offset, and whether it is the term of a definition. Older points have none."""

    def encode(self) -> str:
        """Return it with its checksum in front: what a disk has changed is never read as the book."""
        return _seal(msgspec.json.encode(self))

    def head(self, terms: frozenset[str]) -> "StoredHead":
        return StoredHead(
            chunk_id=self.chunk_id,
            document=self.document,
            start=self.start,
            end=self.end,
            position=self.position,
            section_path=self.section_path,
            encoded_terms=msgspec.Raw(_SORTING_ENCODER.encode(terms)),
            gap=self.gap,
        )


_SORTING_ENCODER = msgspec.json.Encoder(order="deterministic")
_CHECKSUM = 8
"""Hexadecimal digits."""


def _seal(text: bytes) -> str:
    return f"{zlib.crc32(text):0{_CHECKSUM}x}{text.decode()}"


def _unseal(sealed: str) -> bytes:
    text = sealed[_CHECKSUM:].encode()
    if sealed[:_CHECKSUM] != f"{zlib.crc32(text):0{_CHECKSUM}x}":
        raise ValueError("it is not what was written")
    return text


_DECODER = msgspec.json.Decoder(StoredChunk)


def decode_chunk(text: str) -> StoredChunk:
    """Return the chunk that was encoded.

    Raises ValueError for anything else, a text that has changed, that does not fill its range, and a
    span that lies outside of it included.
    """
    # Without a checksum are those that were written before there was one.
    held = text if text.startswith("{") else _unseal(text)
    try:
        chunk = _DECODER.decode(held)
    except msgspec.DecodeError as error:
        raise ValueError("not a stored chunk") from error
    if not chunk.text or len(chunk.text) != chunk.end - chunk.start:
        raise ValueError("the text does not fill its range")
    if any(not chunk.start <= start < end <= chunk.end for start, end, _ in chunk.spans):
        raise ValueError("a span lies outside the text")
    return chunk


class StoredHead(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What fusion, ranking and answerability need of every candidate."""

    chunk_id: str
    document: str
    start: int
    end: int
    position: int
    section_path: tuple[str, ...]
    encoded_terms: msgspec.Raw
    """The distinct terms of the text and of the titles above it, as JSON in their order."""
    gap: str = ""
    """As in the chunk."""

    @property
    def terms(self) -> "StoredTerms":
        return StoredTerms(bytes(self.encoded_terms))

    def encode(self) -> str:
        """Return it with its checksum in front, always the same text for the same terms."""
        return _seal(msgspec.json.encode(self))


class StoredTerms(Set[str]):
    """The terms of a head, looked for where they stand and read only when all are asked for.

    Of a hundred heads a search asks whether they have its few terms; reading them all took ten times
    as long.
    """

    __slots__ = ("encoded",)

    def __init__(self, encoded: bytes) -> None:
        self.encoded = encoded

    @classmethod
    def _from_iterable(cls, terms: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(terms)

    def __contains__(self, term: object) -> bool:
        # Terms are of letters, digits and apostrophes: a quotation mark is the end of one.
        return _encode_term(term) in self.encoded

    def __iter__(self) -> Iterator[str]:
        return iter(_TERMS_DECODER.decode(self.encoded))

    def __len__(self) -> int:
        return len(_TERMS_DECODER.decode(self.encoded))


def count_holders(term: str, texts: Iterable[Collection[str]]) -> int:
    """Return how many of the texts, given as their terms, have the term."""
    needle = _encode_term(term)
    return sum(
        [
            needle in text.encoded if isinstance(text, StoredTerms) else term in text
            for text in texts
        ]
    )


def has_beginning(beginning: str, terms: Collection[str]) -> bool:
    """Whether one of the terms begins like this, or the part of it behind an apostrophe: "l'image"."""
    parts = f"'{beginning}", f"’{beginning}"
    if isinstance(terms, StoredTerms):
        held = terms.encoded
        return _encode_term(beginning)[:-1] in held or any(part.encode() in held for part in parts)
    return any(term.startswith(beginning) or parts[0] in term or parts[1] in term for term in terms)


def has_inside(part: str, terms: Collection[str]) -> bool:
    """Whether one of the terms has this in it, wherever."""
    if isinstance(terms, StoredTerms):
        return _encode_term(part)[1:-1] in terms.encoded
    return any(part in term for term in terms)


_encode_term = lru_cache(maxsize=4096)(msgspec.json.encode)
_TERMS_DECODER = msgspec.json.Decoder(tuple[str, ...])
_HEAD_DECODER = msgspec.json.Decoder(StoredHead)


def decode_head(text: str) -> StoredHead:
    """Return the head that was encoded. Raises ValueError for anything else, a changed one included."""
    return SealedHead(text).read()


class SealedHead:
    """A head as it is kept, found unchanged; read only when more than its terms is asked for.

    Raises ValueError for what is no head, or a changed one.
    """

    __slots__ = ("_encoded", "terms")

    def __init__(self, text: str) -> None:
        self._encoded = encoded = _unseal(text)
        # A term has no brackets, and the gap that follows them is white space.
        end = encoded.rindex(b"]", 0, -1) + 1
        if encoded[end : end + 2] == b',"':
            self.terms = StoredTerms(encoded[encoded.rindex(b"[", 0, end) : end])
        else:
            self.terms = self.read().terms

    def read(self) -> StoredHead:
        try:
            head = _HEAD_DECODER.decode(self._encoded)
        except msgspec.DecodeError as error:
            raise ValueError("not a stored head") from error
        if not head.start < head.end:
            raise ValueError("the range is empty")
        return head
