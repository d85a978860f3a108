"""What the gateway shows of editions and of the jobs that make them; the structs are the JSON."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

JobState = Literal["queued", "running", "published", "failed", "cancelled", "checked", "done"]
IndexState = Literal["unindexed", "indexing", "indexed", "stale", "reindexing"]
JobKind = Literal[
    "ingest", "dry_run", "delete_book", "delete_document", "roll_back", "compare", "vacuum"
]
JobWait = Literal["book", "worker", "retry"]


class Edition(Struct, frozen=True):
    """One immutable state of a book."""

    number: int
    title: str
    document_count: Annotated[int, Meta(description="0 for the state of a deleted book.")]
    chunk_count: int
    publish_time: datetime
    current: Annotated[bool, Meta(description="Whether readers see it now.")]
    reasons: Annotated[list[str], Meta(description="Why it was made.")]


class MissingRange(Struct, frozen=True):
    """Visible characters that reached no chunk."""

    start: int
    end: int
    text: str
    reason: str


class DroppedContent(Struct, frozen=True):
    """What the parser left out of a document's text, or could not keep as it was."""

    kind: Annotated[str, Meta(description='Such as "picture" or "table of contents".')]
    place: Annotated[str, Meta(description='In the source, such as "line 12".')]
    reason: str
    characters: Annotated[int, Meta(description="Those that are not space; 0: none, or unknown.")]
    dropped: Annotated[bool, Meta(description="None of it is in the text; else it is changed.")]


class DocumentReport(Struct, frozen=True):
    """What ingest made of one document."""

    path: str
    change: Annotated[str, Meta(description='"added", "changed", "unchanged" or "failed".')]
    visible_characters: int
    covered_characters: Annotated[int, Meta(description="Those that a chunk holds.")]
    missing: list[MissingRange]
    blocks: Annotated[dict[str, int], Meta(description="Number of blocks by kind.")]
    chunks: int
    chunks_new: int
    tokens: int
    warnings: list[str]
    failure: Annotated[str | None, Meta(description="Why it could not be read.")] = None
    dropped_content: Annotated[
        list[DroppedContent], Meta(description="What is not in the text, or changed.")
    ] = []
    language: Annotated[
        str | None, Meta(description="ISO 639 code: stated for the book, or found.")
    ] = None


class IngestReport(Struct, frozen=True):
    """What ingest made of a source, and what that changed."""

    edition: int
    reasons: Annotated[list[str], Meta(description="Empty when nothing changes.")]
    documents: list[DocumentReport]
    removed: Annotated[list[str], Meta(description="Documents that are gone.")]
    chunks_new: int
    chunks_kept: int
    chunks_removed: int
    vectors_new: int
    vectors_reused: int
    seconds: Annotated[dict[str, float], Meta(description="By stage.")]
    warnings: list[str]
    language: Annotated[
        str | None, Meta(description="ISO 639 code: the one stated, or that of most of the text.")
    ] = None


class DocumentChange(Struct, frozen=True):
    """How a document differs between two editions."""

    path: str
    change: Annotated[str, Meta(description='"added", "removed", "changed" or "moved".')]
    old_path: Annotated[str | None, Meta(description="Where it was before it was moved.")]
    chunks_added: int
    chunks_removed: int


class Difference(Struct, frozen=True):
    """How two editions of a book differ."""

    from_edition: int
    to_edition: int
    documents: list[DocumentChange]
    chunks_kept: int
    chunks_added: int
    chunks_removed: int


class Vacuumed(Struct, frozen=True):
    """What was deleted for good."""

    editions: list[int]
    chunks: int
    documents: int
    vectors: int
    left: Annotated[
        str,
        Meta(description="What of the texts is still in the stores' files, until when; or empty."),
    ] = ""


class DocumentIndexState(Struct, frozen=True):
    """Where a document stands between its source and the index."""

    path: str
    state: IndexState


class IngestJob(Struct, frozen=True):
    """A piece of work on a book, such as one run of ingest."""

    job_id: str
    book: str
    state: Annotated[
        JobState,
        Meta(
            description="A dry run ends `checked`, a comparison and a vacuum `done`, all others "
            "`published`; unless it is `failed` or `cancelled`."
        ),
    ]
    stage: Annotated[str, Meta(description='Stage being worked on; "" unless running.')]
    documents_total: int
    documents_done: int
    chunks_total: int
    chunks_done: int
    chunks_reused: int
    edition: Annotated[
        int | None, Meta(description="Edition that was published, or that readers see again.")
    ]
    error: Annotated[
        str | None,
        Meta(description="Why the job failed or, while it waits to be tried again, its last try."),
    ]
    warnings: list[str]
    tokens_total: Annotated[int, Meta(description="Of the chunks that need a new vector.")] = 0
    tokens_done: int = 0
    left_s: Annotated[float | None, Meta(description="Seconds until all have it, about.")] = None
    report: Annotated[IngestReport | None, Meta(description="What a dry run found.")] = None
    waits_for: Annotated[
        JobWait | None,
        Meta(
            description="While queued: another job of the same book, a free worker, or the next try."
        ),
    ] = None
    kind: Annotated[JobKind, Meta(description="What it is to do.")] = "ingest"
    difference: Annotated[
        Difference | None, Meta(description="What a comparison found, once it has ended.")
    ] = None
    vacuumed: Annotated[
        Vacuumed | None, Meta(description="What a vacuum has deleted, so far or at all.")
    ] = None

    @property
    def ended(self) -> bool:
        return self.state not in ("queued", "running")


class Source(Struct, frozen=True):
    """The source of a book that is about to be sent."""

    book: str
    file_name: str
    title: str
    language: str
    profile: str
    dry_run: bool = False
    allow_partial: bool = False
    client: str = ""
    request_key: str = ""
