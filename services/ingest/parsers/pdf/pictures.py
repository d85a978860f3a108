"""Find the pictures that stand beside the text of a page, and draw them."""

import ctypes
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import pypdfium2 as pdfium
from pypdfium2 import raw

from services.ingest.parsers.heartbeat import beat
from services.ingest.parsers.pdf.dropped_pieces import DroppedPieces, left_out
from services.ingest.parsers.pdf.line import Line
from services.ingest.parsers.pdf.png import png_of

Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge in points from the lower left corner of a page."""

REPEATED = "it repeats from page to page"
UNDER_TEXT = "text stands on it"
NO_ROOM = "the pictures before it take all the room that one document has for them"

_LEAST_SIDE = 18.0
"""Points, a quarter of an inch: the shorter side of what is more than a mark or a line."""
_MARK = 72.0
"""Points, an inch: the longer side of what may be the mark of a note."""
_WHOLE_PAGE = 0.8
"""Share of a page from which on an image is the page itself."""
_TOUCHING = 1.0
_SMALL = left_out("picture", "it is smaller than a quarter of an inch, as marks are")
_GROUND = left_out("picture", "it covers the whole page, and text stands on it")
_REPEATS = 3
_MOST_TEXT = 300
"""Characters on a picture, as the labels of a drawing have; more stand on a ground."""
_MOST_ON_PAGE = 200
_TOO_MANY = left_out("picture", f"its page has {_MOST_ON_PAGE} before it")
_MOST_DRAWN = 2000
_MOST_BYTES = 64 << 20
_DOTS_PER_POINT = (1.0, 2.0)
_MOST_SIDE = 1600
_DEPTH = 3
_JPEG = ["DCTDecode"]
_PLAIN_COLOURS = frozenset(
    (
        *((raw.FPDF_COLORSPACE_DEVICERGB, 24), (raw.FPDF_COLORSPACE_DEVICEGRAY, 8)),
        *((raw.FPDF_COLORSPACE_ICCBASED, 24), (raw.FPDF_COLORSPACE_ICCBASED, 8)),
    )
)
"""Spaces of colours, with the bits of a pixel, that every browser shows as they are."""


@dataclass(frozen=True)
class Picture:
    """A part of a page, counted from 1 as its pictures are, and the file that shows it.

    `look` is the same for what looks the same; `reason` says why there is no file.
    """

    page: int
    number: int
    box: Box
    look: tuple[int, ...] = ()
    data: bytes = field(default=b"", repr=False)
    reason: str = ""

    @property
    def name(self) -> str:
        """What the document's markup calls it."""
        return f"page-{self.page}-picture-{self.number}"


@dataclass
class _Region:
    """Images that touch one another: many files cut a picture into strips."""

    box: Box
    images: list[pdfium.PdfImage]


def has_image(page: pdfium.PdfPage) -> bool:
    """Whether a page shows any image at all, as one that was scanned does."""
    return next(_images(page), None) is not None


def find_pictures(page: pdfium.PdfPage, number: int, lines: Sequence[Line]) -> list[Picture]:
    """Return the pictures of page `number` without their files; `lines` is its text."""
    found = []
    for at, region in enumerate(_regions(page), start=1):
        reason = UNDER_TEXT if text_on(region.box, lines) > _MOST_TEXT else ""
        found.append(Picture(number, at, region.box, _look_of(region), reason=reason))
    return found


def tell_unkept(page: pdfium.PdfPage, dropped: DroppedPieces) -> None:
    """Note the images of a page that are no pictures to us."""
    images = list(islice(_images(page), _MOST_ON_PAGE + 1))
    if len(images) > _MOST_ON_PAGE:
        dropped.note(_TOO_MANY)
    boxes = [box for image in images[:_MOST_ON_PAGE] if (box := _box_of(image, page))]
    grounds = [box for box in boxes if _is_page(box, page)]
    for left, bottom, right, top in join_boxes([box for box in boxes if box not in grounds]):
        if min(right - left, top - bottom) < _LEAST_SIDE:
            dropped.note(_SMALL)
    if grounds:
        dropped.note(_GROUND)


