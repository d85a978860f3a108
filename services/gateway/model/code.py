"""Code of a book and the parts of it that stand out; the structs are the JSON."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from services.gateway.model.books import End, Start


class Code(Struct, frozen=True, forbid_unknown_fields=True):
    """Code of a book with the name of its language, as a block's label has it."""

    language: Annotated[str, Meta(min_length=1, max_length=40)]
    text: Annotated[str, Meta(min_length=1, max_length=20_000)]


class CodePart(Struct, frozen=True):
    """A part of code that stands out from the rest; offsets are of its text."""

    start: Start
    end: End
    kind: Literal["comment", "keyword", "string", "number", "name"]
