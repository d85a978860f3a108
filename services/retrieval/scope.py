"""Find the part of a book that may answer a query."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from libs.errors import InvalidInput
from libs.language.lexicon import Lexicon
from libs.question.analyse import QuestionAnalysis, reword_question
from libs.question.pages import name_page_topic, name_part_topic, omit_page
from libs.vectors.schema import Scope
from libs.vectors.sections import SECTION_SEPARATOR
from services.retrieval.model import Chunk, MissingPart, Query, ResolvedSelection, Selection
from services.retrieval.named_part import find_chapter, find_section
from services.retrieval.outline import Outline
from services.retrieval.part_asked import ask_of_part, find_missing_part, find_parts_asked
from services.retrieval.ports import PassageIndex, QuestionEncoder
from services.retrieval.selected import MAX_SELECTION_CHARACTERS, resolve_selection

MAX_QUESTION_CHARACTERS = 4000
MAX_PASSAGES = 50
MAX_PATH_CHARACTERS = 512
MAX_TITLE_CHARACTERS = 1000
MAX_PAGE_CHARACTERS = 32
NO_RULES = Lexicon()

ENOUGH_CHARACTERS = 400
"""A selection whose chunks have less text than this is widened to its section."""

CONTEXT_CHARACTERS = 300
"""Text before and after a selection that is searched with it: of 18 selections with a question, the
answer was in 15 without it, in 17 with it."""

_ENOUGH_CHUNKS = 64
"""Chunks of a section that are read to see whether it has enough text."""


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
    parts: tuple[Scope, ...] = ()
    """The parts that the query names, where they are several: each is searched for itself."""
    asked_of_parts: str = ""
    """What the query asks of each of them, without their names."""
    missing: MissingPart | None = None
    """The part that the query names, and that the book's own count does not reach."""
    beyond: Scope | None = None
    """What is searched where the part that the question names does not answer it."""


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
    _require(len(query.title) <= MAX_TITLE_CHARACTERS, "The title of the book is too long.")
    _require(len(query.chapter) <= MAX_TITLE_CHARACTERS, "The title of the chapter is too long.")
    _require(
        not (query.chapter and query.section_path), "Name a chapter or a section path, not both."
    )
    _require(not query.page.startswith("-"), "Pages are counted from 1.")
    _require(len(query.page) <= MAX_PAGE_CHARACTERS, "The name of the page is too long.")
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
    rules: Lexicon = NO_RULES,
    named_page: str = "",
    encoder: QuestionEncoder,
    timeout_s: float,
) -> Scoped:
    """Return the scope of a checked query; `policy` is a profile's `selection_policy`.

    `rules` are those of the question's language, by which chapters are named and numbered.
    `named_page` is the page that the question names, which counts only in a book with pages. `encoder`
    makes the terms by which a selection without a range is looked for.

    Raises InvalidInput when the edition has not what is to be searched: the selection, or the one
    document, chapter or page.
    """
    asked = Scope(query.book, query.edition, query.section_path, query.document)
    asked = await _narrow(query, asked, rules, index, timeout_s)
    if query.selection is None:
        page = "" if query.page else named_page
        return await _narrow_to_page(asked, page, index, timeout_s)
    edition = Scope(query.book, query.edition)
    selection, met = await resolve_selection(
        query.selection, edition, index, encoder, timeout_s=timeout_s
    )
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
    return replace(found, scope=await _widen(asked, selection, met, index, timeout_s), widened=True)


async def _narrow(
    query: Query, asked: Scope, rules: Lexicon, index: PassageIndex, timeout_s: float
) -> Scope:
    """Return the document, chapter or page that the query names, or all that is asked."""
    if query.document:
        await _require_document(asked, index, timeout_s)
    if query.section_path:
        asked = await _find_section(asked, rules, index, timeout_s)
    if query.chapter:
        asked = await _find_chapter(query.chapter, asked, rules, index, timeout_s)
    if query.page:
        asked = replace(asked, page=query.page)
        await _require_page(asked, index, timeout_s)
    return asked


async def _require_document(asked: Scope, index: PassageIndex, timeout_s: float) -> None:
    if not await index.count(replace(asked, section_path=()), timeout_s=timeout_s):
        raise InvalidInput(f'"{asked.document}" is no document of this edition of the book.')


