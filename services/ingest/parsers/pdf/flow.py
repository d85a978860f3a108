"""Join lines in reading order to paragraphs, list items and code."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import cut, shift
from services.ingest.parsers.pdf.columns import line_ends
from services.ingest.parsers.pdf.line import HYPHEN, Line, keeps_hyphen
from services.ingest.parsers.pdf.marking import cut_end, in_order, one_in_other
from services.ingest.parsers.wrapped import is_in_address, is_unspaced

_BULLET = re.compile(r"([•◦▪‣●○■–∗·*-])\s+(?=\S)")
_NUMBER = re.compile(r"(\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+(?=\S)")
_COUNTED_BEFORE = "ábra attēls irudia lentelė pav paveikslas tabula táblázat taula"
"""What a number stands before in a caption: "1. táblázat: Rows"."""
_ENDS = re.compile(r"[.!?:;…。！？：；｡؟۔।]['\"”’)\]»」』）】》]*$")
_OF_OTHER_LANGUAGES = (
    "afbeelding bảng figuur gambar graf hình kuva kép obr obrázek obrázok rys rysunek slika şekil tabel"
    " tabela tabell tabella tabelul tablica tablo taula taulukko tabulka tabuľka tabulă táblázat"
    " çizelge илюстрация слика табела таблиця εικόνα πίνακας σχήμα"
)
_CAPTIONS = alternatives([*load_layout().captions, *_OF_OTHER_LANGUAGES.split()])
"""What a number stands behind in a caption, of languages that have no lexicon too."""
_NUMBERED = (
    rf"(?:{_CAPTIONS})\.?\s+(?:(?:n\.?\s?[º°o]|nr)\.?\s*(?=\d)|№\s*)?"
    r"\w{1,3}(?:[.-]\d{1,3})*"
)
_NUMBER_FIRST = (
    rf"\d{{1,3}}(?:[.-]\d{{1,3}})*\.?\s+(?:{alternatives(_COUNTED_BEFORE.split())})(?!\w)"
)
CAPTION = re.compile(
    rf"(?:{_NUMBERED}|{_NUMBER_FIRST})\s?(?:[.:–—-]\s+|[.:]\s?[–—]|：\s?)\S", re.IGNORECASE
)
NUMBER_OF_CAPTION = re.compile(rf"{_NUMBERED}\s?[.:：–—-]?", re.IGNORECASE)
"""Its number alone, over what it says."""
_BARE_CAPTION = re.compile(
    rf"{_NUMBERED}(?:\s+(?-i:[^\W\d_a-z]|\d).*)?"
    rf"|(?:{_CAPTIONS})[.:]\s+(?-i:[^\W\d_a-z]).*",
    re.IGNORECASE,
)
"""What may be one where it stands beside a table: "Table 3 Forces", and no sentence about it."""
_LETTERS = re.compile(r"[^\W\d_]{2}|[^\W\d_\x00-\u02ff]")
_LONGEST_CAPTION, _MOST_CAPTION_LINES = 160, 2
_WORD = re.compile(r"\w[\w-]*\w|\w")
_LONGEST_WORD = 2000
_TITLE = 1.5
"""Letters of titles, beside the usual ones."""
_CELLS, _SAME = " | ", 0.5
"""Between cells, and of those of a header that the next table has too, how many are the same."""
_SAME_COLUMN = 1.0
"""Points that the edges of a column differ at most from page to page."""
_NEAR_EDGE, _LEAST_EDGES = 0.1, 2
"""Of a table's width: how far the middle between two columns moves with the rows of a page at most."""
_ANCHOR, _CODE = MarkupKind.ANCHOR, MarkupKind.CODE


@dataclass
class Paragraph:
    """Lines that belong together."""

    lines: list[Line] = field(default_factory=list)
    label: str = ""
    is_code: bool = False
    pictures: list[str] = field(default_factory=list)
    """Names of those that stand behind it."""
    pictures_before: list[str] = field(default_factory=list)
    is_title: bool = False
    """Whether it is known to be the caption of the table below it."""
    captioned: str = ""
    """The name of the picture that it is the caption of."""

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def is_table(self) -> bool:
        return bool(self.lines[0].table)

    @property
    def is_caption(self) -> bool:
        if self.is_code or self.is_table:
            return False
        return self.is_over_table or bool(CAPTION.match(self.lines[0].text))

    @property
    def is_over_table(self) -> bool:
        """Whether it is known to be the caption of a table, whatever it says."""
        return self.is_title or bool(self.lines[0].titled)

    @property
    def may_be_caption(self) -> bool:
        """Whether it begins as captions do, and is none by its signs or its font alone."""
        text = " ".join(line.text for line in self.lines[:_MOST_CAPTION_LINES])
        is_short = len(self.lines) <= _MOST_CAPTION_LINES and len(text) <= _LONGEST_CAPTION
        if self.is_code:
            return is_short and bool(CAPTION.match(text))
        is_plain = is_short and not (self.is_table or _ENDS.search(text))
        return is_plain and bool(_BARE_CAPTION.fullmatch(text))

    @property
    def may_be_title(self) -> bool:
        """Whether it is one line of words that no sign ends."""
        line = self.lines[0]
        is_line = len(self.lines) == 1 and not (self.is_code or self.is_table or self.label)
        return is_line and not _ENDS.search(line.text) and bool(_LETTERS.search(line.text))

    @property
    def size(self) -> float:
        return self.lines[0].size


