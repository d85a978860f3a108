"""The bodies that come in and the envelopes that go out; the rest of the JSON is in model.py."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from services.gateway.model import (
    Book,
    DocumentSummary,
    Edition,
    IngestJob,
    SectionPath,
)

MAX_OFFSET = 2**31 - 1


def _told(**limits: object) -> Meta:
    """Return limits that are in the description, and are kept by the services: theirs are the words."""
    return Meta(extra_json_schema=limits)


Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET)]
Profile = Annotated[
    str, Meta(max_length=40, description='Name of the profile; "" means the default one.')
]


class SelectionBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Text the reader marked: a range of a document, or text to be looked for in it."""

    document: Annotated[str, Meta(min_length=1, max_length=1000)]
    start: Offset | None = None
    end: Offset | None = None
    text: Annotated[str, _told(maxLength=5000)] = ""


class MessageBody(Struct, frozen=True, forbid_unknown_fields=True):
    """One earlier message of the conversation; it needs both of its fields."""

    role: Annotated[str, _told(enum=["user", "assistant"])] | UnsetType = UNSET
    content: Annotated[str, _told(minLength=1, maxLength=4000)] | UnsetType = UNSET


class AnswerRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A question to a book. It may be empty when text is marked: "explain this passage"."""

    question: Annotated[str, _told(maxLength=4000)]
    selection: SelectionBody | None = None
    section_path: Annotated[SectionPath, Meta(max_length=32)] = []
    history: Annotated[
        list[Annotated[MessageBody, _told(required=["role", "content"])]],
        _told(maxItems=10, description="Oldest first."),
    ] = []
    profile: Profile = ""


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A question whose passages are wanted, without an answer."""

    question: Annotated[str, _told(minLength=1, maxLength=4000)]
    selection: SelectionBody | None = None
    section_path: Annotated[SectionPath, Meta(max_length=32)] = []
    max_passages: Annotated[int, Meta(ge=0, le=50, description="0 means the profile's number.")] = 0
    profile: Profile = ""


class Formula(Struct, frozen=True, forbid_unknown_fields=True):
    """A formula as a book writes it, without its dollars; `display` is one on a line of its own."""

    tex: Annotated[str, Meta(min_length=1, max_length=4000)]
    display: bool = False


class FormulasRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Formulas that are to be drawn together."""

    formulas: Annotated[list[Formula], Meta(max_length=500)]


class FormulasDrawn(Struct, frozen=True):
    """MathML of each formula, in the order they came; "" for one that is not understood."""

    mathml: list[str]


class BookList(Struct, frozen=True):
    """All books, by slug."""

    books: list[Book]


class DocumentList(Struct, frozen=True):
    """The documents of an edition in reading order."""

    book: str
    edition: int
    documents: list[DocumentSummary]


class EditionList(Struct, frozen=True):
    """The editions of a book that are kept, newest first."""

    book: str
    editions: list[Edition]


class JobEnvelope(Struct, frozen=True):
    """An ingest job as it stands."""

    job: IngestJob


class Alive(Struct, frozen=True):
    """The process answers."""

    status: Literal["alive"] = "alive"


class Readiness(Struct, frozen=True):
    """Whether questions can be answered, and which part is in the way."""

    status: Literal["ready", "not_ready"]
    parts: dict[str, Literal["serving", "not_serving"]]
