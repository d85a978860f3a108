"""Read letters for what they are: a file may say that they read otherwise, and seldom says so truly."""

import ctypes
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.invisible import HIDDEN
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces
from services.ingest.parsers.pdf.painted import MOST_MARKS, count_marks, painted

OTHERWISE = replace(
    HIDDEN, reason="the file gives it for letters that read otherwise, which are what readers see"
)

_KEY = b"ActualText"
_LONGEST = 4000
"""Bytes of what a file says of one run of letters: what is longer is not looked at, and not true."""
_MOST_FOR_A_SIGN = 4
"""Letters that one sign without a name may stand for: a ligature, or a letter with its accents."""
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e", '"'),
    }
)
_DASHES = re.compile("[\u2010-\u2015\u2212\ufffe\x02]")
_HYPHEN_IN_WORD = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_UNNAMED = re.compile("[\x00\ufffd\ue000-\uf8ff]+")
_SOFT_HYPHEN = "\u00ad"


class _Marked(NamedTuple):
    """A text object of a page, with the mark that says how it reads, and what that says."""

    item: raw.FPDF_PAGEOBJECT
    mark: int
    actual: str


def true_text_of(
    document: pdfium.PdfDocument,
    page: pdfium.PdfPage,
    index: int,
    dropped: DroppedPieces | None = None,
) -> pdfium.PdfTextPage:
    """Return the text of a page, its `index` counted from 0, as the letters say that readers see.

    PDFium gives other words where a mark says so. Those are taken that say the same of letters: a
    ligature in its parts, a word without the hyphen of a line's end, signs whose font does not name
    them. Other marks are taken off the page, and what they say is noted as left out.
    """
    marked = list(_marked(page))
    seen = _letters_seen(document, index) if marked else ()
    pairs = zip(marked, seen, strict=True)
    for (_, actual), run in groupby(pairs, key=lambda pair: (pair[0].mark, pair[0].actual)):
        held = list(run)
        if is_true_reading("".join(shown for _, shown in held), actual):
            continue
        for one, _ in held:
            _take_marks(one.item)
        if dropped:
            dropped.note(OTHERWISE, actual, sum(not sign.isspace() for sign in actual))
    return page.get_textpage()


def is_true_reading(shown: str, actual: str) -> bool:
    """Whether words say what the letters `shown` say, but for hyphens in words and forms of letters."""
    if len(actual) * 2 > _LONGEST:
        return False
    said, seen = _bare(actual), _bare(shown)
    if said == seen:
        return True
    if _UNNAMED.fullmatch(seen):
        return bool(said) and len(said) <= _MOST_FOR_A_SIGN * len(seen)
    return seen == "-" and not said and _SOFT_HYPHEN in actual


def _bare(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_SAME).replace(_SOFT_HYPHEN, "")
    dashed = _DASHES.sub("-", "".join(plain.split())).casefold()
    return _HYPHEN_IN_WORD.sub("", dashed)


def _marked(page: pdfium.PdfPage) -> Iterator[_Marked]:
    """Yield the marked objects of a page in the order in which they are painted.

    Text beyond the bounds of what is looked at is left out of the book as text on layers may be.
    """
    known: dict[int, str] = {}
    for item, _, _ in painted(page):
        is_text = raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_TEXT
        if is_text and (found := _mark_of(item, known)) is not None:
            yield _Marked(item, *found)


def _mark_of(item: raw.FPDF_PAGEOBJECT, known: dict[int, str]) -> tuple[int, str] | None:
    """Return where the innermost mark of an object is that says how it reads, and what it says.

    `known` is what marks say that were read before, by where they are, and gets what others say.
    """
    count = count_marks(item)
    for number in reversed(range(count if count <= MOST_MARKS else 0)):
        mark = raw.FPDFPageObj_GetMark(item, number)
        if not mark:
            continue
        at = ctypes.addressof(mark.contents)
        if at not in known:
            known[at] = _said_by(mark)
        if known[at]:
            return at, known[at]
    return None


def _said_by(mark: raw.FPDF_PAGEOBJECTMARK) -> str:
    """Return how a mark says that what it is around reads, "" for one that does not."""
    length = ctypes.c_ulong()
    if not raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, None, 0, length):
        return ""
    room = max(length.value, 2)
    buffer = (ctypes.c_ushort * (room // 2 + 1))()
    raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, buffer, room, length)
    # PDFium gives nothing for a soft hyphen.
    said = bytes(buffer)[: room - 2].decode("utf-16-le", "replace")
    return said.replace("\0", _SOFT_HYPHEN)


def _letters_seen(document: pdfium.PdfDocument, index: int) -> Sequence[str]:
    """Return the letters of each marked object of a page, as they are without the marks."""
    page = document[index]
    try:
        marked = list(_marked(page))
        for one in marked:
            _take_marks(one.item)
        text_page = page.get_textpage()
        letters: defaultdict[int, list[str]] = defaultdict(list)
        for at in range(text_page.count_chars()):
            item = raw.FPDFText_GetTextObject(text_page.raw, at)
            code = raw.FPDFText_GetUnicode(text_page.raw, at)
            if item:
                letters[ctypes.addressof(item.contents)].append(chr(min(code, 0x10FFFF)))
        return ["".join(letters[ctypes.addressof(one.item.contents)]) for one in marked]
    finally:
        page.close()


def _take_marks(item: raw.FPDF_PAGEOBJECT) -> None:
    """Take all marks off that say how an object reads; objects beside it may share them."""
    for number in reversed(range(max(raw.FPDFPageObj_CountMarks(item), 0))):
        mark = raw.FPDFPageObj_GetMark(item, number)
        length = ctypes.c_ulong()
        if mark and raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, None, 0, length):
            raw.FPDFPageObj_RemoveMark(item, mark)