@dataclass(frozen=True)
class Measures:
    """What is usual in a book, in points: the size of its text, the step between its lines."""

    size: float
    step: float


def measure(pages: Sequence[Sequence[Line]]) -> Measures:
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[line.size] += len(line.text)
    # Letters may be so small that their size is rounded to nothing.
    size = (sizes.most_common(1)[0][0] if sizes else 0.0) or 10.0
    steps = Counter(
        round(above.y - below.y, 1)
        for lines in pages
        for above, below in pairwise(line for line in lines if not line.table)
        if above.size == below.size == size and 0 < above.y - below.y < 3 * size
    )
    return Measures(size, steps.most_common(1)[0][0] if steps else size * 1.2)


def to_paragraphs(lines: Sequence[Line], usual: Measures) -> list[Paragraph]:
    """Join the lines of one page."""
    paragraphs: list[Paragraph] = []
    right = 0.0
    for line, end in zip(lines, line_ends(lines), strict=True):
        current = paragraphs[-1] if paragraphs else None
        if current is None or _starts(current, line, usual, right):
            label = "" if line.table or line.is_mono else _label_of(line)
            paragraphs.append(Paragraph([line], label, line.is_mono))
        else:
            current.lines.append(line)
            current.is_code = current.is_code and line.is_mono
        right = end
    return paragraphs


def edges_of(lines: Sequence[Line]) -> tuple[float, float]:
    """Return how far to the left and to the right some lines reach, of which there are any."""
    return min(line.left for line in lines), max(line.right for line in lines)


def _label_of(line: Line) -> str:
    mark = _BULLET.match(line.text) or _NUMBER.match(line.text)
    return mark[1] if mark and not CAPTION.match(line.text) else ""


def _starts(current: Paragraph, line: Line, usual: Measures, right: float) -> bool:
    """Whether a line starts a paragraph of its own; `right` is how far the one above could reach."""
    above = current.lines[-1]
    if line.table or above.table or line.titled or above.titled:
        return (line.table, line.titled) != (above.table, above.titled)
    gap = above.y - line.y
    if gap < -2 * usual.step:
        # The next column, or what is drawn late: a number of a page goes on in neither.
        return _is_apart(above, line) or begins_caption(line.text) or above.text.isdigit()
    is_rest = abs(gap) < 1 and 0 <= line.left - above.right + 1 < line.size  # behind a note's mark
    if is_rest or (gap < 1.28 * usual.step and _breaks_inside(above, line)):
        return False
    both_code = current.is_code and line.is_mono
    tolerance = 0.2 if both_code else 0.08
    if _differ(above, line, tolerance) and gap > 0.3 * usual.step:
        return True
    step = max(usual.step, usual.step * line.size / usual.size)
    if gap > 1.28 * step:
        return not (both_code and gap < 2.6 * step)
    return not both_code and _starts_below(current, line, usual, right)


def _breaks_inside(above: Line, line: Line) -> bool:
    """Whether a word or an address is broken between two lines, or only its end is left."""
    if re.fullmatch(r"[.,;:!?’”)\]]{1,3}", line.text):
        return True
    hyphen = above.text.endswith((HYPHEN, "-")) and above.text[-2:-1].isalpha()
    return (hyphen and line.text[:1].islower()) or is_in_address(above.text, line.text)


def _starts_below(current: Paragraph, line: Line, usual: Measures, right: float) -> bool:
    """Whether a line of the same size, right below another, starts a paragraph."""
    above = current.lines[-1]
    if CAPTION.match(line.text) and _is_apart(above, line):
        return True
    if _label_of(line) and (current.label or _has_room(above, line, right)):
        return True
    return _ends_there(current, line, usual, right)


def _ends_there(current: Paragraph, line: Line, usual: Measures, right: float) -> bool:
    above = current.lines[-1]
    if above.size > 1.12 * usual.size:
        return False  # a heading of several lines
    if current.is_code != line.is_mono and (current.is_code or above.right < right - line.size):
        return True
    return _is_indented(current, line) or _has_room(above, line, right)


def begins_caption(text: str) -> bool:
    """Whether a line begins a caption by its signs, or has the number of one alone."""
    return bool(CAPTION.match(text) or NUMBER_OF_CAPTION.fullmatch(text))


