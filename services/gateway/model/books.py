"""What the gateway shows of books and their documents; the structs are the JSON.

Every `start` and `end` is a half-open range of a document's canonical text, in Unicode code points.
"""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

BlockKind = Literal[
    "heading",
    "paragraph",
    "list_item",
    "table",
    "code",
    "quote",
    "footnote",
    "math",
    "admonition",
    "caption",
]
MarkupKind = Literal[
    "link",
    "emphasis",
    "strong",
    "code",
    "superscript",
    "subscript",
    "formula",
    "footnote_reference",
    "anchor",
    "alignment",
    "column_span",
    "row_span",
    "header_cell",
    "language",
    "direction",
    "page",
    "image",
    "page_label",
]

Start = Annotated[int, Meta(ge=0, description="First character, in code points.")]
End = Annotated[int, Meta(ge=0, description="One past the last character, in code points.")]
SectionPath = Annotated[
    list[str], Meta(description="Titles from the document's own down to the innermost heading.")
]
Url = Annotated[str | None, Meta(description="Link to the place on the book's own site.")]
Page = Annotated[int | None, Meta(description="Page of the source, counted from 1.")]
PageLabel = Annotated[
    str | None,
    Meta(description="What the source calls that page, where it counts otherwise: iv."),
]


class PageQuery(Struct, frozen=True):
    """Which part of a list is wanted."""

    limit: Annotated[int, Meta(ge=1, le=1000)] | None = None
    cursor: Annotated[str, Meta(max_length=2000)] = ""


class Book(Struct, frozen=True):
    """A book that can be asked."""

    slug: str
    title: str
    edition: Annotated[int, Meta(description="The edition that readers see.")]
    document_count: int
    chunk_count: int
    language: Annotated[str, Meta(description="ISO 639 code.")]
    publish_time: datetime | None
    authors: Annotated[list[str], Meta(description="As the book names them itself.")] = []
    year: Annotated[int, Meta(description="That the book says; 0 where it does not.")] = 0
    languages: Annotated[
        list[str], Meta(description="ISO 639 codes of its text, that of most text first.")
    ] = []


class DocumentSummary(Struct, frozen=True):
    """One source file of a book, without its text."""

    path: str
    title: str
    length: Annotated[int, Meta(description="Characters of the canonical text.")]
    content_hash: Annotated[str, Meta(description="SHA-256 of the source file.")]
    chunk_count: int
    depth: Annotated[int, Meta(description="Entries over it in the table of contents.")] = 0
    part_titles: Annotated[
        tuple[str, ...],
        Meta(description="Those of them that begin here and are no documents, from the top."),
    ] = ()


class Block(Struct, frozen=True):
    """A piece of a document as the reader sees it."""

    kind: BlockKind
    start: Start
    end: End
    level: Annotated[int, Meta(description="Depth of a heading or a list item; 0 otherwise.")]
    label: Annotated[str, Meta(description="List marker, language of code, type of admonition.")]
    page: Page


class Section(Struct, frozen=True):
    """A node of the heading tree."""

    path: SectionPath
    anchor: str
    level: int
    start: Start
    end: End


class Markup(Struct, frozen=True):
    """What a range of text is beside its words."""

    kind: MarkupKind
    start: Start
    end: End
    value: Annotated[
        str,
        Meta(
            description="Address of a link, name of an anchor, id of an image, what is written for a "
            "raised text."
        ),
    ]


class Image(Struct, frozen=True):
    """A picture that a document shows, at `/v1/books/{book}/images/{image_id}`."""

    image_id: Annotated[str, Meta(description="SHA-256 of its bytes in hexadecimal.")]
    media_type: str
    width: Annotated[int, Meta(ge=0, description="Pixels; 0 for a drawing that does not say it.")]
    height: Annotated[int, Meta(ge=0, description="Pixels; 0 for a drawing that does not say it.")]


class Document(Struct, frozen=True):
    """One source file of a book with its text."""

    book: str
    edition: int
    path: str
    title: str
    length: int
    content_hash: str
    chunk_count: int
    text: Annotated[str, Meta(description="The canonical text: every offset refers to it.")]
    blocks: Annotated[list[Block], Meta(description="In reading order; they do not overlap.")]
    sections: Annotated[list[Section], Meta(description="The heading tree in reading order.")]
    markup: Annotated[
        list[Markup],
        Meta(description="Links, emphasis and the like inside of blocks; outer ranges first."),
    ] = []
    images: Annotated[list[Image], Meta(description="The pictures that the markup names.")] = []
    start: Annotated[
        int, Meta(description="Where `text` begins in the document, in code points.")
    ] = 0
    next_start: Annotated[
        int | None, Meta(description="Where the next part begins; null in the last.")
    ] = None