async def _find_section(
    asked: Scope, rules: Lexicon, index: PassageIndex, timeout_s: float
) -> Scope:
    headings = await index.outline(asked.book, asked.edition, timeout_s=timeout_s)
    if asked.section_path in {heading.path for heading in headings}:
        return asked
    held = [heading for heading in headings if asked.document in ("", heading.document)]
    return replace(asked, section_path=find_section(asked.section_path, held, rules.about_book))


async def _find_chapter(
    name: str, asked: Scope, rules: Lexicon, index: PassageIndex, timeout_s: float
) -> Scope:
    headings = await index.outline(asked.book, asked.edition, timeout_s=timeout_s)
    held = [heading for heading in headings if asked.document in ("", heading.document)]
    found = find_chapter(name, Outline(held, rules.about_book, rules.checks.numbers.values))
    return replace(asked, section_path=found.path, document=found.document)


async def _require_page(asked: Scope, index: PassageIndex, timeout_s: float) -> None:
    if await index.count(asked, timeout_s=timeout_s):
        return
    paged = replace(asked, page="", paged=True)
    has_pages = await index.count(paged, timeout_s=timeout_s)
    why = "" if has_pages else ": it has no page numbers"
    raise InvalidInput(f"There is no page {asked.page} in what is to be searched{why}.")


async def _narrow_to_page(asked: Scope, page: str, index: PassageIndex, timeout_s: float) -> Scoped:
    """Return the page that a question names, where what is asked has pages, or one called so.

    A number is surely meant as a page's, whatever the book has; "page A4" may be a size of paper.
    """
    if not page:
        return Scoped(asked)
    named = replace(asked, page=page)
    has = replace(asked, paged=True) if page.isdecimal() else named
    if not await index.count(has, timeout_s=timeout_s):
        return Scoped(asked)
    return Scoped(named, on_named_page=True)


async def narrow_to_parts(
    query: Query,
    found: Scoped,
    rules: Lexicon,
    index: PassageIndex,
    *,
    analysis: QuestionAnalysis,
    timeout_s: float,
) -> Scoped:
    """Return the parts of the book that the question says it asks of, where all of it is searched.

    What a part is about has places of its own; that the book has none such is told of it as well.
    """
    whole = Scope(query.book, query.edition)
    if query.selection is not None or found.scope != whole:
        return found
    headings = await index.outline(query.book, query.edition, timeout_s=timeout_s)
    outline = Outline(headings, rules.about_book, rules.checks.numbers.values)
    missing = find_missing_part(query.question, outline, rules)
    if missing is not None or analysis.about_book is not None:
        return replace(found, missing=missing)
    parts = find_parts_asked(query.question, whole, outline, rules)
    if len(parts) == 1:
        return replace(found, scope=parts[0], beyond=whole)
    rest = ask_of_part(query.question, outline, rules) if parts else ""
    return replace(found, parts=parts, asked_of_parts=rest)


async def _widen(
    asked: Scope,
    selection: ResolvedSelection,
    met: Sequence[Chunk],
    index: PassageIndex,
    timeout_s: float,
) -> Scope:
    """Return the innermost section around the selection that has enough text, within what is asked.

    `met` are the chunks that overlap the selection.
    """
    path = _shared_path(met)
    if path[: len(asked.section_path)] != asked.section_path:
        path = asked.section_path
    scope = replace(asked, section_path=path, document=selection.document)
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
    if not asked.page:
        return asked.document in ("", chunk.document)
    return chunk.has_page(asked.page, chunk.start, chunk.end)


def _shared_path(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    levels = zip(*(chunk.section_path for chunk in chunks), strict=False)
    return tuple(titles[0] for titles in takewhile(lambda titles: len(set(titles)) == 1, levels))


def _topic_of_part(question: str, language: str) -> str:
    """Return what a question wants the page or the chapter of; "" for another question."""
    return name_page_topic(question, language) or name_part_topic(question, language)


def leave_out_page(
    query: Query, analysis: QuestionAnalysis, scoped: Scoped
) -> tuple[Query, QuestionAnalysis, Scoped]:
    """Leave a page that is searched or asked for out of the question: no text says where it is."""
    topic = "" if query.selection else _topic_of_part(query.question, analysis.language)
    if topic:
        return replace(query, question=topic), reword_question(analysis, topic, topic), scoped
    if not scoped.on_named_page:
        return query, analysis, scoped
    rest = omit_page(query.question, analysis.language)
    if analysis.whole_page or not rest:
        return query, analysis, replace(scoped, taken_whole=True)
    return replace(query, question=rest), reword_question(analysis, rest, rest), scoped