def _is_apart(above: Line, line: Line) -> bool:
    ended = bool(_ENDS.search(above.text)) and not line.text[:1].islower()
    return ended or bool(_label_of(line)) or _differ(above, line)


def _differ(above: Line, line: Line, tolerance: float = 0.08) -> bool:
    """Whether two lines are of other sizes; an address or a name in another font makes no other."""
    apart = abs(line.size - above.size) > tolerance * above.size
    return apart and above.size not in line.sizes and line.size not in above.sizes


def _is_indented(current: Paragraph, line: Line) -> bool:
    above = current.lines[-1]
    shift = line.left - above.left
    if abs(shift) < 0.8 * line.size or abs(above.y - line.y) < 1:
        return False
    if line.text[:1].islower() and not _ENDS.search(above.text):
        return False  # what hangs under a term, or goes on after an indented first line
    if len(current.lines) == 1:
        # The second line hangs under a mark, or goes back to the margin from the first.
        return shift > 0 and not current.label
    return True


def _has_room(above: Line, line: Line, right: float) -> bool:
    """Whether the next word would have found room, so that the line above ended on purpose."""
    if above.text.endswith(HYPHEN):
        return False
    word = line.text.split(" ", 1)[0]
    width = (line.right - line.left) * (len(word) + 1) / max(1, len(line.text))
    room = right - above.right - width
    # Few books break lines before they are full, except at the end of a sentence.
    return room > (0.6 * line.size if _ENDS.search(above.text) else 0.2 * (right - line.left))


def goes_on(above: Paragraph, below: Paragraph, right: float, usual: Measures) -> bool:
    """Whether a paragraph at the top of a page ends the one at the foot of the page before.

    `right` is how far the last line of that page could reach. Titles end with their page.
    """
    last, first = above.lines[-1], below.lines[0]
    if last.table or first.table:
        are_tables = bool(last.table and first.table)
        return are_tables and _may_be_one_table(last, first) and not _is_next_of_kind(above, below)
    if above.is_code or below.is_code or below.label:
        return above.is_code and below.is_code
    is_named = above.is_caption or above.may_be_caption or below.is_caption
    if is_named or first.size > _TITLE * usual.size:
        return False
    if _differ(last, first) or first.left > last.right or _has_room(last, first, right):
        return False
    return last.text.endswith(HYPHEN) or not _ENDS.search(last.text) or first.text[:1].islower()


def _is_next_of_kind(above: Paragraph, below: Paragraph) -> bool:
    """Whether a table has the header of the one before but for a name, as accounts in two parts do."""
    one, two = (table.lines[0].text.split(_CELLS) for table in (above, below))
    both = [pair for pair in zip(one, two, strict=False) if all(map(str.strip, pair))]
    same = sum(first == second for first, second in both)
    return len(one) == len(two) and len(both) > 2 and len(both) > same >= _SAME * len(both)


def append(above: Paragraph, below: Paragraph) -> None:
    """Add what goes on overleaf; the header that a table repeats there is shown once."""
    repeats = below.is_table and below.lines[0].text == above.lines[0].text
    above.lines += below.lines[1:] if repeats else below.lines


def repeats_caption(last: Sequence[Paragraph], first: Sequence[Paragraph]) -> int:
    """Return 1 if a page begins with the caption that the table at the foot of the last one has, or 0.

    `last` are the last two paragraphs of that page, `first` is the first one of the next.
    """
    if len(last) < 2 or not first or not first[0].is_caption:
        return 0
    texts = [[line.text for line in one.lines] for one in (last[0], first[0])]
    return int(last[1].is_table and texts[0] == texts[1])


def _may_be_one_table(last: Line, first: Line) -> bool:
    """Whether rows have as many cells, or the same columns, of which the last may be empty."""
    pairs = zip(last.columns, first.columns, strict=False)
    same = len(last.columns) == len(first.columns) > 0 and all(
        abs(one - other) <= _SAME_COLUMN for one, other in pairs
    )
    return same or _columns(last) == _columns(first) or _lack_last(last, first)


def _lack_last(last: Line, first: Line) -> bool:
    """Whether the last columns of one of two rows are left out in the other, empty on its page."""
    fewer, more = sorted((last.columns, first.columns), key=len)
    width = more[-1] if more else 0.0
    pairs = zip(fewer[1:-1], more[1:], strict=False)
    is_bold = any(one.kind is MarkupKind.STRONG and one.start == 0 for one in first.markup)
    return (
        len(fewer) > _LEAST_EDGES
        and abs(last.left - first.left) <= _SAME_COLUMN
        and fewer[-1] <= width + _SAME_COLUMN
        and all(abs(one - other) <= _NEAR_EDGE * width for one, other in pairs)
        and not is_bold
    )


