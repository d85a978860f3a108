"""Decide by its bytes what a picture is, whatever its name says."""

import hashlib

from libs.errors import InvalidInput
from services.ingest.model.image import Image
from services.ingest.parsers.images.raster import read_raster
from services.ingest.parsers.images.svg import looks_like_svg, sanitise_svg

VERSION = "images 1"
"""Part of a book's fingerprint: raised whenever the same file gives another image."""

_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
_MIB = 1 << 20
_MOST_BYTES = 8 * _MIB
_MOST_DRAWING = 2 * _MIB
_MOST_PIXELS = 50_000_000
_MOST_SIDE = 16_384
"""Pixels, of which browsers make up to four bytes each, however small the file is."""
_NO_IMAGE = "its file is no PNG, JPEG, GIF, WebP, AVIF or SVG"


def is_image(path: str) -> bool:
    """Say whether a file is a picture by its name."""
    return path.lower().endswith(_ENDINGS)


def check_image(data: bytes) -> Image:
    """Return the image that the bytes are; a drawing without what could run or load anything.

    Nothing is decoded. Raises InvalidInput, with the reason as a clause, for what is no picture or is
    too large.
    """
    if not data:
        raise InvalidInput("its file is empty")
    if len(data) > _MOST_BYTES:
        raise InvalidInput(f"its file is larger than {_MOST_BYTES // _MIB} MiB")
    raster = read_raster(data)
    if raster:
        media_type, width, height = raster
    elif looks_like_svg(data):
        if len(data) > _MOST_DRAWING:
            raise InvalidInput(f"its file is larger than {_MOST_DRAWING // _MIB} MiB")
        data, width, height = sanitise_svg(data)
        media_type = "image/svg+xml"
    else:
        raise InvalidInput(_NO_IMAGE)
    if max(width, height) > _MOST_SIDE or width * height > _MOST_PIXELS:
        raise InvalidInput(f"it has {width} × {height} pixels, which is too many")
    return Image(hashlib.sha256(data).hexdigest(), media_type, width, height, data)
