"""Find the style of the characters of a page: bold, italic, code, or part of a link."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sin
from string import ascii_letters, digits, punctuation
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.model.book import MarkupKind
from services.ingest.parsers.dropped import FORMULA
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, changed
from services.ingest.parsers.pdf.layers import Draws
from services.ingest.parsers.pdf.line import HYPHEN, Sign, Traits
from services.ingest.parsers.pdf.links import PageLinks
from services.ingest.parsers.pdf.unseen import OCR_LAYER, OUTSIDE, RUNS_OVER, UnseenText

_FIXED_PITCH = 1
_SLANTED = 1 << 6
_FORCED_BOLD = 1 << 18
_MONO = re.compile("mono|courier|consol|typewriter|cmtt|menlo|code")
RAISED = (MarkupKind.SUPERSCRIPT, "")
_SMALL, _HIGH = 0.8, 0.15
"""Of the height of most of a line: what is smaller, and stands so far above it, is raised."""
_NARROW, _WIDE = "ijl.,:;'!|", "mwMW@%"
_LEAST_NARROW, _LEAST_WIDE = 3, 2
"""Letters of each that must be known: a font of a few signs may have one width by chance."""
_ABOUT, _MOST_WIDTHS = -1, 2
"""Of a font of one width: to tens its letters are as wide, or all that it lacks have another."""
_NO_LETTER = "\ue000"
"""Of Unicode's private use: as wide as what a font lacks."""
_ALL_SIGNS = ascii_letters + digits + punctuation
_FULL_WIDTH = 1000
"""Thousandths of its height: as wide as Chinese characters are, and what has no width of its own."""
_BOLD = re.compile(r"bold|black|heavy|demi|cmb\d|cmbx|sfbx|nimbus.*-medi")
"""The Nimbus fonts, which TeX has for Times and Helvetica, call what is bold medium."""
_SLANT = re.compile("ital|obliq|slant|cmti|cmsl")
_MATH = re.compile(r"cmmi|cmsy|cmex|msam|msbm|math|(?:lm|nx|tx|px)(?:mi|sy|ex)")
_EUROS, _EURO = re.compile(r"(?:^|[-+])fey[bm][ro]\d"), "€"
"""The fonts of TeX's eurosym have that sign alone, in the places of a few letters."""
_NAME_BYTES = 128
_LOW = 0.1
"""Of the height of most of a line: what is smaller, and stands so far below it, is lowered."""
_NEAR = 24
_SLOPE = 0.5
"""Of a line that runs up more than along."""
_LEAST_FORMULA = 3
"""Signs in a font of formulas that make a line one."""
_LOWERED = changed("lowered text", "it stands in the line")


