"""Pictures of a book, and which of them a document shows."""

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Image:
    """A picture as served: the id is its SHA-256, the size in pixels 0 if a drawing has none."""

    image_id: str
    media_type: str
    width: int
    height: int
    data: bytes = field(default=b"", repr=False)


class UsedImage(NamedTuple):
    """A picture that a document shows: its file in the source and that file's digest, and the image.

    Of one inside of the document's own file the first two are "", of a missing file the last two.
    """

    path: str
    digest: str
    image_id: str
