"""Make the texts of a chunk that searches go by: the words of its titles above its own."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from libs.defined_terms import (
    initials_of,
    keys_of,
    leading_options,
    name_before,
    other_names,
)
from libs.embedding import Range
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.text import collapse_space, content_terms, words
from services.ingest.model.book import BlockKind, Chunk, Span
from services.ingest.splitters.shared_text import blank_numbers, shared_text, without_number

SPAN_RECIPE = "spans: half in context, half alone under title and introduction"
"""How their vectors are made. With another way all points have to be written again."""

TERM_RECIPE = (
    "terms: of text and titles, and keys of what is defined, by sentences (kinds with a clause, "
    "events) and options, and of other names; bare of particles"
)
"""The same of what a search knows of a chunk before it is read."""

_LONGEST_ALONE = 900
"""Characters of a span that are read by themselves: about what a model takes in one piece."""

_LONGEST_OVER = 400
"""Characters at the most of what stands over it, so that its own are among them."""

_SAYS_OF_OPTIONS = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE)
_LABEL_WORDS = 6
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
_INTRODUCES = (":", "：")


def sparse_text(chunk: Chunk, language: str = FALLBACK) -> str:
    """Return what terms are made of: titles, a table's caption and header, its own text, footnotes.

    With them the other forms of its abbreviations, and the initials of the names that it explains. The
    title of a book that is one document is not among them: every chunk would have it.
    """
    initials = filter(None, map(initials_of, _told_in(chunk, language)))
    own = _with_titles(chunk, _own_path(chunk), chunk.body)
    return "\n".join((own, *chunk.other_forms, *initials))


def known_terms(chunk: Chunk, language: str = FALLBACK) -> frozenset[str]:
    """Return the terms that a question may share with the chunk: of text, titles and other forms.

    With them the keys of what it defines, in a list of terms or by a sentence of its language.
    """
    texts = (chunk.body, "\n".join(chunk.section_path), "\n".join(chunk.other_forms))
    told = list(_told_in(chunk, language))
    others = chain.from_iterable(other_names(name, chunk.section_path[:1]) for name in told)
    defined = chain(_defined_in(chunk), _options_of(chunk), told, others)
    keys = chain.from_iterable(map(keys_of, defined))
    return frozenset(chain(chain.from_iterable(map(content_terms, texts)), keys))


def _defined_in(chunk: Chunk) -> Iterator[str]:
    for lead in chunk.lead_ins:
        if lead.is_term and lead.start >= chunk.start:
            term = chunk.body[lead.start - chunk.start : lead.end - chunk.start]
            yield from filter(None, (term, name_before(term)))
    yield from filter(None, map(name_before, chunk.defined))


def _options_of(chunk: Chunk) -> Iterator[str]:
    """Yield the options that pieces of text begin with: "--drain: empties it", "-q  Be quiet"."""
    for span in chunk.spans:
        if span.kind in _SAYS_OF_OPTIONS:
            text = chunk.body[span.start - chunk.start : span.end - chunk.start]
            yield from leading_options(text)


def _told_in(chunk: Chunk, language: str) -> Iterator[str]:
    """Yield the subjects of sentences that say what something is, or when there is such a thing.

    "A servo is a motor …", "Stagflation occurs when …".
    """
    rules = load_lexicon(language).spans
    for span in chunk.spans:
        text = chunk.body[span.start - chunk.start : span.end - chunk.start]
        if span.kind is not BlockKind.PARAGRAPH:
            continue
        if occurs := rules.occurs.search(text):
            yield occurs["name"]
        found = rules.subject.search(text)
        if found is None or not found["verb"] or rules.clause.search(found["name"]):
            continue
        if rules.names_kind.match(text, found.start("verb")):
            yield from filter(None, (found["name"], found["short"]))


def dense_text(chunk: Chunk) -> str:
    """Return what is embedded: the same without what depends on the format of the book.

    That is numbers of titles, the title of the book, quotation marks and the addresses of links.
    """
    return shared_text(_with_titles(chunk, _titles(chunk), _without_numbers(chunk)))


def span_ranges(chunk: Chunk) -> tuple[Range, ...]:
    """Return where the spans stand in what is embedded."""
    shift = len(_head(chunk, _titles(chunk))) - chunk.start
    return tuple((span.start + shift, span.end + shift) for span in chunk.spans)


def texts_alone(chunk: Chunk) -> tuple[str, ...]:
    """Return each span's words under its title and what introduces it; "" for a heading."""
    text, title = dense_text(chunk), "".join(_titles(chunk)[-1:])
    texts = [collapse_space(text[start:end]) for start, end in span_ranges(chunk)]
    found = []
    for at, span in enumerate(chunk.spans):
        if span.kind is BlockKind.HEADING:
            title = texts[at]
            found.append("")
            continue
        named = f"{title}." if title else ""
        over = " ".join(filter(None, (named, _introduction(chunk, texts, at))))[:_LONGEST_OVER]
        found.append(f"{over} {texts[at]}"[:_LONGEST_ALONE].strip())
    return tuple(found)


def _introduction(chunk: Chunk, texts: Sequence[str], at: int) -> str:
    """Return a table's header, a list's last words before it, the label over a paragraph; or ""."""
    spans, kind, before = chunk.spans, chunk.spans[at].kind, at - 1
    if kind in (BlockKind.TABLE, BlockKind.LIST_ITEM):
        while before >= 0 and spans[before].kind is kind:
            before -= 1
    if kind is BlockKind.TABLE:
        header = chunk.header if before < 0 else ""
        return header or (texts[before + 1] if before + 1 < at else "")
    if before < 0 or spans[before].kind in (BlockKind.HEADING, BlockKind.TABLE):
        return ""
    return texts[before] if _introduces(spans[before], texts[before]) else ""


def _introduces(span: Span, text: str) -> bool:
    if text.endswith(_INTRODUCES):
        return True
    is_short = len(words(text)) <= _LABEL_WORDS and not _SENTENCE_END.search(text)
    return span.kind is BlockKind.PARAGRAPH and is_short


def _with_titles(chunk: Chunk, titles: tuple[str, ...], body: str) -> str:
    return "\n".join((_head(chunk, titles) + body, *chunk.footnotes))


def _head(chunk: Chunk, titles: tuple[str, ...]) -> str:
    over = "".join(f"{line}\n" for line in (chunk.caption, chunk.header) if line)
    return " > ".join(titles) + "\n" + over


def _titles(chunk: Chunk) -> tuple[str, ...]:
    return tuple(without_number(title) for title in _own_path(chunk))


def _own_path(chunk: Chunk) -> tuple[str, ...]:
    path, chapter = chunk.section_path, chunk.place.chapter_title
    return path[path.index(chapter) :] if chapter in path else path


def _without_numbers(chunk: Chunk) -> str:
    """Return the body with spaces for the numbers of its headings."""
    headings = (
        (span.start - chunk.start, span.end - chunk.start)
        for span in chunk.spans
        if span.kind is BlockKind.HEADING
    )
    return blank_numbers(chunk.body, headings)
