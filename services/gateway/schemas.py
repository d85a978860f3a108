"""The bodies of requests and the envelopes of responses; the rest of the JSON is in model.py."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from libs.errors import InvalidInput
from services.gateway.keys import (
    CLIENT_PATTERN,
    RATE_PER_MINUTE,
    SCOPES,
    SITE_RATE_PER_MINUTE,
    ClientKey,
    Grant,
    Scope,
)
from services.gateway.model.books import Book, DocumentSummary
from services.gateway.model.code import Code, CodePart
from services.gateway.model.formulas import Formula
from services.gateway.model.ingests import DocumentIndexState, Edition, IndexState, IngestJob
from services.gateway.model.printed_pages import PageBox
from services.gateway.settings import read_origin

MAX_OFFSET = 2**31 - 1
SLUG_PATTERN = "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"


def _json_schema(**limits: object) -> Meta:
    """Return limits that are in the description, and are kept by the services: theirs are the words."""
    return Meta(extra_json_schema=limits)


Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET)]
Profile = Annotated[
    str, Meta(max_length=40, description='Name of the profile; "" means the default one.')
]


class SelectionBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Text the reader selected: a range of a document, or text to be looked for in it."""

    document: Annotated[str, Meta(min_length=1, max_length=1000)]
    start: Offset | None = None
    end: Offset | None = None
    text: Annotated[str, _json_schema(maxLength=5000)] = ""


class MessageBody(Struct, frozen=True, forbid_unknown_fields=True):
    """One earlier message of the conversation; it needs both of its fields."""

    role: Annotated[str, _json_schema(enum=["user", "assistant"])] | UnsetType = UNSET
    content: Annotated[str, _json_schema(minLength=1, maxLength=4000)] | UnsetType = UNSET


SessionId = Annotated[
    str,
    Meta(
        max_length=36,
        description='Session that the question is asked in, instead of `history`; "" for none.',
    ),
]

UserId = Annotated[
    str,
    Meta(
        max_length=255,
        description="Whom the client asks for, by an id of its own: what is kept of the question is "
        'exported and erased by it; "" for nobody in particular.',
    ),
]


DocumentPath = Annotated[
    str, Meta(max_length=512, description='Path of the one document to search; "" for all.')
]

ChapterName = Annotated[
    str,
    Meta(
        max_length=1000,
        description="The one chapter to search: its title, or its number as in `3` or `Chapter 3`; "
        '"" for all. Not together with `section_path`.',
    ),
]

OneSection = Annotated[
    list[str],
    Meta(
        max_length=32,
        description="The one section to search: its titles from the topmost down, or its own title "
        "after some of those above it; empty for all.",
    ),
]

_ONE_PAGE = (
    "The one page to search: the one that the source calls so where it labels its pages, "
    '`"iv"`, else counted from 1; 0 for all. For books with pages.'
)
OnePage = (
    Annotated[int, Meta(ge=0, lt=2**31, description=_ONE_PAGE)]
    | Annotated[str, Meta(max_length=32, description=_ONE_PAGE)]
)


class AnswerRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A question to a book. It may be empty when text is selected: "explain this passage"."""

    question: Annotated[str, _json_schema(maxLength=4000)]
    selection: SelectionBody | None = None
    section_path: OneSection = []
    history: Annotated[
        list[Annotated[MessageBody, _json_schema(required=["role", "content"])]],
        _json_schema(maxItems=10, description="Oldest first."),
    ] = []
    profile: Profile = ""
    session: SessionId = ""
    user: UserId = ""
    document: DocumentPath = ""
    chapter: ChapterName = ""
    page: OnePage = 0


class RenameRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a book is called from now on."""

    title: Annotated[str, Meta(min_length=1, max_length=500)]


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A question whose passages are wanted, without an answer."""

    question: Annotated[str, _json_schema(minLength=1, maxLength=4000)]
    selection: SelectionBody | None = None
    section_path: OneSection = []
    document: DocumentPath = ""
    chapter: ChapterName = ""
    page: OnePage = 0
    max_passages: Annotated[int, Meta(ge=0, le=50, description="0 means the profile's number.")] = 0
    profile: Profile = ""


class WordsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Words that are looked for as they stand."""

    words: Annotated[str, _json_schema(minLength=1, maxLength=4000)]
    edition: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_OFFSET)] | None,
        Meta(description="Null is the current one."),
    ] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="Most sections of a page. Null is 20."),
    ] = None
    cursor: Annotated[
        str, Meta(max_length=2000, description="`next_cursor` of the page before.")
    ] = ""


class Suggestions(Struct, frozen=True):
    """Questions that an edition of a book answers."""

    book: str
    edition: int
    questions: Annotated[
        list[str],
        Meta(
            max_length=3,
            description="To begin with, in the order of the book; from an answer, the nearest first. "
            "Fewer where nothing is sure enough to be asked.",
        ),
    ]


class FormulasRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Formulas that are to be drawn together."""

    formulas: Annotated[list[Formula], Meta(max_length=500)]


class CodeRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Pieces of code that are to be read together."""

    pieces: Annotated[list[Code], Meta(max_length=100)]


