"""Find what stands over a table and names it: its caption, or the short lines right above.

A title, its day and its unit are lines of their own, and a number may stand alone in the first.
"""

import re
from collections.abc import Iterator, Sequence

from services.ingest.parsers.pdf.flow import NUMBER_OF_CAPTION, Paragraph, edges_of
from services.ingest.parsers.pdf.headings import is_bold

OVER_TABLE = 5.5
"""Of the size of its letters: how far a line of a title is above the next, or above the table."""
_MOST_PARTS, _MOST_LINES, _LONGEST, _FEW = 8, 3, 240, 24
"""Paragraphs of one title, the lines and letters of each, and those of what is no sentence yet."""
_NEXT_LINE_OF_TEXT, _NEXT_ITEM = 1.5, 2.0
"""Of the size of its letters: how far below the one above a line of a title, or of a list, stands."""
_ASIDE = re.compile(r"[(\[（［【].{1,240}[)\]）］】]\W?")
"""A unit, how its numbers were made, or what its signs mean, in brackets."""
_PROGRAM = re.compile(r"[{}<>;=$#@|&!~`^\\]|\w\(|[.:/_]\S|^[-+]")
"""Signs of programs and paths, which letters of one width do not make of a line by themselves."""
_NUMBERS = re.compile(r"(?<!\S)\W{0,3}(?!(?:1[5-9]|20)\d\d\W?(?!\S))\d[\d.,]*\W{0,2}(?!\S)")
"""Those of a row, which are no years."""
_NUMBER_OF_SECTION = re.compile(r"(?:[A-Z]|[IVX]{1,5}|\d{1,3})(?:\.\d{1,3})*[.)]?\s")
_WORDS = re.compile(r"[^\W\d_]{2}|[^\W\d_\x00-\u02ff]")
_LEADS, _LONGEST_NAME = (":", "："), 80
"""What a line ends with that leads to its table, and the letters of one that names it."""
_WITHIN = re.compile(r"\w{3}[.!?]\s+[^\W\d_a-z]|[。！？]\s?\w")
"""Where a sentence begins behind another."""
_ENDS = re.compile(r"[.!?;。！？；।]['\"”’)\]»]*$")


def titles_of_tables(paragraphs: Sequence[Paragraph], levels: Sequence[int]) -> Iterator[range]:
    """Yield which paragraphs right over a table are its title; `levels` are those of headings."""
    for at, table in enumerate(paragraphs):
        if table.is_table and (first := _first_of_title(paragraphs, levels, at)) < at:
            yield range(first, at)


def _first_of_title(paragraphs: Sequence[Paragraph], levels: Sequence[int], at: int) -> int:
    """Return where the title of a table begins; its own place if it has none.

    Below its number, a caption may be sentences. A heading is no part of one, but for the lower ones of
    several of one rank: the first would be a section without text, and so would the next.
    """
    found = at
    for place in range(at - 1, max(-1, at - 1 - _MOST_PARTS), -1):
        part = paragraphs[place]
        is_lower = place > 0 and _is_lower(paragraphs, levels, place)
        is_heading = bool(levels[place]) and not is_lower
        if is_heading or not _may_be_part(part, paragraphs[place + 1], paragraphs[at]):
            break
        above = paragraphs[place - 1] if place and not levels[place - 1] else None
        if not (_names(part) or (above and _goes_on(above, part))) or _is_of_list(above, part):
            break
        found = place
        if begins_title(part) or part.label:
            break
    return found


def _is_lower(paragraphs: Sequence[Paragraph], levels: Sequence[int], place: int) -> bool:
    one, above = paragraphs[place], paragraphs[place - 1]
    is_same = levels[place] == levels[place - 1] and _is_right_over(above, one)
    return is_same and not any(map(_is_numbered, (above, one)))


def _is_right_over(above: Paragraph, below: Paragraph) -> bool:
    gap = above.lines[-1].y - below.lines[0].y
    return above.page == below.page and 0 < gap <= OVER_TABLE * max(above.size, below.size)


def _is_numbered(paragraph: Paragraph) -> bool:
    return bool(paragraph.label or _NUMBER_OF_SECTION.match(paragraph.lines[0].text))


def _may_be_part(part: Paragraph, below: Paragraph, table: Paragraph) -> bool:
    """Whether a paragraph stands right over another, and over a table, as all of its title does."""
    left, right = edges_of(table.lines)
    is_over = all(line.left < right and line.right > left for line in part.lines)
    text = " ".join(line.text for line in part.lines)
    is_code = part.is_code and (len(part.lines) > 1 or bool(_PROGRAM.search(text)))
    return not (part.is_table or is_code) and is_over and _is_right_over(part, below)


def begins_title(part: Paragraph) -> bool:
    """Whether a paragraph is the first of a caption, by its number or since the table has it in it."""
    number = len(part.lines) == 1 and NUMBER_OF_CAPTION.fullmatch(part.lines[0].text)
    return bool(part.is_caption or part.may_be_caption or number)


def _names(part: Paragraph) -> bool:
    """Whether a paragraph is a few words, and neither a sentence nor a row of numbers."""
    text = " ".join(line.text for line in part.lines)
    is_word = len(text) <= _FEW and " " not in text
    is_sentence = bool(_WITHIN.search(text) or _ENDS.search(text)) and not (
        is_word or _ASIDE.fullmatch(text)
    )
    # What leads to a table is a sentence as well, unless it is a name.
    longest = _LONGEST_NAME if text.endswith(_LEADS) else _LONGEST
    is_short = len(part.lines) <= _MOST_LINES and len(text) <= longest
    if begins_title(part) or NUMBER_OF_CAPTION.match(text):
        return begins_title(part)  # "Table 3 shows what parts have" is a sentence about it
    return is_short and not is_sentence and bool(_WORDS.search(text)) and not _is_row(text)


def _goes_on(above: Paragraph, part: Paragraph) -> bool:
    """Whether a sentence is of the title above it: of a caption, or what is said of one in bold."""
    number = len(above.lines) == 1 and NUMBER_OF_CAPTION.fullmatch(above.lines[0].text)
    is_caption = above.is_caption and bool(_ENDS.search(above.lines[-1].text))
    is_title = len(part.lines) == 1 and above.may_be_title and is_bold(above)
    gap = above.lines[-1].y - part.lines[0].y
    is_near = 0 < gap <= _NEXT_LINE_OF_TEXT * above.size
    return is_near and bool(number or is_caption or is_title)


def _is_of_list(above: Paragraph | None, part: Paragraph) -> bool:
    """Whether a paragraph is an item of a list, right below another."""
    if above is None or not (above.label and part.label):
        return False
    gap = above.lines[-1].y - part.lines[0].y
    return 0 < gap <= _NEXT_ITEM * part.size


def _is_row(text: str) -> bool:
    return len(_NUMBERS.findall(text)) > 1