def draw_pictures(document: pdfium.PdfDocument, found: Sequence[Picture]) -> list[Picture]:
    """Return the pictures with their files, or with the reason why there is none."""
    repeated = _repeated(found)
    wanted: dict[int, list[Picture]] = defaultdict(list)
    for picture in found:
        if not picture.reason and picture.look not in repeated:
            wanted[picture.page].append(picture)
    files: dict[str, bytes] = {}
    room = _MOST_BYTES
    for number, pictures in wanted.items():
        if room <= 0 or len(files) >= _MOST_DRAWN:
            break
        page = document[number - 1]
        try:
            regions = list(_regions(page))
            for picture in pictures:
                files[picture.name] = _draw(page, regions[picture.number - 1])
                room -= len(files[picture.name])
                beat()
        finally:
            page.close()
    return [_settled(picture, files, repeated) for picture in found]


def _settled(picture: Picture, files: dict[str, bytes], repeated: set[tuple[int, ...]]) -> Picture:
    data = files.get(picture.name, b"")
    reason = REPEATED if picture.look in repeated else NO_ROOM
    return replace(picture, data=data, reason="" if data else picture.reason or reason)


def _repeated(found: Iterable[Picture]) -> set[tuple[int, ...]]:
    """Return the looks of what stands at the edge of pages or marks a kind of paragraph."""
    places: dict[tuple[int, ...], Counter[tuple[int, ...]]] = defaultdict(Counter)
    sides: dict[tuple[int, ...], float] = {}
    for picture in found:
        left, bottom, right, top = picture.box
        places[picture.look][round(left), round(bottom)] += 1
        sides[picture.look] = max(right - left, top - bottom)
    return {
        look
        for look, counts in places.items()
        if max(counts.values()) >= _REPEATS or (counts.total() >= _REPEATS and sides[look] <= _MARK)
    }


def _look_of(region: _Region) -> tuple[int, ...]:
    left, bottom, right, top = region.box
    sizes = [
        part
        for image in region.images
        for part in (*image.get_px_size(), raw.FPDFImageObj_GetImageDataRaw(image.raw, None, 0))
    ]
    return (round(right - left), round(top - bottom), *sizes)


def text_on(box: Box, lines: Sequence[Line]) -> int:
    """Return how many characters stand on a part of a page."""
    left, bottom, right, top = box
    return sum(
        len(line.text)
        for line in lines
        if bottom < line.y + line.size / 2 < top and left < (line.left + line.right) / 2 < right
    )


def _regions(page: pdfium.PdfPage) -> Iterator[_Region]:
    """Yield what shows pictures: no marks or lines, and no scan below the text of its page."""
    placed = [
        _Region(box, [image])
        for image in islice(_images(page), _MOST_ON_PAGE)
        if (box := _box_of(image, page)) and not _is_page(box, page)
    ]
    for region in sorted(_joined(placed), key=lambda region: (-region.box[3], region.box[0])):
        left, bottom, right, top = region.box
        if min(right - left, top - bottom) >= _LEAST_SIDE and not _is_page(region.box, page):
            yield region


def _is_page(box: Box, page: pdfium.PdfPage) -> bool:
    """Whether an image is the page itself, below the text that was read of it."""
    width, height = page.get_size()
    return bool((box[2] - box[0]) * (box[3] - box[1]) >= _WHOLE_PAGE * width * height)


def _images(page: pdfium.PdfPage) -> Iterator[pdfium.PdfImage]:
    yield from page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=_DEPTH)


def _joined(placed: Sequence[_Region]) -> list[_Region]:
    joined: list[_Region] = []
    for new in placed:
        whole = new
        apart = []
        for one in joined:
            if _touch(one.box, whole.box):
                whole = _Region(_around(one.box, whole.box), [*one.images, *whole.images])
            else:
                apart.append(one)
        joined = [*apart, whole]
    return joined


def join_boxes(boxes: Iterable[Box]) -> list[Box]:
    """Return what encloses those parts of a page that touch one another."""
    return [region.box for region in _joined([_Region(box, []) for box in boxes])]


def _touch(one: Box, other: Box) -> bool:
    return (
        one[0] <= other[2] + _TOUCHING
        and other[0] <= one[2] + _TOUCHING
        and one[1] <= other[3] + _TOUCHING
        and other[1] <= one[3] + _TOUCHING
    )


