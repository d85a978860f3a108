"""Find the part of a book that may answer a query."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from libs.errors import InvalidInput
from libs.language.about_book import BookQuestions
from libs.question.analyse import QuestionAnalysis, reword_question
from libs.question.pages import name_page_topic, omit_page
from libs.text import fold
from libs.vectors.schema import Scope
from libs.vectors.sections import SECTION_SEPARATOR
from services.retrieval.model import Chunk, Query, Range, ResolvedSelection, Selection
from services.retrieval.outline import Outline
from services.retrieval.ports import PassageIndex

MAX_QUESTION_CHARACTERS = 4000
MAX_SELECTION_CHARACTERS = 5000
MAX_PASSAGES = 50
MAX_PATH_CHARACTERS = 512
MAX_TITLE_CHARACTERS = 1000
LAST_PAGE = 2**31 - 1
NO_RULES = BookQuestions()

ENOUGH_CHARACTERS = 400
"""A selection whose chunks have less text than this is widened to its section."""

CONTEXT_CHARACTERS = 300
"""Text before and after a selection that is searched with it: of 18 selections with a question, the
answer was in 15 without it, in 17 with it."""

_ENOUGH_CHUNKS = 64
"""Chunks of a section that are read to see whether it has enough text."""

_STEP, _REACH = 1 << 17, 1 << 15
"""Characters of a document that are looked at together, and how far a selected text may reach on from
them: a document of megabytes takes no more memory than a small one, and holds nobody up."""

_LINK_TARGET = re.compile(r"\]\([^)\n]*\)")
_LIST_NUMBER = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)


@dataclass(frozen=True)
class Scoped:
    """Where to search, the reader's selection, and whether the search goes beyond it."""

    scope: Scope
    widened: bool = False
    selection: ResolvedSelection | None = None
    named: Scope | None = None
    """What the query names beside its selection: passages have no text beyond that."""
    on_named_page: bool = False
    """Whether only the page that the question names is searched."""
    taken_whole: bool = False
    """Whether all of it is wanted, whatever it says."""


def check_query(query: Query) -> None:
    """Raise InvalidInput for a query outside its limits."""
    _require(bool(query.book), "Name a book.")
    _require(query.edition >= 1, "Name an edition, 1 or more.")
    _require(bool(query.question.strip()), "Ask a question.")
    _require(
        len(query.question) <= MAX_QUESTION_CHARACTERS,
        f"Query exceeds {MAX_QUESTION_CHARACTERS} characters ({len(query.question)} characters)",
    )
    _require(
        0 <= query.max_passages <= MAX_PASSAGES,
        f"At most {MAX_PASSAGES} passages can be asked for.",
    )
    _require(len(query.document) <= MAX_PATH_CHARACTERS, "The path of the document is too long.")
    _require(len(query.chapter) <= MAX_TITLE_CHARACTERS, "The title of the chapter is too long.")
    _require(
        not (query.chapter and query.section_path), "Name a chapter or a section path, not both."
    )
    _require(query.page >= 0, "Pages are counted from 1.")
    if query.selection is not None:
        _check_selection(query.selection)


def _check_selection(selection: Selection) -> None:
    _require(bool(selection.document), "A selection names its document.")
    _require_short(len(selection.text))
    if selection.range is None:
        _require(bool(selection.text.strip()), "A selection has a range or a text.")
        return
    start, end = selection.range
    _require(0 <= start < end, "A selection's range starts at 0 or later and is not empty.")
    _require_short(end - start)


def _require_short(characters: int) -> None:
    _require(
        characters <= MAX_SELECTION_CHARACTERS,
        f"Selection exceeds {MAX_SELECTION_CHARACTERS} characters ({characters} characters)",
    )


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise InvalidInput(message)


async def find_scope(
    query: Query,
    index: PassageIndex,
    policy: str = "restrict",
    *,
    rules: BookQuestions = NO_RULES,
    named_page: int = 0,
    timeout_s: float,
) -> Scoped:
    """Return the scope of a checked query; `policy` is a profile's `selection_policy`.

    `rules` are those of the book's language, by which chapters are numbered. `named_page` is the page
    that the question names, which counts only in a book with pages.

    Raises InvalidInput when the edition has not what is to be searched: the selection, or the one
    document, chapter or page.
    """
    asked = Scope(query.book, query.edition, query.section_path, query.document)
    asked = await _narrow(query, asked, rules, index, timeout_s)
    if query.selection is None:
        page = 0 if query.page else named_page
        return await _narrow_to_page(asked, page, index, timeout_s)
    selection, met = await _resolve_selection(query, query.selection, index, timeout_s)
    met = [chunk for chunk in met if _is_within(chunk, asked)]
    if not met:
        raise InvalidInput("The selection holds no text of the book that can be searched.")
    found = Scoped(asked, selection=selection, named=asked)
    if policy == "boost":
        return found
    if policy == "direct":
        return replace(found, scope=_overlap(asked, selection, 0))
    if _is_enough(met):
        return replace(found, scope=_overlap(asked, selection, CONTEXT_CHARACTERS))
    path = _shared_path(met)
    if path[: len(asked.section_path)] != asked.section_path:
        path = asked.section_path
    widened = await _widen(asked, replace(asked, section_path=path), selection, index, timeout_s)
    return replace(found, scope=widened, widened=True)


async def _narrow(
    query: Query, asked: Scope, rules: BookQuestions, index: PassageIndex, timeout_s: float
) -> Scope:
    """Return the document, chapter or page that the query names, or all that is asked."""
    if query.document:
        await _require_document(asked, index, timeout_s)
    if query.chapter:
        asked = await _find_chapter(query.chapter, asked, rules, index, timeout_s)
    if query.page:
        asked = replace(asked, pages=(query.page, query.page))
        await _require_page(asked, query.page, index, timeout_s)
    return asked


