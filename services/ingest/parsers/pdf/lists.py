"""Tell by their indent how deep in lists the items of a PDF are, and what goes on with one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from services.ingest.parsers.pdf.flow import Measures, Paragraph

_INDENT = 0.8
"""Of the size of its letters: an item that stands so much further in is inside of another."""
_SAME = 2.0
"""Points: overleaf an item is of the same list where it stands as far in."""
_MOST_HANGING = 3.0
"""Of the size of its letters: how far behind its mark the text of an item stands at most."""
_APART = 1.1
"""Of the step between lines: what goes on with an item stands apart from what is above it."""


@dataclass
class _List:
    """A list that is open: where its marks stand, and its text, where an item has a second line."""

    edge: float
    inner: float | None = None


def list_levels(paragraphs: Iterable[Paragraph], usual: Measures) -> Iterator[int]:
    """Yield the depth of each paragraph that is an item or goes on with one, and 0 of others."""
    lists: list[_List] = []
    above: Paragraph | None = None
    for paragraph in paragraphs:
        left, room = paragraph.lines[0].left, _INDENT * paragraph.size
        if not paragraph.label or paragraph.is_table:
            # What stands further in than the list goes on with an item of it.
            if lists and left <= lists[0].edge + room:
                lists = []
            yield _goes_on(paragraph, above, lists, usual)
        else:
            is_overleaf = above is not None and paragraph.page != above.page
            if is_overleaf and not any(abs(left - one.edge) <= _SAME for one in lists):
                lists = []
            while lists and left < lists[-1].edge - room:
                lists.pop()
            if not lists or left > lists[-1].edge + room:
                lists.append(_List(left))
            if len(paragraph.lines) > 1:
                lists[-1].inner = paragraph.lines[1].left
            yield len(lists)
        above = paragraph


def _goes_on(
    paragraph: Paragraph, above: Paragraph | None, lists: list[_List], usual: Measures
) -> int:
    """Return the depth of the item that a paragraph goes on with, 0 for none.

    It stands where the text of the item does, apart from what is above: books that part paragraphs by
    an indent alone have none that could be told.
    """
    if above is None or paragraph.is_table:
        return 0
    last, first = above.lines[-1], paragraph.lines[0]
    if last.page == first.page and 0 <= last.y - first.y <= _APART * usual.step:
        return 0
    left, room = min(line.left for line in paragraph.lines), _INDENT * paragraph.size
    depth = next((at for at in range(len(lists), 0, -1) if left > lists[at - 1].edge + room), 0)
    if not depth:
        return 0
    one = lists[depth - 1]
    if one.inner is None:
        stands_there = left <= one.edge + _MOST_HANGING * paragraph.size
    else:
        stands_there = abs(left - one.inner) <= room / 2
    return depth if stands_there else 0
