"""Chunks that follow the headings: each lies in one section, or joins sections that are tiny."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from libs.profiles import Chunking
from services.ingest.model.book import Block, BlockKind, ChunkRange, Section, Span
from services.ingest.splitters.measure import Measure
from services.ingest.splitters.spans import line_ranges

Pieces = Sequence[tuple[Block, Sequence[Span]]]
_WHOLE = (BlockKind.CODE, BlockKind.TABLE, BlockKind.MATH)
_INTRODUCES = (":", "：")
"""How a paragraph ends whose last sentence says nothing without the code, table or formula below it."""


@dataclass(frozen=True)
class _Node:
    """A piece that stays in one chunk when it can, and what it falls apart into when it can't.

    `span` is the start of the span that a smallest piece belongs to. A `whole` piece is cut only
    when it is larger than a chunk.
    """

    start: int
    end: int
    kind: BlockKind
    parts: tuple["_Node", ...] = ()
    span: int = -1
    whole: bool = False

    def leaves(self) -> Iterator["_Node"]:
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


def split_by_heading(
    sections: Sequence[Section],
    pieces: Pieces,
    measure: Measure,
    chunking: Chunking,
    terms: Collection[int] = (),
) -> Iterator[ChunkRange]:
    """Yield the ranges of the chunks in order; sizes are those of `chunking`, in tokens.

    At `terms` begin blocks that the next ones define: they stay with those as headings do.
    """
    starts = [block.start for block, _ in pieces]
    bare = {
        section.start
        for section in sections
        if bisect_left(starts, section.own_end) - bisect_left(starts, section.start) == 1
        and pieces[bisect_left(starts, section.start)][0].kind is BlockKind.HEADING
    }
    parts = _join_undivided(_attach_bare(sections, bare), chunking.split_levels)
    for group in _group_sections(parts, measure, chunking):
        leading = next((section for section in group if section.start not in bare), group[0])
        first = bisect_left(starts, group[0].start)
        last = bisect_left(starts, group[-1].own_end)
        for nodes in _Packer(measure, chunking, terms).pack(pieces[first:last]):
            yield _to_chunk_range(nodes, group, leading)


def _to_chunk_range(
    nodes: Sequence[_Node], group: Sequence[Section], leading: Section
) -> ChunkRange:
    start, end = nodes[0].start, nodes[-1].end
    touched = [section for section in group if section.start < end and section.own_end > start]
    first = leading if leading in touched else touched[0]
    leaves = [leaf for node in nodes for leaf in node.leaves()]
    spans = []
    for _, run in groupby(leaves, key=lambda leaf: leaf.span):
        same = list(run)
        spans.append(Span(same[0].start, same[-1].end, same[0].kind))
    return ChunkRange(start, end, (first, *(s for s in touched if s is not first)), spans)


def _join_undivided(groups: list[list[Section]], levels: Sequence[int]) -> list[list[Section]]:
    """Put sections whose headings do not divide the text behind those that do."""
    joined: list[list[Section]] = []
    for group in groups:
        if joined and not any(section.level in levels for section in group):
            joined[-1] = [*joined[-1], *group]
        else:
            joined.append(group)
    return joined


def _group_sections(
    waiting: list[list[Section]], measure: Measure, chunking: Chunking
) -> Iterator[list[Section]]:
    """Join a section that is too small with those that follow under the same parent."""
    index = 0
    while index < len(waiting):
        group = waiting[index]
        dividing = [section for section in group if section.level in chunking.split_levels]
        parent = (dividing or group)[-1].path[:-1]
        index += 1
        while (
            index < len(waiting)
            and waiting[index][0].path[: len(parent)] == parent
            and measure.fits_shared(
                group[0].start,
                waiting[index][-1].own_end,
                chunking.fill_tokens,
                chunking.max_tokens,
            )
            and measure.count_shared(group[0].start, group[-1].own_end) < chunking.min_tokens
        ):
            group = [*group, *waiting[index]]
            index += 1
        yield group


def _attach_bare(sections: Sequence[Section], bare: set[int]) -> list[list[Section]]:
    """Put headings without a text of their own before the first of their subsections."""
    groups: list[list[Section]] = []
    held: list[Section] = []
    for section in sections:
        if held and not _is_below(section, held[-1]):
            groups.append(held)
            held = []
        held.append(section)
        if section.start not in bare:
            groups.append(held)
            held = []
    return [*groups, held] if held else groups


def _is_below(section: Section, other: Section) -> bool:
    depth = len(other.path)
    return len(section.path) > depth and section.path[:depth] == other.path


class _Packer:
    """Fills chunks with pieces, one after the other."""

    def __init__(self, measure: Measure, chunking: Chunking, terms: Collection[int]) -> None:
        self._measure = measure
        self._terms = terms
        self._least = chunking.min_tokens
        self._most = chunking.max_tokens
        self._fill = chunking.fill_tokens
        self._overlap = chunking.overlap_tokens
        self._room = chunking.max_tokens
        self._chunks: list[list[_Node]] = []
        self._current: list[_Node] = []

    def pack(self, pieces: Pieces) -> list[list[_Node]]:
        if not pieces:
            return []
        nodes = [node for block, spans in pieces if (node := _block_node(block, spans))]
        nodes = list(_with_notes(nodes))
        if not self._fits(pieces[0][0].start, pieces[-1][0].end):
            self._room = max(1, self._most - self._overlap)
        index = 0
        while index < len(nodes):
            node, index = self._cluster(nodes, index)
            self._add(node)
        self._flush()
        self._fill_last()
        return list(self._overlapped())

    def _cluster(self, nodes: Sequence[_Node], index: int) -> tuple[_Node, int]:
        """Return the piece at `index` with what should not be parted from it, and the next index."""
        following = index
        while following < len(nodes) and self._stands_over(nodes[following]):
            following += 1
        if following > index:
            if following == len(nodes):
                return _join(*nodes[index:]), following
            inner, after = self._cluster(nodes, following)
            return _join(*nodes[index:following], inner), after
        node, following = nodes[index], index + 1
        if following == len(nodes):
            return node, following
        if node.kind is BlockKind.PARAGRAPH and self._is_plain_item(nodes[following]):
            while following < len(nodes) and self._is_plain_item(nodes[following]):
                following += 1
            return _join(*nodes[index:following]), following
        if nodes[following].kind in _WHOLE and self._introduces(node):
            return _join(*nodes[index : following + 1]), following + 1
        return node, following

    def _stands_over(self, node: _Node) -> bool:
        return node.kind is BlockKind.HEADING or node.start in self._terms

    def _is_plain_item(self, node: _Node) -> bool:
        """Whether a piece is an item, and no term that belongs to what is below it."""
        return node.kind is BlockKind.LIST_ITEM and not self._stands_over(node)

    def _introduces(self, node: _Node) -> bool:
        """Whether the piece is a caption, or ends as a sentence does that what follows completes."""
        if node.kind is BlockKind.CAPTION:
            return True
        text = self._measure.text[node.start : node.end]
        return node.kind is BlockKind.PARAGRAPH and text.rstrip().endswith(_INTRODUCES)

    def _add(self, node: _Node) -> None:
        fits_alone = node.end - node.start == 1 or self._fits(node.start, node.end)
        if fits_alone and self._can_take(node):
            self._current.append(node)
        elif fits_alone and not (_is_divisible(node) and self._is_small()):
            self._flush()
            self._current = [node]
        else:
            for part in node.parts or self._fragments(node):
                self._add(part)

    def _can_take(self, node: _Node) -> bool:
        return not self._current or self._fits(self._current[0].start, node.end)

    def _fits(self, start: int, end: int) -> bool:
        return self._measure.fits_shared(start, end, self._fill, self._room)

    def _size(self, nodes: Sequence[_Node]) -> int:
        return self._measure.count_shared(nodes[0].start, nodes[-1].end)

    def _is_small(self) -> bool:
        """Say whether the current chunk is too small, or only headings, to be left as it is."""
        if all(node.kind is BlockKind.HEADING for node in self._current):
            return True
        return self._size(self._current) < self._least

    def _flush(self) -> None:
        if self._current:
            self._chunks.append(self._current)
        self._current = []

    def _fragments(self, node: _Node) -> Iterator[_Node]:
        """Cut a span that is larger than a chunk: by lines, then between words."""
        for start, end in line_ranges(self._measure.text, node.start, node.end):
            if self._fits(start, end):
                yield _Node(start, end, node.kind, span=node.span)
            else:
                for piece in self._measure.cut(start, end, min(self._fill, self._room)):
                    yield _Node(*piece, node.kind, span=node.span)

    def _fill_last(self) -> None:
        """Move pieces into a last chunk that is too small, as long as the one before stays big."""
        if len(self._chunks) < 2:
            return
        before, last = self._chunks[-2:]
        while self._size(last) < self._least:
            node = before[-1]
            can_move = len(before) > 1 and self._fits(node.start, last[-1].end)
            if can_move and self._size(before[:-1]) >= self._least:
                last.insert(0, before.pop())
            elif _is_divisible(node):
                before[-1:] = node.parts
            else:
                break

    def _overlapped(self) -> Iterator[list[_Node]]:
        """Begin each chunk but the first with the last spans of the one before."""
        for index, nodes in enumerate(self._chunks):
            if index == 0 or not self._overlap:
                yield nodes
                continue
            start, end = nodes[0].start, nodes[-1].end
            repeated: list[_Node] = []
            for leaf in reversed(
                [leaf for node in self._chunks[index - 1] for leaf in node.leaves()]
            ):
                if self._measure.count(leaf.start, start) > self._overlap:
                    break
                if not self._measure.fits(leaf.start, end, self._most):
                    break
                repeated.insert(0, leaf)
            yield [*repeated, *nodes]


def _block_node(block: Block, spans: Sequence[Span]) -> _Node | None:
    whole = block.kind in _WHOLE
    leaves = tuple(_Node(u.start, u.end, u.kind, span=u.start, whole=whole) for u in spans)
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    return _Node(leaves[0].start, leaves[-1].end, block.kind, leaves, whole=whole)


def _with_notes(nodes: Sequence[_Node]) -> Iterator[_Node]:
    """Join each piece with the footnotes below it, and the parts of a quotation."""
    run: list[_Node] = []
    for node in nodes:
        goes_on = run and run[0].kind is not BlockKind.HEADING
        quoted = goes_on and node.kind is run[-1].kind is BlockKind.QUOTE
        if not (quoted or (goes_on and node.kind is BlockKind.FOOTNOTE)):
            yield from _joined_run(run)
            run = []
        run.append(node)
    yield from _joined_run(run)


def _joined_run(run: Sequence[_Node]) -> Iterator[_Node]:
    if len(run) == 1:
        yield run[0]
    elif run:
        yield _Node(run[0].start, run[-1].end, run[0].kind, tuple(run))


def _join(*nodes: _Node) -> _Node:
    return _Node(nodes[0].start, nodes[-1].end, BlockKind.PARAGRAPH, nodes)


def _is_divisible(node: _Node) -> bool:
    return bool(node.parts) and not node.whole
