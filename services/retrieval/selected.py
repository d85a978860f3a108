"""Find a reader's selection in its document: by its range, or by its text alone."""

import asyncio
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from libs.errors import InvalidInput
from libs.text import fold, shorten
from libs.vectors.schema import Scope
from services.retrieval.model import Chunk, Range, ResolvedSelection, Selection
from services.retrieval.ports import PassageIndex, QuestionEncoder

MAX_SELECTION_CHARACTERS = 5000

_FEW_CHUNKS = 512
"""A document of no more chunks, some 500,000 characters, is read whole to find a text in it."""

_LIKELY_CHUNKS = 8
"""Chunks of a larger one around which a text is looked for first."""

_SHARE = 0.8
"""Part of its time after which a large document is read no further: the rest is for saying so."""

_NOT_FOUND_NEAR = (
    "The selected text was not found near passages with its words, and the document is too large to "
    "be read through: say the selection's start and end, or select more."
)

_STEP, _REACH = 1 << 17, 1 << 15
"""Characters of a document that are looked at together, and how far a selected text may reach on from
them: a document of megabytes takes no more memory than a small one, and holds nobody up."""

_SHOWN = 80
"""Characters of a text in a message."""

_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")
_LIST_NUMBER = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)


async def resolve_selection(
    selection: Selection,
    edition: Scope,
    index: PassageIndex,
    encoder: QuestionEncoder,
    *,
    timeout_s: float,
) -> tuple[ResolvedSelection, list[Chunk]]:
    """Return the selection's range and text, and the chunks that overlap it.

    A text without a range is looked for in the document; with one, nothing else is read. Raises
    InvalidInput when the edition has not the document, the document not the text, or the range not
    the text that is said to stand there.
    """
    whole = replace(edition, document=selection.document)
    place = selection.range
    if place is None:
        place, chunks = await _find_text(selection.text, whole, index, encoder, timeout_s)
    else:
        chunks = await index.read_chunks(replace(whole, overlap=place), timeout_s=timeout_s)
        if not chunks:
            await _require_document(whole, index, timeout_s)
        if selection.text.strip() and not _stands_at(place, selection.text, chunks):
            raise InvalidInput(_say_contradiction(selection, place, _text_at(place, chunks)))
    resolved = ResolvedSelection(selection.document, place, _text_at(place, chunks))
    return resolved, [chunk for chunk in chunks if resolved.overlaps(chunk)]


async def _find_text(
    text: str, whole: Scope, index: PassageIndex, encoder: QuestionEncoder, timeout_s: float
) -> tuple[Range, list[Chunk]]:
    """Return where a document has the text, and the chunks among which it was found.

    To read a document of megabytes takes seconds on a busy machine: in one the text is looked for
    around the chunks that share most with it, and everywhere only when it is near none of them, for as
    long as there is time.
    """
    ends_s = asyncio.get_running_loop().time() + _SHARE * timeout_s
    if await _require_document(whole, index, timeout_s) <= _FEW_CHUNKS:
        return await _read_through(text, whole, index, timeout_s)
    terms = encoder.encode_question(text)
    likely = await index.find_places(whole, terms, limit=_LIKELY_CHUNKS, timeout_s=timeout_s)
    for start, end in _merge(likely):
        near = replace(whole, overlap=(start, end))
        chunks = await index.read_chunks(near, timeout_s=timeout_s)
        if place := await asyncio.to_thread(_look_for, text, chunks):
            return place, chunks
    try:
        async with asyncio.timeout_at(ends_s):
            return await _read_through(text, whole, index, timeout_s)
    except TimeoutError as error:
        raise InvalidInput(_NOT_FOUND_NEAR) from error


async def _read_through(
    text: str, whole: Scope, index: PassageIndex, timeout_s: float
) -> tuple[Range, list[Chunk]]:
    chunks = await index.read_chunks(whole, timeout_s=timeout_s)
    # Whoever asks meanwhile is not to wait for it.
    return await asyncio.to_thread(locate_text, text, chunks), chunks


async def _require_document(whole: Scope, index: PassageIndex, timeout_s: float) -> int:
    """Return how many chunks the document has."""
    held = await index.count(whole, timeout_s=timeout_s)
    if not held:
        raise InvalidInput("The selection's document is not part of this edition of the book.")
    return held


def _merge(places: Sequence[Range]) -> list[Range]:
    """Return the places in reading order, each as far around as a selection may reach, none twice."""
    merged = list[Range]()
    for start, end in sorted(places):
        first = max(0, start - MAX_SELECTION_CHARACTERS)
        if merged and first <= merged[-1][1]:
            first = merged.pop()[0]
        merged.append((first, end + MAX_SELECTION_CHARACTERS))
    return merged


