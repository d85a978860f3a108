"""Find the links of a page, and the places in the file that they lead to."""

import ctypes
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import UNSAFE_LINK
from services.ingest.parsers.markup import is_safe
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, changed, left_out
from services.ingest.parsers.pdf.line import HYPHEN, Sign

_MOST = 2000
"""Links of a page; one with more is no text with links."""
_BAND = 8.0
_MOST_BANDS = 64
_MOST_IN_BAND = 40
_LONGEST_ADDRESS = 2000

_NOWHERE = changed("link", "it leads nowhere in this file")
_ELSEWHERE = changed("link", "it leads to another file")
_ENDLESS = changed("link", f"its address is longer than {_LONGEST_ADDRESS} characters")
_WITHOUT_TEXT = left_out("link", "no text stands in its box, as on a picture")
_TOO_MANY = changed("link", f"its page has {_MOST} links before it")
_ACTIONS = {
    raw.PDFACTION_REMOTEGOTO: _ELSEWHERE,
    raw.PDFACTION_LAUNCH: _ELSEWHERE,
    raw.PDFACTION_EMBEDDEDGOTO: _ELSEWHERE,
}


@dataclass
class _Link:
    """A link of a page: where it leads to or why it can't be kept, and the words it stands on."""

    target: str
    lost: DroppedContent | None = None
    words: list[str] = field(default_factory=list)


Box = tuple[float, float, float, float, _Link]
"""Left, lower, right and upper edge in points, and the link that it is a line of."""


def name_of(page: int, height: float | None) -> str:
    """Return the name of a place on a page, which links to it have behind their "#"."""
    return f"page-{page}" if height is None else f"page-{page}-{round(height)}"


class PageLinks:
    """The links of a page by the height that they stand at."""

    def __init__(self, document: pdfium.PdfDocument, page: pdfium.PdfPage) -> None:
        self._bands: dict[int, list[Box]] = defaultdict(list)
        self._links: list[_Link] = []
        for link, boxes in _read_links(document, page):
            self._links.append(link)
            for left, bottom, right, top in boxes:
                self._place((left, bottom, right, top, link))

    def _place(self, box: Box) -> None:
        low, high = int(box[1] // _BAND), int(box[3] // _BAND)
        if high - low < _MOST_BANDS:
            for band in range(low, high + 1):
                if len(self._bands[band]) < _MOST_IN_BAND:
                    self._bands[band].append(box)

    def along(self, signs: Sequence[Sign]) -> Iterator[tuple[int, str]]:
        """Yield the place in a line of each character that is part of a link, and its target."""
        if not self._bands:
            return
        for at, (sign, left, right, bottom, top, _) in enumerate(signs):
            if sign == HYPHEN:
                continue  # it may go with the line break
            x, y = (left + right) / 2, (bottom + top) / 2
            for start, low, end, high, link in self._bands.get(int(y // _BAND), ()):
                if start <= x <= end and low <= y <= high:
                    link.words.append(sign)
                    if not link.lost:
                        yield at, link.target
                    break

    def tell(self, dropped: DroppedPieces) -> None:
        """Note the links that are in no text, once the lines of the page have been read."""
        for link in self._links:
            words = "".join(link.words)
            if link.lost:
                dropped.note(link.lost, words or link.target)
            elif not words.strip():
                dropped.note(_WITHOUT_TEXT, link.target.removeprefix("#"))


def _read_links(
    document: pdfium.PdfDocument, page: pdfium.PdfPage
) -> Iterator[tuple[_Link, list[tuple[float, float, float, float]]]]:
    position = ctypes.c_int(0)
    link = raw.FPDF_LINK()
    for _ in range(_MOST):
        if not raw.FPDFLink_Enumerate(page.raw, position, link):
            return
        yield _target_of(document, link), list(_boxes_of(link))
    if raw.FPDFLink_Enumerate(page.raw, position, link):
        yield _Link("", _TOO_MANY), []


def _boxes_of(link: raw.FPDF_LINK) -> Iterator[tuple[float, float, float, float]]:
    """Yield the boxes of a link: of each of its lines where the file says so."""
    quads = min(raw.FPDFLink_CountQuadPoints(link), _MOST_IN_BAND)
    quad = raw.FS_QUADPOINTSF()
    for number in range(quads):
        if raw.FPDFLink_GetQuadPoints(link, number, quad):
            across = (quad.x1, quad.x2, quad.x3, quad.x4)
            up = (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(across), min(up), max(across), max(up)
    box = raw.FS_RECTF()
    if not quads and raw.FPDFLink_GetAnnotRect(link, box):
        low, high = sorted((box.bottom, box.top))
        yield min(box.left, box.right), low, max(box.left, box.right), high


def _target_of(document: pdfium.PdfDocument, link: raw.FPDF_LINK) -> _Link:
    """Return what leads to an address, or to "#" and a place in the file."""
    place = raw.FPDFLink_GetDest(document.raw, link)
    action = None if place else raw.FPDFLink_GetAction(link)
    kind = raw.FPDFAction_GetType(action) if action else raw.PDFACTION_UNSUPPORTED
    if kind == raw.PDFACTION_URI:
        return _address_of(document, action)
    if kind == raw.PDFACTION_GOTO:
        place = raw.FPDFAction_GetDest(document.raw, action)
    target = _place_of(document, place) if place else ""
    return _Link(target) if target else _Link("", _ACTIONS.get(kind, _NOWHERE))


def _address_of(document: pdfium.PdfDocument, action: raw.FPDF_ACTION) -> _Link:
    address = ctypes.create_string_buffer(_LONGEST_ADDRESS)
    length = raw.FPDFAction_GetURIPath(document.raw, action, address, _LONGEST_ADDRESS)
    shown = address.value.decode("utf-8", "replace").strip()
    if length > _LONGEST_ADDRESS:
        return _Link("", _ENDLESS)
    if not is_safe(shown):
        return _Link(shown, UNSAFE_LINK)
    return _Link(shown, None if shown else _NOWHERE)


def _place_of(document: pdfium.PdfDocument, place: raw.FPDF_DEST) -> str:
    index = raw.FPDFDest_GetDestPageIndex(document.raw, place)
    if index < 0:
        return ""
    has_x, has_y, has_zoom = raw.FPDF_BOOL(), raw.FPDF_BOOL(), raw.FPDF_BOOL()
    x, y, zoom = raw.FS_FLOAT(), raw.FS_FLOAT(), raw.FS_FLOAT()
    known = raw.FPDFDest_GetLocationInPage(place, has_x, has_y, has_zoom, x, y, zoom)
    return "#" + name_of(index + 1, y.value if known and has_y.value else None)
