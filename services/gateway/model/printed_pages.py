"""What the gateway shows of pages and formulas as they are printed; the structs are the JSON."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct


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


class Formula(Struct, frozen=True, forbid_unknown_fields=True):
    """A formula as a book writes it, without its dollars; `display` is one on a line of its own."""

    tex: Annotated[str, Meta(min_length=1, max_length=4000)]
    display: bool = False
