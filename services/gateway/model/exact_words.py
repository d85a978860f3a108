"""What the gateway shows of exact words in a book; the structs are the JSON."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct


@dataclass(frozen=True)
class WordsAsked:
    """Words that are looked for in an edition, 0 being the current one; `limit` 0 is the default."""

    book: str
    edition: int
    words: str
    limit: int
    cursor: str


class SectionWithWords(Struct, frozen=True):
    """A section of a document that has the words, and where it has them first."""

    document: str
    section_path: Annotated[
        list[str], Meta(description="Empty for text outside of all sections of its document.")
    ]
    count: Annotated[int, Meta(ge=1, description="Times, without its subsections.")]
    start: Annotated[int, Meta(ge=0, description="First character, in code points.")]
    end: Annotated[int, Meta(ge=0, description="One past the last character, in code points.")]
    excerpt: Annotated[
        str, Meta(description="The words with what stands around them in their line.")
    ]
    excerpt_start: Annotated[int, Meta(ge=0, description="Where the words stand in the excerpt.")]
    excerpt_end: Annotated[int, Meta(ge=0, description="One past them, in code points too.")]


class WordsFound(Struct, frozen=True):
    """How often an edition has the words, and the sections that have most of them first."""

    book: str
    edition: int
    total: Annotated[int, Meta(ge=0, description="Times in the whole edition.")]
    section_count: Annotated[int, Meta(ge=0, description="Of all sections that have them.")]
    sections: list[SectionWithWords]
    next_cursor: Annotated[str, Meta(description="`cursor` of the next page; empty on the last.")]
