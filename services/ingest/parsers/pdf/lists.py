"""Tell by their indent how deep in lists the items of a PDF are."""

from collections.abc import Iterable, Iterator

from services.ingest.parsers.pdf.flow import Paragraph

_INDENT = 0.8
"""Of the size of its letters: an item that stands so much further in is inside of another."""
_SAME = 2.0
"""Points: overleaf an item is of the same list where it stands as far in."""


def list_levels(paragraphs: Iterable[Paragraph]) -> Iterator[int]:
    """Yield the depth of each paragraph that is an item, from 1, and 0 of any other."""
    edges: list[float] = []
    page = 0
    for paragraph in paragraphs:
        left, room = paragraph.lines[0].left, _INDENT * paragraph.size
        if not paragraph.label or paragraph.is_table:
            # What stands further in than the list goes on with an item of it.
            if edges and left <= edges[0] + room:
                edges = []
            yield 0
            continue
        if paragraph.page != page and not any(abs(left - edge) <= _SAME for edge in edges):
            edges = []
        page = paragraph.lines[-1].page
        while edges and left < edges[-1] - room:
            edges.pop()
        if not edges or left > edges[-1] + room:
            edges.append(left)
        yield len(edges)
