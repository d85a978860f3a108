"""Take the footnotes of a PDF off its pages, and tie them to their marks."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from services.ingest.model.book import BlockKind, Markup, MarkupKind
from services.ingest.parsers.outline import Item
from services.ingest.parsers.pdf.flow import Measures, Paragraph, text_of, to_paragraphs
from services.ingest.parsers.pdf.line import HYPHEN, Line

_SMALL = 0.92
"""Of the usual size: the letters of footnotes."""
_APART = 1.28
"""Of the step between lines: how far below the text of its page the rest of a footnote stands."""
_LONGEST_MARK = 3
_ENDS = re.compile(r"[.!?:。！？：؟।][\'\"”’)\]»」』）】》]*$")


def split_notes(
    lines: Sequence[Line], usual: Measures
) -> tuple[list[Line], list[tuple[str, list[Line]]]]:
    """Take the footnotes off the end of a page; they start with a raised number."""
    first = len(lines)
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].table or lines[index].size > _SMALL * usual.size:
            break
        if _note_at(lines, index, usual):
            first = index
    notes: list[tuple[str, list[Line]]] = []
    for index, line in enumerate(lines[first:], start=first):
        mark = _note_at(lines, index, usual)
        if mark:
            notes.append((f"{mark}@{line.page}", []))
        if notes and (line.text and not (mark and line.text == mark)):
            notes[-1][1].append(line)
    return list(lines[:first]), [note for note in notes if note[1]]


def _note_at(lines: Sequence[Line], index: int, usual: Measures) -> str:
    """Return the mark that a line begins a footnote with, "" for any other line."""
    is_behind = index and abs(lines[index - 1].y - lines[index].y) < 1
    is_text = is_behind and len(lines[index - 1].text) > _LONGEST_MARK
    return "" if is_text or _counts_lines(lines, index) else _note_mark(lines[index], usual)


def _counts_lines(lines: Sequence[Line], index: int) -> bool:
    """Whether a line is a number alone, and the next lines begin with the numbers beside it."""
    text = lines[index].text
    if not text.isdecimal():
        return False
    beside = {
        int(text) - 1: lines[max(0, index - 1) : index],
        int(text) + 1: lines[index + 1 :][:1],
    }
    return any(line.text.split(" ")[0] == str(n) for n, found in beside.items() for line in found)


def take_rest(
    lines: Sequence[Line], above: Sequence[Line], usual: Measures
) -> tuple[list[Line], list[Line]]:
    """Part the lines of a page from those at its foot that go on with `above`, the note before.

    That is the last one of the last page. They are of its size and apart from the text, and it did not
    end as a sentence does.
    """
    first = len(lines)
    while first and above and _is_like(lines[first - 1], above[-1]):
        first -= 1
    if first in (0, len(lines)) or (_ENDS.search(above[-1].text) and above[-1].text[-1:] != HYPHEN):
        return list(lines), []
    before, rest = lines[first - 1], lines[first]
    is_apart = before.y - rest.y > _APART * usual.step and above[-1].page == rest.page - 1
    return (list(lines[:first]), list(lines[first:])) if is_apart else (list(lines), [])


def _is_like(line: Line, note: Line) -> bool:
    return abs(line.size - note.size) < 0.1 and not line.table


def note_paragraphs(lines: Sequence[Line], usual: Measures) -> list[Paragraph]:
    """Join the lines of a footnote to paragraphs, the first of which is neither item nor code."""
    size = lines[0].size or usual.size
    found = to_paragraphs(lines, Measures(size, usual.step * size / usual.size))
    # What looks like the mark of a list is how its text begins.
    found[0].label, found[0].is_code = "", False
    return found


def note_item(paragraph: Paragraph, known: Counter[str]) -> Item:
    """Return a paragraph of a footnote as what it is of it: text, an item, or code."""
    kind, level, label = BlockKind.FOOTNOTE, 0, ""
    if paragraph.is_code:
        kind = BlockKind.CODE
    elif paragraph.label:
        label = paragraph.label if paragraph.label[-1] in ".)" else "-"
        kind, level = BlockKind.LIST_ITEM, 1
    paged = text_of(paragraph, known)
    return Item(
        kind,
        paged.text,
        level,
        label,
        page=paragraph.page,
        page_breaks=paged.breaks,
        markup=paged.markup,
    )


def hang_marks(lines: Sequence[Line], labels: Collection[str], usual: Measures) -> list[Line]:
    """Give the mark of a footnote that came as a line of its own, or before one, to the line above."""
    kept: list[Line] = []
    for line in lines:
        is_mark = f"{line.text}@{line.page}" in labels and line.size < 0.8 * usual.size
        is_led = f"{line.note}@{line.page}" in labels
        if kept and (is_mark or is_led):
            mark = line.text if is_mark else line.note
            kept[-1] = _with_mark(kept[-1], mark)
            kept += [] if is_mark else [replace(line, note="")]
        else:
            kept.append(line)
    return kept


def _with_mark(line: Line, mark: str) -> Line:
    end = len(line.text)
    marked = Markup(MarkupKind.FOOTNOTE_REFERENCE, end, end, mark)
    return replace(line, marks=(*line.marks, mark), markup=(*line.markup, marked))


def tie_rest(lines: list[Line], labels: Sequence[str]) -> list[Line]:
    """Tie the notes of a page that no mark names to its last line: they belong somewhere above.

    Marks that run together, 2 and 3 as 23, name them all.
    """
    marks = [mark for line in lines for mark in line.marks]
    rest = [number for label in labels if (number := label.split("@")[0]) not in marks]
    for at, line in enumerate(lines):
        held = [
            number for number in rest if any(_run_of(mark, rest, number) for mark in line.marks)
        ]
        if held:
            lines[at] = replace(line, marks=(*line.marks, *held))
            rest = [number for number in rest if number not in held]
    if rest and lines:
        lines[-1] = replace(lines[-1], marks=(*lines[-1].marks, *rest))
    return lines


def _run_of(mark: str, numbers: Sequence[str], one: str) -> bool:
    """Say whether `mark` is made of two of the numbers that follow each other, `one` among them."""
    return any(
        mark == first + second and one in (first, second) for first, second in pairwise(numbers)
    )


def _note_mark(line: Line, usual: Measures) -> str:
    if line.note:
        return line.note
    is_number = line.text.isdigit() and len(line.text) <= _LONGEST_MARK
    # The number of an empty line of a program is no mark.
    is_alone = is_number and line.size < 0.75 * usual.size and not line.is_mono
    return line.text if is_alone else ""