class CodeRead(Struct, frozen=True):
    """The parts of each piece in their order, in the order the pieces came."""

    parts: list[list[CodePart]]


class FormulasDrawn(Struct, frozen=True):
    """MathML of each formula, in the order they came; "" for one that is not understood."""

    mathml: list[str]


NextCursor = Annotated[
    str, Meta(description="`cursor` of the next page; empty on the last, and without `limit`.")
]


class BookList(Struct, frozen=True):
    """Books by slug."""

    books: list[Book]
    warnings: Annotated[
        list[str], Meta(description="Why there are none where there should be some.")
    ] = []
    next_cursor: NextCursor = ""


class PlacesOnPage(Struct, frozen=True):
    """Where on a page a range of the text stands: a box of each line."""

    boxes: list[PageBox]


class DocumentList(Struct, frozen=True):
    """The documents of an edition in reading order."""

    book: str
    edition: int
    documents: list[DocumentSummary]
    next_cursor: NextCursor = ""


class EditionList(Struct, frozen=True):
    """The editions of a book that are kept, newest first."""

    book: str
    editions: list[Edition]
    next_cursor: NextCursor = ""


class BookIndexState(Struct, frozen=True):
    """Where a book stands between its source and the index, and its documents by path."""

    book: str
    state: Annotated[
        IndexState,
        Meta(
            description="`stale`, if its source was sent and differs, and `reindexing` while that is "
            "worked on; before readers see anything of it `unindexed`, then `indexing`."
        ),
    ]
    documents: list[DocumentIndexState]
    next_cursor: NextCursor = ""


class JobEnvelope(Struct, frozen=True):
    """An ingest job as it stands."""

    job: IngestJob


class JobsEnvelope(Struct, frozen=True):
    """The jobs of a book that have not ended, in the order in which they came."""

    jobs: list[IngestJob]


class Alive(Struct, frozen=True):
    """The process answers."""

    status: Literal["alive"] = "alive"


class Readiness(Struct, frozen=True):
    """Whether questions can be answered, and which part is in the way."""

    status: Literal["ready", "not_ready"]
    parts: dict[str, Literal["serving", "not_serving"]]
    degraded: Annotated[list[str], Meta(description="What works less well than it should.")] = []


class KeyRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A key for a client that has none."""

    client: Annotated[str, Meta(pattern=CLIENT_PATTERN)]
    scopes: (
        Annotated[
            list[Scope],
            Meta(
                min_length=1,
                max_length=len(SCOPES),
                description="Null for `ask` and `read`, of a key with origins `ask` alone.",
            ),
        ]
        | None
    ) = None
    books: Annotated[
        list[Annotated[str, Meta(max_length=64, pattern=SLUG_PATTERN)]],
        Meta(max_length=1000, description="Slugs of the books it is for; empty for all."),
    ] = []
    rate_per_minute: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1_000_000,
                description=f"Null for {RATE_PER_MINUTE}, {SITE_RATE_PER_MINUTE} of a key with "
                "origins.",
            ),
        ]
        | None
    ) = None
    tokens_per_day: (
        Annotated[int, Meta(ge=1, le=10**12, description="Of language models, by UTC days.")] | None
    ) = None
    lifetime_s: Annotated[int, Meta(ge=60, le=10 * 365 * 86400)] | None = None
    origins: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=300)]],
        Meta(
            max_length=100,
            description="Sites whose pages alone may use it, https://docs.example.org; such a key "
            "has the scope `ask` alone, since every reader can see it. Empty for programs.",
        ),
    ] = []


def read_grant(body: KeyRequest) -> Grant:
    """Return what a key is asked for. Raises InvalidInput."""
    origins = [read_origin(origin) for origin in body.origins]
    if None in origins:
        raise InvalidInput("origins: Write a site as https://docs.example.org, without a path.")
    if origins and (body.scopes or ["ask"]) != ["ask"]:
        raise InvalidInput(
            "scopes: A key with origins has the scope ask alone: every reader of the site can see it."
        )
    return Grant(
        body.client,
        tuple(body.scopes or (("ask",) if origins else ("ask", "read"))),
        tuple(body.books),
        body.rate_per_minute or (SITE_RATE_PER_MINUTE if origins else RATE_PER_MINUTE),
        body.tokens_per_day,
        body.lifetime_s,
        tuple(dict.fromkeys(origin for origin in origins if origin)),
    )


class RotateRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """How a key is replaced by a new one."""

    overlap_s: Annotated[
        int, Meta(ge=0, le=90 * 86400, description="Seconds in which the old key is still valid.")
    ] = 86400


class KeyList(Struct, frozen=True):
    """Keys, newest first; none with its secret."""

    keys: list[ClientKey]
    next_cursor: NextCursor = ""


class KeyMade(Struct, frozen=True):
    """A new key: `text` is what the client sends, and is shown this once."""

    key: ClientKey
    text: str
