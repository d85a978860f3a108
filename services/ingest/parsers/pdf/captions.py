"""Put together what stands over a table: its caption, the next lines of it, and the unit below.

Lines in the middle of a page look like paragraphs of their own. A number may stand alone in the first.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.pdf.flow import NUMBER_OF_CAPTION, Paragraph, edges_of
from services.ingest.parsers.pdf.line import Line

OFF_CENTRE, OVER_TABLE = 0.7, 3.0
"""Of the size of its letters: how far the middle of a table's title is from the table's, and how far
above its first line the title stands."""
_NEXT_LINE = 2.0
"""Of the size of its letters: how far below the line above stands one of the same caption."""
_NEXT_LINE_OF_TEXT = 1.5
"""Of the size of its letters: how far below the line above stands one of the same text."""
_RIGHT_OVER, _APART, _OUT, _LONGEST_TITLE = 2.8, 1.6, 2.0, 120
"""Of the size of its letters: how far above a table a line that is its title stands, how far below
what is over it, and how far it begins left of a table that is set in; and the letters of it."""
_MOST_PARTS, _MOST_LINES = 4, 3
"""Paragraphs that are one caption, and the lines of each that is not its first."""
_SAME_SIZE = 0.12
_ASIDE = re.compile(r"[(\[（［【].{1,240}[)\]）］】]\W?")
"""A unit, how its numbers were made, or what its signs mean, in brackets."""
_WITH_UNIT = re.compile(r"\(?\d{1,3}\s?[.)、．）]\s?\S.{1,120}\s\w{1,12}\s?[:：]\s?\S{1,16}")
"""A numbered line at the right end of which stands the unit of a table."""
_NUMBERS = re.compile(r"(?<!\S)\W{0,3}(?!(?:1[5-9]|20)\d\d\W?(?!\S))\d[\d.,]*\W{0,2}(?!\S)")
"""Those of a row, which are no years."""
_NUMBER_OF_SECTION = re.compile(r"(?:[A-Z]|[IVX]{1,5}|\d{1,3})(?:\.\d{1,3})*[.)]?\s")
_CONDITIONS = re.compile(r".{0,80}\S\s?[=;]\s.{1,80}")
"""For what values those of a table hold: "Tamb = 25 °C; unless otherwise specified."."""
_MOSTLY = 0.9
"""Of the letters of a title in bold, that are."""
_ENDS = re.compile(r"[.!?;。！？；।]['\"”’)\]»]*$")


def with_whole_captions(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs of a page, those as one that make the caption of the table below them."""
    found: list[Paragraph] = []
    for paragraph in paragraphs:
        if paragraph.is_table:
            count = _count_parts(found, paragraph)
            if count:
                parts = found[-count:]
                lines = [line for part in parts for line in part.lines]
                title = replace(parts[0], lines=lines, label="", is_code=False, is_title=True)
                found[-count:] = [title]
        found.append(paragraph)
    return found


def stacked_titles(paragraphs: Sequence[Paragraph], levels: Sequence[int]) -> Iterator[range]:
    """Yield the headings behind the first of several of one rank that stand right over a table.

    The first would be a section without text, and so would the next: they are lines of its title.
    """
    for at, table in enumerate(paragraphs):
        if not table.is_table:
            continue
        first = at
        while (
            first and levels[first - 1] and _is_right_over(paragraphs[first - 1], paragraphs[first])
        ):
            first -= 1
        for place in range(first + 1, at):
            are_bare = not any(map(_is_numbered, paragraphs[place - 1 : at]))
            if levels[place] == levels[place - 1] and are_bare:
                yield range(place, at)
                break


def _is_right_over(above: Paragraph, below: Paragraph) -> bool:
    gap = above.lines[-1].y - below.lines[0].y
    return above.page == below.page and 0 < gap <= OVER_TABLE * max(above.size, below.size)


def _is_numbered(paragraph: Paragraph) -> bool:
    return bool(paragraph.label or _NUMBER_OF_SECTION.match(paragraph.lines[0].text))


def is_centred_over(paragraph: Paragraph, table: Paragraph) -> bool:
    """Whether it is of lines in the middle over a table, which such a line is the title of."""
    is_near = paragraph.lines[-1].y - table.lines[0].y <= OVER_TABLE * paragraph.size
    return is_near and _are_centred(paragraph.lines, table)


def _are_centred(lines: Sequence[Line], table: Paragraph) -> bool:
    left, right = edges_of(table.lines)
    return all(
        line.left - left > line.size
        and right - line.right > line.size
        and abs(line.left + line.right - left - right) <= 2 * OFF_CENTRE * line.size
        for line in lines
    )


def is_alone_over(paragraph: Paragraph, table: Paragraph, above: Paragraph | None) -> bool:
    """Whether it is of one line right over a table, within its sides, and apart from what is above."""
    left, right = edges_of(table.lines)
    line, size = paragraph.lines[0], paragraph.size
    is_near = 0 < line.y - table.lines[0].y <= _RIGHT_OVER * max(size, table.size)
    is_within = line.left > left - _OUT * size and line.right < right + size
    upper = above.lines[-1] if above else None
    is_apart = upper is None or upper.page != line.page or not 0 < upper.y - line.y < _APART * size
    is_row = len(_NUMBERS.findall(line.text)) > 1
    # "Table 3 shows what parts have" is a sentence about it.
    is_of_text = bool(NUMBER_OF_CAPTION.match(line.text)) and not paragraph.may_be_caption
    is_title = len(line.text) <= _LONGEST_TITLE and not (is_row or is_of_text)
    return is_near and is_within and is_apart and is_title