class PageTraits:
    """Knows the fonts and the links of a page."""

    def __init__(
        self,
        document: pdfium.PdfDocument,
        page: pdfium.PdfPage,
        text_page: pdfium.PdfTextPage,
        dropped: DroppedPieces,
        draws: Draws,
    ) -> None:
        self._handle = text_page.raw
        self._links = PageLinks(document, page)
        self._fonts: dict[int, _Look] = {}
        self._objects: dict[int, _Look] = {}
        self._texts: dict[int, raw.FPDF_PAGEOBJECT] = {}
        self._dropped = dropped
        self._unseen = UnseenText(page, draws)

    def apply(self, signs: list[Sign], indices: Sequence[int]) -> list[list[Sign]]:
        """Give the characters of a line their traits; `indices` are their numbers on the page.

        PDFium may add what runs up or down to the line beside which it begins: that is one of its own.
        """
        seen = _seen_in(signs)
        runs = list(self._runs(seen, indices, 0, len(seen) - 1))
        if gone := self._note_unseen(signs, seen, runs):
            kept = [at for at in range(len(signs)) if at not in gone]
            signs, indices = [signs[at] for at in kept], [indices[at] for at in kept]
            seen = _seen_in(signs)
            runs = list(self._runs(seen, indices, 0, len(seen) - 1))
        if not seen:
            return [signs]
        formula: list[str] = []
        for first, last, (_, look) in runs:
            formula += [signs[at][0] for at in seen[first : last + 1]] if look.is_math else ()
            if look.traits:
                for at in seen[first : last + 1]:
                    signs[at] = (*signs[at][:5], look.traits)
            if look.is_euro:
                for at in seen[first : last + 1]:
                    signs[at] = (_EURO, *signs[at][1:])
        self._tell_formula("".join(formula), signs)
        self._move(signs, seen, indices)
        for at, link in self._links.along(signs):
            signs[at] = (*signs[at][:5], (*signs[at][5], (MarkupKind.LINK, link)))
        cuts = [
            seen[one[0]]
            for before, one in pairwise(runs)
            if before[2][1].is_turned != one[2][1].is_turned
        ]
        return [signs[start:end] for start, end in pairwise([0, *cuts, len(signs)])]

    def _note_unseen(
        self, signs: Sequence[Sign], seen: Sequence[int], runs: Sequence["_Run"]
    ) -> set[int]:
        """Return the places of the characters that nobody sees, and note them."""
        gone: set[int] = set()
        for first, last, (number, _) in runs:
            letters = [signs[at] for at in seen[first : last + 1]]
            why = self._unseen.reason(self._texts[number], letters) if number else None
            if why is OUTSIDE and first and seen[first - 1] not in gone:
                before = signs[seen[first - 1]]
                why = RUNS_OVER if self._unseen.runs_over(before, letters) else why
            if why:
                words = "".join(sign[0] for sign in signs[seen[first] : seen[last] + 1])
                self._dropped.note(why, words, len(letters))
            if why and why.dropped:
                gone.update(range(seen[first], seen[last] + 1))
        return gone

    def tell(self) -> None:
        """Note what is lost of the links, and where text comes from, once all lines have been read."""
        self._links.tell(self._dropped)
        if self._unseen.is_ocr_layer:
            self._dropped.note(OCR_LAYER)

    def _tell_formula(self, letters: str, signs: Sequence[Sign]) -> None:
        """Note the formula of a line; a letter alone has lost nothing by standing in it."""
        if len(letters) >= _LEAST_FORMULA and any(letter.isalpha() for letter in letters):
            self._dropped.note(FORMULA, "".join(sign[0] for sign in signs))

    def _move(self, signs: list[Sign], seen: Sequence[int], indices: Sequence[int]) -> None:
        """Mark small characters that stand above the line, whatever their font; note those below."""
        heights = [round(signs[at][4] - signs[at][3], 1) for at in seen]
        usual = Counter(heights).most_common(1)[0][0]
        small = [at for at, high in zip(seen, heights, strict=True) if high < _SMALL * usual]
        small = [at for at in small if not self._runs_up(indices[at])]
        if not small:
            return
        line = self._height(indices[seen[heights.index(usual)]])
        lowered: list[int] = []
        for at in small:
            above = self._height(indices[at]) - line
            if above > _HIGH * usual:
                signs[at] = (*signs[at][:5], (*signs[at][5], RAISED))
            elif above < -_LOW * usual and signs[at][0].isalnum():
                lowered.append(at)
        if lowered:
            words = "".join(sign[0] for sign in signs[max(0, lowered[0] - _NEAR) : lowered[-1] + 1])
            self._dropped.note(_LOWERED, words, len(lowered))

    def _runs_up(self, index: int) -> bool:
        """Whether a letter is of a line that runs up or down, where it is as high as it is wide."""
        return abs(sin(raw.FPDFText_GetCharAngle(self._handle, index))) > _SLOPE

    def _height(self, index: int) -> float:
        """Return how high the line is that a character stands on."""
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(self._handle, index, x, y)
        return y.value

    def _runs(
        self, seen: Sequence[int], indices: Sequence[int], first: int, last: int
    ) -> Iterator["_Run"]:
        """Yield runs of one text object and its look. What begins and ends in one lies in it."""
        if last < first:
            return
        start, end = (self._object(indices[seen[at]]) for at in (first, last))
        if start[0] == end[0]:
            yield first, last, start
        elif last - first == 1:
            yield first, first, start
            yield last, last, end
        else:
            middle = (first + last) // 2
            yield from self._runs(seen, indices, first, middle)
            yield from self._runs(seen, indices, middle + 1, last)

    def _object(self, index: int) -> tuple[int, "_Look"]:
        found = raw.FPDFText_GetTextObject(self._handle, index)
        if not found:
            return 0, _PLAIN
        address = ctypes.addressof(found.contents)
        if address not in self._objects:
            look = self._look(found)
            self._objects[address] = look._replace(is_turned=self._runs_up(index))
            self._texts[address] = found
        return address, self._objects[address]

    def _look(self, found: raw.FPDF_PAGEOBJECT) -> "_Look":
        font = raw.FPDFTextObj_GetFont(found)
        if not font:
            return _PLAIN
        address = ctypes.addressof(font.contents)
        if address not in self._fonts:
            self._fonts[address] = _look_of(font)
        look, strong = self._fonts[address], (MarkupKind.STRONG, "")
        if strong not in look.traits and _is_traced(found):
            return look._replace(traits=(*look.traits, strong))
        return look