def _around(one: Box, other: Box) -> Box:
    low, high = map(min, one[:2], other[:2]), map(max, one[2:], other[2:])
    left, bottom, right, top = (*low, *high)
    return left, bottom, right, top


def _within(one: Box, other: Box) -> Box | None:
    """Return what two boxes share."""
    low, high = map(max, one[:2], other[:2]), map(min, one[2:], other[2:])
    left, bottom, right, top = (*low, *high)
    return (left, bottom, right, top) if left < right and bottom < top else None


def _box_of(image: pdfium.PdfImage, page: pdfium.PdfPage) -> Box | None:
    """Return the part of a page that an image covers, None for one that is not seen."""
    matrix = matrix_of(image)
    if matrix is None:
        return None
    box = _within(matrix.on_rect(0, 0, 1, 1), page.get_bbox())
    clip = None if image.container else clip_of(image.raw)
    return _within(box, clip) if box and clip else box


def matrix_of(image: pdfium.PdfObject) -> pdfium.PdfMatrix | None:
    """Return what puts the unit square where an image is; None for one that stands nowhere."""
    try:
        matrix = image.get_matrix()
        around = image.container
        while around is not None:
            matrix = matrix.multiply(around.get_matrix())
            around = around.container
    except pdfium.PdfiumError:
        return None
    return matrix


def clip_of(item: raw.FPDF_PAGEOBJECT) -> Box | None:
    """Return what something on a page is cut to; None where it is not."""
    clip = raw.FPDFPageObj_GetClipPath(item)
    box: Box | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for path in range(max(raw.FPDFClipPath_CountPaths(clip), 0) if clip else 0):
        points = []
        for at in range(min(raw.FPDFClipPath_CountPathSegments(clip, path), _MOST_ON_PAGE)):
            segment = raw.FPDFClipPath_GetPathSegment(clip, path, at)
            if raw.FPDFPathSegment_GetPoint(segment, x, y):
                points.append((x.value, y.value))
        if points:
            across, up = zip(*points, strict=True)
            one = (min(across), min(up), max(across), max(up))
            box = (_within(box, one) or one) if box else one
    return box


def _draw(page: pdfium.PdfPage, region: _Region) -> bytes:
    if len(region.images) == 1 and (whole := _jpeg_of(region.images[0], region.box)):
        return whole
    left, bottom, right, top = region.box
    finest = max(
        image.get_px_size()[0] / max(_width_of(image), _TOUCHING) for image in region.images
    )
    least, most = _DOTS_PER_POINT
    scale = min(max(finest, least), most, _MOST_SIDE / max(right - left, top - bottom))
    width, height = (round(side * scale) for side in page.get_size())
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for across, up in ((left, bottom), (right, top)):
        raw.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, across, up, x, y)
        corners.append((x.value, y.value))
    (x0, x1), (y0, y1) = (sorted(pair) for pair in zip(*corners, strict=True))
    crop = (x0 / scale, (height - y1) / scale, (width - x1) / scale, y0 / scale)
    crop = tuple(max(edge, 0.0) for edge in crop)
    return png_of(page.render(scale=scale, crop=crop, rev_byteorder=True, prefer_bgrx=False))


def _width_of(image: pdfium.PdfImage) -> float:
    matrix = matrix_of(image)
    left, _, right, _ = matrix.on_rect(0, 0, 1, 1) if matrix else (0.0, 0.0, 0.0, 0.0)
    return float(right - left)


def _jpeg_of(image: pdfium.PdfImage, box: Box) -> bytes:
    """Return the file of a photograph that is shown as it is; b"" for any other image."""
    matrix = matrix_of(image)
    if matrix is None or image.get_filters() != _JPEG or raw.FPDFPageObj_HasTransparency(image.raw):
        return b""
    a, b, c, d, _, _ = matrix.get()
    is_upright = a > 0 and d > 0 and abs(b) + abs(c) < _TOUCHING
    whole = matrix.on_rect(0, 0, 1, 1)
    is_cut = any(abs(edge - shown) > _TOUCHING for edge, shown in zip(whole, box, strict=True))
    known = image.get_metadata()
    is_plain = (known.colorspace, known.bits_per_pixel) in _PLAIN_COLOURS
    return bytes(image.get_data()) if is_upright and not is_cut and is_plain else b""
