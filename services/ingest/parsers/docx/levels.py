"""Tell which paragraphs of a document are its titles where no style is called a heading."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from docx.document import Document
from docx.oxml.ns import qn

from services.ingest.model.book import BlockKind, MarkupKind
from services.ingest.parsers.outline import Item

_HEADING = re.compile(r"heading (\d)")
_DEEPEST = 9
"""Levels of an outline; what is deeper is text (ECMA-376, 17.3.1.20)."""
_MOST_BASES = 20
_LEAST_BOLD, _LONGEST = 2, 80
_ENDS = ".,;:!。，；：！、"
_BELOW = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE)


def read_levels(document: Document) -> dict[str, int]:
    """Return the level of each style of titles, by its outline or by what it is based on."""
    styles = {one.style_id: one.element for one in document.styles}
    names = {one.style_id: (one.name or "").lower() for one in document.styles}
    found: dict[str, int] = {}
    for style in styles:
        at = style
        for _ in range(_MOST_BASES):
            if at not in styles:
                break
            outline = styles[at].find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
            heading = _HEADING.fullmatch(names[at])
            if outline is not None or heading:
                said = int(heading[1]) if heading else 0
                said = said if outline is None else int(outline.get(qn("w:val"), "9")) + 1
                found |= {style: said} if 0 < said <= _DEEPEST else {}
                break
            base = styles[at].find(qn("w:basedOn"))
            at = "" if base is None else base.get(qn("w:val"), "")
    return found


def with_bold_titles(items: Sequence[Item]) -> list[Item]:
    """Return the pieces of a document without titles, short bold lines over others as such.

    Many write so who know no styles. Of one such line nobody can tell.
    """
    if any(one.kind is BlockKind.HEADING for one in items):
        return list(items)
    bold = {
        at
        for at, (one, below) in enumerate(pairwise(items))
        if _is_bold(one) and below.kind in _BELOW and not _is_bold(below)
    }
    if len(bold) < _LEAST_BOLD:
        return list(items)
    return [
        replace(one, kind=BlockKind.HEADING, text=" ".join(one.text.split()), level=1, markup=())
        if at in bold
        else one
        for at, one in enumerate(items)
    ]


def _is_bold(item: Item) -> bool:
    """Whether a short paragraph that is no sentence is bold as a whole."""
    text = item.text.strip()
    if item.kind is not BlockKind.PARAGRAPH or len(text) > _LONGEST or text[-1:] in _ENDS:
        return False
    strong = sum(one.end - one.start for one in item.markup if one.kind is MarkupKind.STRONG)
    return strong >= len(text) > 0 and any(map(str.isalpha, text))
