"""Name the signs of TeX's fonts that a file does not name: ligatures, dashes and quotation marks.

Such fonts are drawn as pictures, and PDFium gives the number of a sign in its font for the letter.
"""

import ctypes
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.pdf.numbered_signs import named_by_number

_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
_CORK = {
    **dict(zip(range(0x1B, 0x20), _LIGATURES, strict=True)),
    0x10: "“",
    0x11: "”",
    0x12: "„",
    0x15: "–",
    0x16: "—",
}
"""The numbers in TeX's newer fonts."""
_FIRST = {
    **dict(zip(range(0x0B, 0x10), _LIGATURES, strict=True)),
    0x19: "ß",
    0x1A: "æ",
    0x1B: "œ",
    0x1C: "ø",
}
"""The numbers in its first ones."""
_ONLY_FIRST = (*range(0x0B, 0x10), 0x1A)
_NUMBERS = re.compile("[\x0b\x0c\x0e\x0f\x10-\x1f]")
_LEAST_PAIRS = 10
"""Lower-case letters that another follows, in a font of text: one of formulas has few."""


def find_unnamed(text_page: pdfium.PdfTextPage) -> Mapping[int, str]:
    """Return the letters of the signs of a page that have none of their own, by their places."""
    if not _NUMBERS.search(text_page.get_text_range()):
        return {}
    handle, count = text_page.raw, text_page.count_chars()
    codes = [raw.FPDFText_GetUnicode(handle, index) for index in range(count)]
    unmapped = [at for at in range(count) if raw.FPDFText_HasUnicodeMapError(handle, at) == 1]
    if by_number := named_by_number(codes, unmapped):
        return by_number
    unnamed = {
        index: _font_of(handle, index)
        for index in unmapped
        if codes[index] in _CORK.keys() | _FIRST.keys()
    }
    pairs = Counter(
        _font_of(handle, index)
        for index, (code, behind) in enumerate(pairwise(codes))
        if _is_lower(code) and _is_lower(behind)
    )
    of_text = {
        index: codes[index] for index, font in unnamed.items() if pairs[font] >= _LEAST_PAIRS
    }
    names = _FIRST if any(code in _ONLY_FIRST for code in of_text.values()) else _CORK
    return {index: names[code] for index, code in of_text.items() if code in names}


def _is_lower(code: int) -> bool:
    return ord("a") <= code <= ord("z")


def _font_of(handle: raw.FPDF_TEXTPAGE, index: int) -> int:
    """Return what tells the font of a character from others, 0 where there is none."""
    found = raw.FPDFText_GetTextObject(handle, index)
    font = raw.FPDFTextObj_GetFont(found) if found else None
    return ctypes.addressof(font.contents) if font else 0