async def _require_document(asked: Scope, index: PassageIndex, timeout_s: float) -> None:
    if not await index.count(replace(asked, section_path=()), timeout_s=timeout_s):
        raise InvalidInput(f'"{asked.document}" is no document of this edition of the book.')


async def _find_chapter(
    name: str, asked: Scope, rules: BookQuestions, index: PassageIndex, timeout_s: float
) -> Scope:
    headings = await index.outline(asked.book, asked.edition, timeout_s=timeout_s)
    held = [heading for heading in headings if asked.document in ("", heading.document)]
    found = Outline(held, rules).name_chapter(name)
    if found is None:
        raise InvalidInput(f'"{name}" is no chapter of this edition of the book.')
    return replace(asked, section_path=found.path, document=found.document)


async def _require_page(asked: Scope, page: int, index: PassageIndex, timeout_s: float) -> None:
    if not await index.count(asked, timeout_s=timeout_s):
        raise InvalidInput(
            f"There is no page {page} in what is to be searched. A book without pages has none, and "
            "one that an earlier version ingested is to be ingested again."
        )


async def _narrow_to_page(asked: Scope, page: int, index: PassageIndex, timeout_s: float) -> Scoped:
    """Return the page that a question names, where what is asked has pages."""
    paged = replace(asked, pages=(1, LAST_PAGE))
    if not page or not await index.count(paged, timeout_s=timeout_s):
        return Scoped(asked)
    return Scoped(replace(asked, pages=(page, page)), on_named_page=True)


async def _resolve_selection(
    query: Query, selection: Selection, index: PassageIndex, timeout_s: float
) -> tuple[ResolvedSelection, list[Chunk]]:
    """Return the selection's range and text, and the chunks that overlap it.

    A text without a range is looked for in the whole document; with one, nothing else is read.
    """
    whole = Scope(query.book, query.edition, document=selection.document)
    place = selection.range
    near = replace(whole, overlap=place)
    chunks = await index.read_chunks(near, timeout_s=timeout_s)
    if not chunks and not (place and await index.count(whole, timeout_s=timeout_s)):
        raise InvalidInput("The selection's document is not part of this edition of the book.")
    if place is None:
        # A document may have megabytes; whoever asks meanwhile is not to wait for it.
        place = await asyncio.to_thread(locate_text, selection.text, chunks)
    resolved = ResolvedSelection(selection.document, place, _text_at(place, chunks))
    return resolved, [chunk for chunk in chunks if resolved.overlaps(chunk)]


async def _widen(
    asked: Scope, scope: Scope, selection: ResolvedSelection, index: PassageIndex, timeout_s: float
) -> Scope:
    """Return the innermost section around the selection that has enough text, within what is asked."""
    scope = replace(scope, document=selection.document)
    while len(scope.section_path) > len(asked.section_path):
        held = await index.read_chunks(scope, most=_ENOUGH_CHUNKS, timeout_s=timeout_s)
        if _is_enough(held):
            break
        scope = replace(scope, section_path=scope.section_path[:-1])
    return scope


def _overlap(asked: Scope, selection: ResolvedSelection, around: int) -> Scope:
    start, end = selection.range
    return replace(
        asked, document=selection.document, overlap=(max(0, start - around), end + around)
    )


def _is_enough(chunks: Sequence[Chunk]) -> bool:
    return sum(len(chunk.text) for chunk in chunks) >= ENOUGH_CHARACTERS


def _is_within(chunk: Chunk, asked: Scope) -> bool:
    if asked.section_path and SECTION_SEPARATOR.join(asked.section_path) not in chunk.section_keys:
        return False
    if asked.pages is None:
        return asked.document in ("", chunk.document)
    pages = {chunk.page, *(page for _, page in chunk.page_breaks)}
    return asked.pages[0] <= max(pages) and asked.pages[1] >= min(pages)


def _shared_path(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    levels = zip(*(chunk.section_path for chunk in chunks), strict=False)
    return tuple(titles[0] for titles in takewhile(lambda titles: len(set(titles)) == 1, levels))


def locate_text(text: str, chunks: Sequence[Chunk]) -> Range:
    """Return the range of the first place of `text` in the document that `chunks` make up.

    Looks for it exactly, then regardless of white space and typography, then by letters and digits
    alone, so that markup does not matter. Raises InvalidInput when it is not there.
    """
    first, document = _join(chunks)
    found = _find_exact(text, document)
    for wanted in dict.fromkeys((text, _without_markup(text))):
        found = found or _find_alike(wanted, document)
    if found is None:
        raise InvalidInput("The selected text was not found in that document of the book.")
    return found[0] + first, found[1] + first


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


def leave_out_page(
    query: Query, analysis: QuestionAnalysis, scoped: Scoped
) -> tuple[Query, QuestionAnalysis, Scoped]:
    """Leave a page that is searched or asked for out of the question: no text says where it is."""
    topic = "" if query.selection else name_page_topic(query.question, analysis.language)
    if topic:
        return replace(query, question=topic), reword_question(analysis, topic, topic), scoped
    if not scoped.on_named_page:
        return query, analysis, scoped
    rest = omit_page(query.question, analysis.language)
    if analysis.whole_page or not rest:
        return query, analysis, replace(scoped, taken_whole=True)
    return replace(query, question=rest), reword_question(analysis, rest, rest), scoped