def _columns(row: Line) -> int:
    return row.text.count(_CELLS)


def words_of(pages: Sequence[Sequence[Line]]) -> Counter[str]:
    return Counter(
        word.lower() for lines in pages for line in lines for word in _WORD.findall(line.text)
    )


@dataclass(frozen=True)
class PagedText:
    """The text of a paragraph, the offsets in it where a new page begins, and its markup."""

    text: str
    breaks: tuple[tuple[int, int], ...] = ()
    markup: tuple[Markup, ...] = ()


def text_of(paragraph: Paragraph, known: Counter[str]) -> PagedText:
    if paragraph.is_code:
        return _code_of(paragraph)
    if paragraph.is_table:
        return _table_of(paragraph)
    settled, breaks, markup = [""], list[tuple[int, int]](), list[Markup]()
    word, before, page = "", 0, paragraph.page
    for above, line in zip([None, *paragraph.lines], paragraph.lines, strict=False):
        joined = line.text
        if above and (word or before):
            joined = word + line.text if _in_code(above, line) else _join(word, line.text, known)
        start = before + len(joined) - len(line.text)
        if line.page != page:
            page = line.page
            breaks.append((start, page))
        markup += shift(line.markup, start)
        # How the next line joins is a matter of the last word: no line is looked at twice.
        word = _last_word(joined)
        settled.append(joined[: len(joined) - len(word)])
        before += len(settled[-1])
    text = "".join([*settled, word])
    body = text[len(paragraph.label) :].lstrip()
    shift_by = len(text) - len(body)
    moved = tuple((offset - shift_by, page) for offset, page in breaks)
    body = body.rstrip().replace(HYPHEN, "-")
    return PagedText(body, moved, in_order(cut_end(cut(markup, shift_by), len(body)), body))


def _in_code(above: Line, line: Line) -> bool:
    """Whether a name in the font of code is broken between two lines, behind a sign of its own."""
    return (
        above.text.endswith((".", "_", HYPHEN))
        and any(one.kind is _CODE and one.end == len(above.text) for one in above.markup)
        and any(one.kind is _CODE and one.start == 0 for one in line.markup)
    )


def _last_word(text: str) -> str:
    """Return the last word with the space before it, cut where it is endless."""
    return text[max(len(text) - _LONGEST_WORD, text.rfind(" "), 0) :]


def _join(text: str, line: str, known: Counter[str]) -> str:
    if not text.endswith(HYPHEN):
        dashed = text.endswith("-") and text[-2:-1].isalnum() and line[:1].islower()
        slashed = text.endswith("/") and " " not in text[-2:]
        closes = not any(sign.isalnum() for sign in line[:3]) and line[:1] in ".,;:!?’”)]"
        glued = dashed or slashed or closes or is_unspaced(text, line) or is_in_address(text, line)
        return text + line if glued else f"{text} {line}"
    head, tail = _WORD.findall(text[:-1])[-1:], _WORD.match(line)
    if head and tail:
        apart, joined = f"{head[0]}-{tail[0]}".lower(), f"{head[0]}{tail[0]}".lower()
        if known[apart] > known[joined]:
            return f"{text[:-1]}-{line}"
    if keeps_hyphen(text, line):
        return f"{text[:-1]}-{line}"
    return text[:-1] + line


def _table_of(paragraph: Paragraph) -> PagedText:
    text, breaks, markup = "", [], list[Markup]()
    page = paragraph.page
    for line in paragraph.lines:
        text += "\n" * bool(text)
        if line.page != page:
            page = line.page
            breaks.append((len(text), page))
        # The first row is a header, whatever it is set in.
        shown = (one for one in line.markup if text or one.kind is not MarkupKind.STRONG)
        markup += shift(shown, len(text))
        text += line.text
    return PagedText(text, tuple(breaks), one_in_other(markup))


def _code_of(paragraph: Paragraph) -> PagedText:
    margin = min(line.left for line in paragraph.lines)
    text, breaks, goes_on = "", [], False
    page = paragraph.page
    for line in paragraph.lines:
        width = (line.right - line.left) / max(1, len(line.text))
        goes_on = goes_on or (line.is_rest and bool(text))
        indent = round((line.left - margin) / width) if width > 0 and not goes_on else 0
        text += "\n" * bool(text and not goes_on)
        if line.page != page:
            page = line.page
            breaks.append((len(text), page))
        text += " " * min(indent, 80) + line.text.replace(HYPHEN, "-")
        goes_on = line.is_broken
    # Code is shown as it stands: links can lead to it, from none of it.
    anchors = [one for line in paragraph.lines for one in line.markup if one.kind is _ANCHOR]
    return PagedText(text, tuple(breaks), tuple(one._replace(start=0, end=0) for one in anchors))