def _count_parts(above: Sequence[Paragraph], table: Paragraph) -> int:
    """Return how many of the last paragraphs make the caption of a table; 0 if they do not tell."""
    told, below, reach = 0, table, OVER_TABLE
    for count, part in enumerate(reversed(above[-_MOST_PARTS:]), start=1):
        text = " ".join(line.text for line in part.lines)
        goes_on = count > 1 and _begins_caption(part, text) and _is_full(part, below, table)
        reach = OVER_TABLE if goes_on else reach
        is_near = 0 < part.lines[-1].y - below.lines[0].y <= reach * part.size
        has_unit = len(part.lines) == 1 and bool(_WITH_UNIT.fullmatch(text))
        is_code = part.is_code and not (
            len(part.lines) == 1 and (_ASIDE.fullmatch(text) or NUMBER_OF_CAPTION.fullmatch(text))
        )
        is_other = part.is_table or is_code or (part.label and not has_unit)
        if is_other or not is_near:
            return told
        if part.lines[0].titled:
            told = count  # the table has it in its own topmost cell
        elif has_unit or _begins_caption(part, text):
            return count
        is_sentence = bool(_ENDS.search(text)) and not _ASIDE.fullmatch(text)
        if len(part.lines) > count == 1 and not is_sentence and is_centred_over(part, table):
            told = count
        # Below its number alone, and as the next line of it, a caption may be sentences.
        over = above[-count - 1 : -count]
        is_sentence = is_sentence and not _has_next(over, part)
        if is_sentence and count == 1 and _are_conditions(over, part):
            return 2
        if len(part.lines) > _MOST_LINES or is_sentence:
            return told
        if count > 1 and _is_title_of_two(part, above[len(above) - count + 1 :], table):
            told = count  # its first line, or its number, may stand over both
        below, reach = part, _NEXT_LINE
    return told


def _is_full(part: Paragraph, below: Paragraph, table: Paragraph) -> bool:
    """Whether the first word below would have found no room in a line, up to the edge of the table.

    Of a page in double spacing, the lines of a caption are as far apart as others.
    """
    last, line = part.lines[-1], below.lines[0]
    word = len(line.text.split(" ", 1)[0]) / max(len(line.text), 1)
    is_same = abs(part.size - below.size) <= _SAME_SIZE * part.size
    room = edges_of(table.lines)[1] - last.right
    return is_same and len(below.lines) == 1 and room < word * (line.right - line.left)


def _has_next(parts: Sequence[Paragraph], below: Paragraph) -> bool:
    """Whether a paragraph has the number of a caption alone, or is one of sentences right above."""
    for part in parts:
        first, last, line = part.lines[0], part.lines[-1], below.lines[0]
        if len(part.lines) == 1 and NUMBER_OF_CAPTION.fullmatch(first.text):
            return True
        is_near = 0 < last.y - line.y <= _NEXT_LINE_OF_TEXT * part.size
        is_same = abs(part.size - below.size) <= _SAME_SIZE * part.size
        is_left = abs(last.left - line.left) <= part.size / 2
        is_of_sentences = part.is_caption and bool(_ENDS.search(last.text))
        if is_of_sentences and is_near and is_same and is_left:
            return True
    return False


def _are_conditions(parts: Sequence[Paragraph], below: Paragraph) -> bool:
    """Whether a line says for what values those of a table hold, right below its title in bold."""
    for part in parts:
        line, conditions = part.lines[0], below.lines[0]
        is_near = 0 < line.y - conditions.y <= _NEXT_LINE_OF_TEXT * part.size
        is_line = len(below.lines) == 1 and bool(_CONDITIONS.fullmatch(conditions.text))
        return part.may_be_title and is_near and is_line and is_all_bold(line)
    return False


def is_all_bold(line: Line) -> bool:
    kind = MarkupKind.STRONG
    bold = sum(one.end - one.start for one in line.markup if one.kind is kind)
    return bold >= _MOSTLY * len(line.text)


def _begins_caption(part: Paragraph, text: str) -> bool:
    return part.is_caption or part.may_be_caption or bool(NUMBER_OF_CAPTION.fullmatch(text))


def _is_title_of_two(part: Paragraph, parts: Sequence[Paragraph], table: Paragraph) -> bool:
    """Whether lines in the middle over a table, of one size, are its title, with a unit beside it."""
    below = [one for one in parts if not _is_unit(one, table)]
    is_same = all(abs(part.size - one.size) <= _SAME_SIZE * one.size for one in below)
    lines = [line for one in (part, *below) for line in one.lines]
    is_title = len(part.lines) > 1 or part.may_be_title
    return is_title and is_same and _are_centred(lines, table)


def _is_unit(part: Paragraph, table: Paragraph) -> bool:
    """Whether it is a line in brackets, or one at the right edge of a table alone."""
    left, right = edges_of(table.lines)
    line = part.lines[0]
    is_at_edge = abs(line.right - right) <= part.size and line.left > (left + right) / 2
    return len(part.lines) == 1 and (is_at_edge or bool(_ASIDE.fullmatch(line.text)))
