"""Name what lies on a page and is no part of its text: notes, fields of forms, films."""

import ctypes
from itertools import islice

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, left_out

_KINDS = {
    **dict.fromkeys((raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_CARET), "note"),
    **dict.fromkeys((raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE), "note"),
    **dict.fromkeys((raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT), "note"),
    **dict.fromkeys((raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_INK), "note"),
    raw.FPDF_ANNOT_FILEATTACHMENT: "attached file",
    raw.FPDF_ANNOT_SOUND: "sound",
    **dict.fromkeys((raw.FPDF_ANNOT_MOVIE, raw.FPDF_ANNOT_RICHMEDIA), "film"),
    **dict.fromkeys((raw.FPDF_ANNOT_SCREEN, raw.FPDF_ANNOT_THREED), "film"),
    **dict.fromkeys((raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_XFAWIDGET), "field of a form"),
}
_WHAT = {
    kind: left_out(kind, "it lies on the page and is no part of its text")
    for kind in dict.fromkeys(_KINDS.values())
}
_MOST = 2000
_LONGEST = 400
_CONTENTS = b"Contents"


def tell_annotations(page: pdfium.PdfPage, dropped: DroppedPieces) -> None:
    """Note the annotations of a page but its links; `dropped` gets what they say."""
    for index in islice(range(raw.FPDFPage_GetAnnotCount(page.raw)), _MOST):
        found = raw.FPDFPage_GetAnnot(page.raw, index)
        if not found:
            continue
        try:
            kind = _KINDS.get(raw.FPDFAnnot_GetSubtype(found))
            if kind:
                words = _contents_of(found)
                dropped.note(_WHAT[kind], words, len("".join(words.split())))
        finally:
            raw.FPDFPage_CloseAnnot(found)


def _contents_of(annotation: raw.FPDF_ANNOTATION) -> str:
    buffer = (ctypes.c_ushort * _LONGEST)()
    length = raw.FPDFAnnot_GetStringValue(annotation, _CONTENTS, buffer, ctypes.sizeof(buffer))
    if not 2 < length <= ctypes.sizeof(buffer):
        return ""
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace")
