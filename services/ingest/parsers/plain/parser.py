"""Parse a plain text file into canonical text with blocks and sections."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from services.ingest.model.book import BlockKind, DroppedContent, ParsedText
from services.ingest.model.byline import read_byline
from services.ingest.parsers.dropped import CONTENTS, INDEX, name_lines, visible_in
from services.ingest.parsers.outline import Item, assemble, find_heading_of, place_footnotes
from services.ingest.parsers.outline import find_heading as find_top
from services.ingest.parsers.plain.contents import drop_contents, drop_index
from services.ingest.parsers.plain.counted import find_counted
from services.ingest.parsers.plain.definitions import mark_definitions
from services.ingest.parsers.plain.fields import FIELDS, part_fields
from services.ingest.parsers.plain.headings import Heading, find_heading, find_tops, levels_of
from services.ingest.parsers.plain.hyphens import Hyphens
from services.ingest.parsers.plain.lines import (
    Run,
    SourceLine,
    indent_of,
    is_rule,
    read_blocks,
    split_runs,
)
from services.ingest.parsers.plain.listed import find_listed
from services.ingest.parsers.plain.manual import find_sections
from services.ingest.parsers.plain.names import join_names
from services.ingest.parsers.plain.questions import find_questions
from services.ingest.parsers.plain.spaced import SpacedTable, find_spaced
from services.ingest.parsers.plain.titles import (
    TITLE,
    author_under,
    part_byline,
    read_header,
    with_title,
)
from services.ingest.parsers.plain.verse import is_verse, part_columns
from services.ingest.parsers.wrapped import (
    columns_of,
    first_word,
    is_in_address,
    join_addresses,
    join_all,
)

_CENTRED = 10
_FEW_HEADINGS = 3
"""With fewer, chapters may have no titles but numbers."""
_MOST_FRONT = 3
"""Lines that may stand over the first heading, each alone: a title, who wrote it, and when."""
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+")
_HEAD_AND_BODY = 2
_NUMBERING = re.compile(r"\w{0,10} ?\d")
_NOTE_MARK = re.compile(r"\s*\^?\[(\d{1,4})\]")
_IMAGE = re.compile(r"\[image(?:: ([^\]]*))?\](?:\[image\])?\s*(.*)", re.DOTALL)
_PROSE = re.compile(r"[\"“‘'(]?[^\W\d_].*[.!?:)\]”]", re.DOTALL)
_CODE_SIGNS = re.compile(r"[{}$<>|\\;=]|--|\w\(|^#|/\w+/|\s{2,}\S")
_NAMES = re.compile(r"\*\w\S*\*|\w[-_]\w|/\w|\w/")
"""Names of programs, their options and files, and what stands for such."""
_FIELD = re.compile(r"[A-Za-z][\w-]*: \S")
_ENDS = re.compile(r"[.!?:;…。！？：；]['\"”’)\]»」』）】》]*$")
_GO_ON = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.FOOTNOTE)
_NOTE_REACH = 400
_RULES = DroppedContent("rule", "", "it is a line drawn with signs, and says nothing")


@dataclass(frozen=True)
class Layout:
    """What the layout of a text tells: its pieces, its footnotes and their marks by their labels."""

    items: list[Item]
    footnotes: dict[str, list[Item]]
    numbers: dict[str, str]
    warnings: list[str]
    dropped_content: list[DroppedContent]


def parse_plain(source: str, fallback_title: str) -> ParsedText:
    """Parse text by how it is laid out; what is not recognised stays as paragraphs."""
    layout = read_layout(source)
    ordered = list(place_footnotes(layout.items, layout.footnotes, layout.numbers))
    title, author = read_header(source)
    if title:
        index = find_heading_of(ordered, title)
    else:
        ordered = with_title(ordered, source)
        title, index = _find_title(ordered, fallback_title)
        author = author_under(ordered)
    parsed = assemble(title, index, ordered, layout.warnings, layout.dropped_content)
    return replace(parsed, byline=read_byline([author]))


def read_layout(source: str) -> Layout:
    """Read the pieces of a text, without those that are footnotes."""
    blocks, fields = part_fields(read_blocks(source))
    reader = _Reader(part_byline(blocks))
    items = reader.read()
    items = mark_definitions(items, reader.runs, is_manual=reader.is_manual)
    footnotes = _tie_footnotes(items, reader.notes)
    noted = {at for note in reader.notes for at in note.pieces}
    body = _without_bare_marks([item for at, item in enumerate(items) if at not in noted])
    numbers = {label: label.split("@")[0] for label in footnotes}
    dropped_content = [
        _located(CONTENTS, lines[:1], visible_in(lines)) for lines in reader.contents
    ]
    if fields:
        dropped_content.append(_located(FIELDS, fields, visible_in(fields)))
    if reader.index:
        index = replace(INDEX, reason="it only names lines")
        dropped_content.append(_located(index, reader.index, visible_in(reader.index)))
    if reader.rules:
        dropped_content.append(_located(_RULES, reader.rules, visible_in(reader.rules)))
    return Layout(body, footnotes, numbers, reader.warnings, dropped_content)


def _located(
    dropped: DroppedContent, lines: Sequence[SourceLine], characters: int
) -> DroppedContent:
    numbers = [line.number for line in lines]
    return replace(dropped, place=name_lines(numbers), characters=characters)


def _find_title(items: Sequence[Item], fallback: str) -> tuple[str, int]:
    if items and items[0].kind is BlockKind.HEADING:
        top = [item for item in items[1:] if item.kind is BlockKind.HEADING and item.level == 1]
        numbered = sum(1 for item in top if _NUMBERING.match(item.text))
        if items[0].level == 1 and not _NUMBERING.match(items[0].text) and numbered * 2 >= len(top):
            return items[0].text, 0
    return find_top(items, fallback)


@dataclass
class _Note:
    """A footnote: the number it has, and where its first piece stands among the items."""

    number: str
    first: int
    pieces: list[int] = field(default_factory=list)


class _Reader:
    def __init__(self, blocks: Sequence[Sequence[SourceLine]]) -> None:
        self._blocks = blocks
        self._width = width_of(blocks)
        self._hyphens = Hyphens(blocks)
        self._items: list[Item] = []
        self.runs: dict[int, Run] = {}
        """What was read, by the number of the piece that it became."""
        self._indents: list[int] = []
        """Where the text of the lists that are open starts."""
        self._base = 0
        """The indentation of the text that is no code."""
        self._code: list[str] = []
        self.notes: list[_Note] = []
        self._note: _Note | None = None
        self.warnings: list[str] = []
        self.contents: Sequence[Sequence[SourceLine]] = []
        """The lines of the table of contents, which are left out."""
        self.rules: list[SourceLine] = []
        """Lines of signs that part the text, which are left out."""
        blocks, self.index = drop_index(blocks)
        asked = find_questions(blocks)
        index = blocks.pop(asked.index) if asked.headings else []
        listed = find_listed(blocks)
        self._listed = {**listed.headings, **asked.headings}
        rest = [lines for at, one in enumerate(blocks) if (lines := listed.others.get(at, one))]
        self._blocks, contents = drop_contents(rest, [self._heading_of(lines) for lines in rest])
        stay = {line.number for lines in listed.others.values() for line in lines}
        of_contents = (line for at in sorted(listed.contents) for line in blocks[at])
        named = [line for line in of_contents if line.number not in stay]
        self.contents = [*filter(None, (index, named)), *contents]
        if self.contents:
            self.warnings.append(
                "the table of contents was left out: the headings stand in the text"
            )
        self._find_headings()

    def _heading_of(self, lines: Sequence[SourceLine]) -> Heading | None:
        return find_heading(lines) or self._listed.get(lines[0].number)

    def _find_headings(self) -> None:
        found = [self._heading_of(lines) for lines in self._blocks]
        sections = find_sections(self._blocks)
        self.is_manual = bool(sections)
        if self.is_manual:
            found = [sections.get(at) for at in range(len(found))]
        elif sum(heading is not None for heading in found) < _FEW_HEADINGS:
            counted = find_counted(self._blocks)
            found = [counted.get(at, heading) for at, heading in enumerate(found)]
        tops = find_tops(self._blocks, found)
        found = [tops.get(at, heading) for at, heading in enumerate(found)]
        self._blocks, found = join_names(self._blocks, found)
        drawn = sum(1 for heading in found if heading and _is_drawn(heading))
        # Where headings are underlined, a number in front of a line is that of a list.
        self._headings = [
            heading if heading and (_is_drawn(heading) or drawn < 3) else None for heading in found
        ]
        self._levels = levels_of([heading.style for heading in self._headings if heading])

    def read(self) -> list[Item]:
        for number, (lines, heading) in enumerate(zip(self._blocks, self._headings, strict=True)):
            rest = list(lines)
            if heading:
                self._open_section(heading)
                rest = rest[heading.line_count :]
            elif number == 0 and not self.is_manual and self._begins_with_title():
                self._levels = {style: level + 1 for style, level in self._levels.items()}
                self._add(BlockKind.HEADING, " ".join(lines[0].split()), level=1)
                continue
            if all(is_rule(line) for line in rest):
                self.rules += rest
            else:
                self._read_block(rest)
        self._close_code()
        return self._items

    def _begins_with_title(self) -> bool:
        """Whether the first line is centred, or stands alone over the first heading."""
        if len(self._blocks[0]) > 1:
            return False
        front = next((at for at, heading in enumerate(self._headings) if heading), 0)
        lines = self._blocks[:front]
        stands_over = 0 < front <= _MOST_FRONT and all(
            len(block) == 1 and TITLE.fullmatch(block[0].strip()) for block in lines
        )
        chapters = sum(1 for heading in self._headings if heading and heading.style == "chapter")
        is_book = front > 0 and chapters >= _FEW_HEADINGS
        if is_book and TITLE.fullmatch(self._blocks[0][0].strip()):
            return True  # whatever stands between: who wrote it, when, a word to the reader
        return stands_over or indent_of(self._blocks[0][0]) >= _CENTRED

    def _open_section(self, heading: Heading) -> None:
        self._close_code()
        self._indents, self._base, self._note = [], 0, None
        self._add(BlockKind.HEADING, heading.text, level=self._levels[heading.style])

    def _read_block(self, lines: list[SourceLine]) -> None:
        if _GRID.fullmatch(lines[0]):
            self._close_code()
            end = next((at for at, line in enumerate(lines) if line.strip()[0] not in "+|"), None)
            self._add(BlockKind.TABLE, "\n".join(_grid_rows(lines[:end])))
            if end is not None:
                self._read_block(lines[end:])
            return
        goes_on = bool(self._code) and indent_of(lines[0]) > self._base
        if not goes_on and (found := find_spaced(lines)):
            self._close_code()
            self._read_spaced(lines, *found)
            return
        if columns := part_columns(lines):
            self._close_code()
            for column in columns:
                wrapped = [" ".join(line.split()) for line in column]
                self._add(BlockKind.PARAGRAPH, join_all(wrapped, self._hyphens.join))
            return
        runs = split_runs([line for line in lines if not is_rule(line)])
        if self._is_code(lines, runs):
            self._code += ["", *lines] if self._code else lines
            return
        self._close_code()
        if is_verse(lines) and not any(run.mark for run in runs):
            # Lines of a stanza stand further in by turns.
            indent = min(map(indent_of, lines))
            runs = [Run(tuple(line.strip() for line in lines), indent, inner=indent)]
        self.rules += filter(is_rule, lines)
        for run in runs:
            self._read_run(run)

    def _read_spaced(self, lines: Sequence[SourceLine], start: int, table: SpacedTable) -> None:
        for run in split_runs(lines[:start]):
            self._read_run(run)
        text, markup = table.show()
        self._items.append(Item(BlockKind.TABLE, text, markup=tuple(markup)))

    def _is_code(self, lines: Sequence[str], runs: Sequence[Run]) -> bool:
        indent = min(indent_of(line) for line in lines)
        if indent <= self._base or runs[0].mark:
            return False
        if self._code:
            goes_on = indent >= min(indent_of(line) for line in self._code)
            return goes_on and not self._is_prose(runs)
        if all(run.is_entry for run in runs):
            return False
        above = self._items[-1].text.rstrip() if self._items else ""
        if not above.endswith(":"):
            return self._completes(lines, above)
        if len(lines) == 1:
            return _is_display(lines[0].strip())
        return not any(self._is_wrapped(run) for run in runs)

    def _completes(self, lines: Sequence[str], above: str) -> bool:
        """Whether lines of signs are what a sentence without an end goes on with: "call", "and"."""
        goes_on = bool(above) and not _ENDS.search(above) and self._items[-1].kind in _GO_ON
        bare = [line.strip() for line in lines]
        return goes_on and all(_CODE_SIGNS.search(one) or _NAMES.search(one) for one in bare)

    def _is_wrapped(self, run: Run) -> bool:
        is_prose = len(run.lines) > 1 and _PROSE.fullmatch("\n".join(run.lines)) is not None
        return is_prose and self._is_filled(run.lines, run.inner)

    def _is_prose(self, runs: Sequence[Run]) -> bool:
        """Whether a block below code is a paragraph as deep as the code: wrapped sentences."""
        lines = runs[0].lines
        if len(runs) > 1 or len(lines) < 3 or not _PROSE.fullmatch("\n".join(lines)):
            return False
        return self._is_filled(lines, runs[0].inner)

    def _is_filled(self, lines: Sequence[str], inner: int) -> bool:
        return is_filled(lines, inner, self._width)

    def _read_run(self, run: Run) -> None:
        if run.mark.endswith("]"):
            self._note = _Note(run.mark.strip("^[]"), len(self._items))
            self.notes.append(self._note)
        elif run.indent == 0 or (self._note and run.indent < 3):
            self._note = None
        while self._indents and run.indent < self._indents[-1]:
            self._indents.pop()
        self._base = run.inner
        self.runs[len(self._items)] = run
        filled = run.is_entry or (self._is_filled(run.lines, run.inner) and not is_verse(run.lines))
        lines = [" ".join(line.split()) for line in run.lines]
        text = join_all(lines, self._hyphens.join if filled else join_addresses)
        image = _IMAGE.fullmatch(text)
        if image:
            for caption in dict.fromkeys(" ".join(part.split()) for part in image.groups("")):
                self._add(BlockKind.CAPTION, caption)
        elif self._note:
            self._note.pieces.append(len(self._items))
            self._add(BlockKind.FOOTNOTE, text)
        elif run.mark:
            self._indents.append(run.inner)
            label = "-" if not run.mark[-1:].isascii() or run.mark in "*+-" else run.mark
            self._add(BlockKind.LIST_ITEM, text, level=len(self._indents), label=label)
        else:
            in_list = bool(self._indents) and run.indent == self._indents[-1]
            kind = BlockKind.LIST_ITEM if in_list else BlockKind.PARAGRAPH
            self._add(kind, text, level=len(self._indents) if in_list else 0)

    def _close_code(self) -> None:
        if self._code:
            margin = min(indent_of(line) for line in self._code if line)
            if self._note:
                self._note.pieces.append(len(self._items))
            self._add(BlockKind.CODE, "\n".join(line[margin:] for line in self._code))
            self._code = []

    def _add(self, kind: BlockKind, text: str, *, level: int = 0, label: str = "") -> None:
        if text.strip():
            self._items.append(Item(kind, text, level, label))


def _is_display(line: str) -> bool:
    """Whether a line below a colon is shown as it stands: with signs of code, or no sentence."""
    return bool(_CODE_SIGNS.search(line) or _FIELD.match(line)) or not _ENDS.search(line)


def _is_drawn(heading: Heading) -> bool:
    return not heading.style.startswith(("part", "chapter", "number", "listed"))


def is_filled(lines: Sequence[str], inner: int, width: int) -> bool:
    """Whether lines end where the next word would not have had room: wrapped prose."""
    short = sum(
        inner + columns_of(line) + 1 + columns_of(first_word(after)) <= width - 6
        and not is_in_address(line, after)
        for line, after in itertools.pairwise(lines)
    )
    return short * 5 <= len(lines) - 1


def width_of(blocks: Sequence[Sequence[str]]) -> int:
    """Return the width that the text is wrapped to, in columns."""
    lengths = sorted(columns_of(line) for lines in blocks if len(lines) > 2 for line in lines[:-1])
    return lengths[len(lengths) * 95 // 100] if lengths else 0


def _grid_rows(lines: Sequence[str]) -> Iterator[str]:
    parts = [
        [_cells_of(line) for line in part]
        for is_rule, part in itertools.groupby(lines, lambda line: bool(_GRID.match(line)))
        if not is_rule
    ]
    # Without rules between the rows each line is one, unless it goes on below a cell that is full.
    are_lines = len(parts) <= _HEAD_AND_BODY
    for part in parts:
        rows = list[list[str]]()
        for cells in part:
            if rows and not (are_lines and cells[0]):
                rows[-1] = [
                    f"{one} {more}"
                    for one, more in itertools.zip_longest(rows[-1], cells, fillvalue="")
                ]
            else:
                rows.append(cells)
        yield from (" | ".join(" ".join(cell.split()) for cell in row) for row in rows)


def _cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _tie_footnotes(items: list[Item], notes: Sequence[_Note]) -> dict[str, list[Item]]:
    """Take the marks of footnotes out of the text; return the footnotes by a label of their own."""
    footnotes = {}
    for note in notes:
        label = f"{note.number}@{note.first}"
        footnotes[label] = [items[index] for index in note.pieces]
        for index in range(note.first - 1, max(-1, note.first - _NOTE_REACH), -1):
            item = items[index]
            at = _mark_in(item, note.number)
            if at:
                text = item.text[: at[0]] + item.text[at[1] :]
                items[index] = replace(item, text=text, footnotes=(*item.footnotes, label))
                break
    return footnotes


def _without_bare_marks(items: Sequence[Item]) -> list[Item]:
    """Drop what held only the mark of a footnote: the piece before refers to it."""
    kept: list[Item] = []
    for item in items:
        if item.text.strip():
            kept.append(item)
        elif kept:
            footnotes = (*kept[-1].footnotes, *item.footnotes)
            kept[-1] = replace(kept[-1], footnotes=footnotes)
    return kept


def _mark_in(item: Item, number: str) -> tuple[int, int] | None:
    if item.kind in (BlockKind.CODE, BlockKind.FOOTNOTE):
        return None
    for mark in _NOTE_MARK.finditer(item.text):
        if mark[1] == number:
            return mark.span()
    return None
