"""What the gateway shows of pages as they are printed; the structs are the JSON."""

from dataclasses import dataclass

from msgspec import Struct


@dataclass(frozen=True)
class PageOfDocument:
    """A page of a document, counted from 1; edition 0 means the current one."""

    book: str
    edition: int
    path: str
    number: int


class PageBox(Struct, frozen=True):
    """A part of a page, in shares of its width and height from 0 to 1."""

    left: float
    top: float
    width: float
    height: float