def locate_text(text: str, chunks: Sequence[Chunk]) -> Range:
    """Return the range of the first place of `text` in the document that `chunks` make up.

    Looks for it exactly, then regardless of white space and typography, then by letters and digits
    alone, so that markup does not matter. Raises InvalidInput when it is not there.
    """
    found = _look_for(text, chunks)
    if found is None:
        raise InvalidInput("The selected text was not found in that document of the book.")
    return found


def _look_for(text: str, chunks: Sequence[Chunk]) -> Range | None:
    if not chunks:
        return None
    first, document = _join(chunks)
    found = _find_exact(text, document)
    for wanted in dict.fromkeys((text, _without_markup(text))):
        found = found or _find_alike(wanted, document)
    return (found[0] + first, found[1] + first) if found else None


def _stands_at(place: Range, text: str, chunks: Sequence[Chunk]) -> bool:
    """Whether a document may have the text there: by letters and digits alone, as it is looked for.

    What lies between the chunks is not known, and may be as much of the text as there is room for.
    """
    pieces = [_letters(one).casefold() for one in _pieces_at(place, chunks)]
    covered = sum(len(one) for one in _pieces_at(place, chunks))
    room = place[1] - place[0] - covered
    for said in (text, _without_markup(text)):
        letters, at = _letters(said).casefold(), 0
        for piece in pieces:
            found = letters.find(piece, at)
            at = found + len(piece) if found >= 0 else len(letters) + 1
        if at <= len(letters) and len(letters) - sum(map(len, pieces)) <= room:
            return True
    return False


def _pieces_at(place: Range, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield what the chunks have of the range, in reading order and none of it twice."""
    start, end = place
    for chunk in sorted(chunks, key=lambda chunk: chunk.start):
        first, last = max(start, chunk.start), min(end, chunk.end)
        if first < last:
            yield chunk.text[first - chunk.start : last - chunk.start]
            start = last


def _say_contradiction(selection: Selection, place: Range, held: str) -> str:
    return (
        f"The selection's range, {place[0]} to {place[1]} of {selection.document}, holds "
        f'"{shorten(held, _SHOWN)}" and not its text, "{shorten(selection.text, _SHOWN)}". '
        "Offsets count characters (code points) of the document in this edition: send the range of "
        "the text, or only one of the two."
    )


def _text_at(place: Range, chunks: Sequence[Chunk]) -> str:
    if not chunks:
        return ""
    first, text = _join(chunks)
    return text[max(0, place[0] - first) : place[1] - first]


def _join(chunks: Sequence[Chunk]) -> tuple[int, str]:
    """Lay the chunks out at their offsets, from the first on; what none covers is white space."""
    parts, first, end = list[str](), min(chunk.start for chunk in chunks), 0
    for chunk in sorted(chunks, key=lambda chunk: chunk.start):
        end = end or chunk.start
        parts.append("\n" * (chunk.start - end))
        parts.append(chunk.text[max(0, end - chunk.start) :])
        end = max(end, chunk.end)
    return first, "".join(parts)


def _find_exact(text: str, document: str) -> Range | None:
    needle = text.strip()
    at = document.find(needle)
    return (at, at + len(needle)) if at >= 0 else None


def _find_alike(text: str, document: str) -> Range | None:
    """Find what has the same letters and digits; best where what stands between is the same too."""
    needle = _letters(text)
    held = [at for at in range(0, len(document), _STEP) if needle in _letters(_part(document, at))]
    if not needle or not held:
        return None
    folded = fold(text.strip())
    for at in held:
        if found := fold(_part(document, at)).find(folded):
            return at + found[0], at + found[1]
    first, last = _place_letters(needle, _part(document, held[0]))
    return held[0] + first, held[0] + last


def _part(document: str, start: int) -> str:
    return document[start : start + _STEP + _REACH]


def _letters(text: str) -> str:
    """Return the letters and digits: whatever folds alike has the same."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text)))


def _place_letters(needle: str, part: str) -> Range:
    """Return where a part of a document has these letters, which it holds."""
    places = [place for place, character in enumerate(part) for _ in _letters(character)]
    at = _letters(part).index(needle)
    return places[at], places[at + len(needle) - 1] + 1


def _without_markup(text: str) -> str:
    return _LIST_NUMBER.sub("", _LINK_TARGET.sub("]", text))