class _Look(NamedTuple):
    """What a font makes of its letters, whether it is one of formulas or of the euro, and whether it
    runs up."""

    traits: Traits = ()
    is_math: bool = False
    is_euro: bool = False
    is_turned: bool = False


_PLAIN = _Look()
_Run = tuple[int, int, tuple[int, _Look]]
"""The first and the last of the characters of one text object, its address and its look."""


def _seen_in(signs: Sequence[Sign]) -> list[int]:
    """Return the places of the characters that are no space."""
    return [at for at, sign in enumerate(signs) if sign[0].strip() and sign[0] != HYPHEN]


def _look_of(font: raw.FPDF_FONT) -> _Look:
    name = ctypes.create_string_buffer(_NAME_BYTES)
    raw.FPDFFont_GetBaseFontName(font, name, _NAME_BYTES)
    shown, flags = name.value.decode("latin-1").lower(), raw.FPDFFont_GetFlags(font)
    # Files of FOP say so of fonts whose letters differ.
    is_fixed = flags & _FIXED_PITCH and not _has_widths(font)
    is_mono = is_fixed or _MONO.search(shown) or _has_one_width(font)
    looks = (
        (MarkupKind.CODE, is_mono),
        (MarkupKind.EMPHASIS, flags & _SLANTED or _SLANT.search(shown)),
        (MarkupKind.STRONG, flags & _FORCED_BOLD or _BOLD.search(shown)),
    )
    traits = tuple((kind, "") for kind, is_so in looks if is_so)
    is_math, is_euro = bool(_MATH.search(shown)), bool(_EUROS.search(shown))
    return _Look(traits, is_math=is_math, is_euro=is_euro)


def _is_traced(found: raw.FPDF_PAGEOBJECT) -> bool:
    """Whether letters are filled and traced in one colour: so Word makes bold what no font has so."""
    if raw.FPDFTextObj_GetTextRenderMode(found) != raw.FPDF_TEXTRENDERMODE_FILL_STROKE:
        return False
    colours = [tuple(ctypes.c_uint() for _ in range(4)) for _ in range(2)]
    known = raw.FPDFPageObj_GetFillColor(found, *colours[0])
    known = known and raw.FPDFPageObj_GetStrokeColor(found, *colours[1])
    fill, traced = ([one.value for one in colour] for colour in colours)
    return bool(known) and fill == traced


def _has_one_width(font: raw.FPDF_FONT) -> bool:
    """Whether the narrow letters of a font are as wide as its wide ones, whatever its name says."""
    narrow, wide = _widths_of(font, _NARROW), _widths_of(font, _WIDE)
    is_known = len(narrow) >= _LEAST_NARROW and len(wide) >= _LEAST_WIDE
    if not is_known or len({*narrow, *wide}) != 1 or _FULL_WIDTH in narrow:
        return False
    if narrow[0] not in _widths_of(font, _NO_LETTER):
        return True
    # A font of a title's few letters gives all that it lacks the width of its sign for these.
    return len({round(width, _ABOUT) for width in _widths_of(font, _ALL_SIGNS)}) == 1


def _has_widths(font: raw.FPDF_FONT) -> bool:
    """Whether the letters of a font have several widths, beside the one of those that it lacks."""
    widths = {round(width, _ABOUT) for width in _widths_of(font, ascii_letters)}
    return len(widths) > _MOST_WIDTHS


def _widths_of(font: raw.FPDF_FONT, letters: str) -> list[int]:
    """Return how wide the letters are that a font has, in thousandths of the height."""
    width = ctypes.c_float()
    return [
        round(width.value)
        for letter in letters
        if raw.FPDFFont_GetGlyphWidth(font, ord(letter), _FULL_WIDTH, width) and width.value > 0
    ]
