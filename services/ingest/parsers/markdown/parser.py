"""Parse a Markdown file into canonical text with blocks and sections."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.ingest.model.book import BlockKind, DroppedContent, ParsedText
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.markdown.comments import WITHOUT
from services.ingest.parsers.markdown.content import DIRECTIVE, EXPRESSION, Items
from services.ingest.parsers.markdown.flavours import rewrite_flavours
from services.ingest.parsers.markdown.front_matter import FrontMatter, read_front_matter
from services.ingest.parsers.markdown.grammar import grammar
from services.ingest.parsers.markdown.items import read_items
from services.ingest.parsers.markdown.myst import NONE, rewrite_myst
from services.ingest.parsers.markdown.references import LABELS
from services.ingest.parsers.markdown.titles import own_titles
from services.ingest.parsers.markdown.unseen import hide_unseen
from services.ingest.parsers.outline import (
    Item,
    assemble,
    place_footnotes,
    warn_of_anchors,
    warn_of_footnotes,
)
from services.ingest.parsers.said_of_itself import with_lines

# Docusaurus reads .md files as MDX too; those that import a component surely are.
_IMPORT_ON_TOP = re.compile(r"\s*import\s+[\w$*{][^'\"\n]*\sfrom\s+['\"][^'\"\n]+['\"]")

_NO_FRONT = FrontMatter()
_BARE_MARK = re.compile(r"\[\^[^\[\]\s]{1,40}\]")
VERSION = "markdown 16"
"""Part of a book's fingerprint: raised whenever the same file gives another text or outline."""


def parse_markdown(
    source: str,
    mdx: bool,
    fallback_title: str,
    *,
    has_terms: bool = False,
    path: str = "",
    sheets: Mapping[str, str] = NONE,
    names: Mapping[str, str] = NONE,
    opens_book: bool = False,
    authors: Sequence[str] = (),
) -> ParsedText:
    """Parse a file at `path`; `fallback_title` names a document that has no title of its own.

    If it `has_terms`, items with the bullets TERM and DEFINED_TERM are those of definitions. `sheets`
    are the style sheets of its source by their paths, `names` what references to other files show.
    Of the file that `opens_book` what only its front matter says, who wrote it and when, stands below
    the title; where that names nobody, `authors` did.
    """
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front = read_front_matter(source) if not has_terms or source.startswith("---") else _NO_FRONT
    mdx = mdx or bool(_IMPORT_ON_TOP.match(source, front.length))
    # The lines of the front matter stay as empty ones, so that line numbers are the file's.
    blank = "\n" * source.count("\n", 0, front.length)
    # MDX has expressions in braces, and neither it nor what was rewritten is written for Sphinx.
    is_plain = not (mdx or has_terms)
    environment: dict[str, Any] = {WITHOUT: not is_plain, LABELS: own_titles(source, names)}
    body, left_out = _rewrite(source[front.length :], front, names, is_plain=is_plain)
    tokens = hide_unseen(grammar(mdx).parse(blank + body, environment), path, sheets)
    items, numbers = read_items(tokens, has_terms=has_terms, names=names), _numbers_of(environment)
    ordered = list(place_footnotes(items.body, items.footnotes, numbers))
    title, heading = _place_title(ordered, front, fallback_title)
    byline = front.byline._replace(authors=front.byline.authors or tuple(authors))
    if opens_book:
        ordered = with_lines(ordered, heading, byline.authors, front.date)
    outside = _dropped_content(source, front, environment.get("long_lines", []))
    dropped_content = (*outside, *items.dropped_content, *_moved_down(left_out, len(blank)))
    warnings = tuple(_warnings(front, items, ordered, environment))
    assembled = assemble(title, heading, ordered, warnings, dropped_content)
    return replace(assembled, byline=byline)


def _rewrite(
    body: str, front: FrontMatter, names: Mapping[str, str], *, is_plain: bool
) -> tuple[str, list[DroppedContent]]:
    """Return a text in Markdown that all makers of sites have, and what is not in it any more."""
    if not is_plain:
        return body, []
    body, tags = rewrite_flavours(body, has_names=bool(front.substitutions))
    body, left_out = rewrite_myst(body, front.substitutions, names)
    return body, [*tags, *left_out]


def _moved_down(items: Iterable[DroppedContent], lines: int) -> Iterator[DroppedContent]:
    """Yield what was left out at its line of the file, which has so many lines of front matter."""
    for item in items:
        yield replace(item, place=f"line {int(item.place.split()[1]) + lines}")


def _dropped_content(
    source: str, front: FrontMatter, long_lines: Sequence[int]
) -> Iterator[DroppedContent]:
    if not front.readable:
        characters = visible(source[: front.length])
        yield DroppedContent("front matter", "line 1", "it is not valid YAML", characters)
    lines = source.split("\n") if long_lines else []
    for number in long_lines:
        characters = visible(lines[number - 1])
        reason = "it is too long to be read as Markdown: taken as it is"
        yield DroppedContent("paragraph", f"line {number}", reason, characters, dropped=False)


def _numbers_of(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return the numbers that readers see of footnotes, by their labels."""
    references = environment.get("footnotes", {}).get("refs", {})
    return {name[1:]: str(index + 1) for name, index in references.items() if index >= 0}


def _place_title(items: list[Item], front: FrontMatter, fallback: str) -> tuple[str, int]:
    """Return title and heading as _find_title does; what the front matter says becomes a heading."""
    title, heading = _find_title(items, front, fallback)
    if front.title and heading < 0:
        items.insert(0, Item(BlockKind.HEADING, front.title, 1))
        heading = 0
    return title, heading


def _find_title(items: Sequence[Item], front: FrontMatter, fallback: str) -> tuple[str, int]:
    """Return the document's title and the index of the heading that shows it, or -1."""
    headings = [index for index, item in enumerate(items) if item.kind is BlockKind.HEADING]
    for index in headings:
        if items[index].level == 1:
            return items[index].text, index
    if front.title:
        return front.title, -1
    levels = [items[index].level for index in headings]
    if headings[:1] == [0] and levels[0] == min(levels) and levels.count(levels[0]) == 1:
        return items[0].text, 0
    return fallback, -1


def _warnings(
    front: FrontMatter, items: Items, ordered: Sequence[Item], environment: Mapping[str, Any]
) -> Iterator[str]:
    if not front.readable:
        yield "its front matter is not valid YAML and was not read"
    counts = Counter(item.kind for item in items.dropped_content)
    if counts[EXPRESSION.kind]:
        yield f"{counts[EXPRESSION.kind]} expressions in braces were left out"
    if counts[DIRECTIVE.kind]:
        yield f"{counts[DIRECTIVE.kind]} includes of other files ({{{{#…}}}}) were left out"
    missing = dict.fromkeys(
        mark
        for item in items.body
        if item.kind not in (BlockKind.CODE, BlockKind.MATH)
        for mark in _BARE_MARK.findall(item.text)
    )
    if missing:
        yield f"it refers to a footnote that is not there: {', '.join(list(missing)[:5])}"
    for number in environment.get("long_lines", [])[:3]:
        yield f"the paragraph at line {number} is too long to be read as Markdown: taken as it is"
    yield from warn_of_footnotes(items.body, items.footnotes, _numbers_of(environment))
    yield from warn_of_anchors(ordered)
