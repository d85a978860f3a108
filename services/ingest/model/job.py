"""Jobs of ingest: what was ordered, how far it has come, and how it ended."""

from dataclasses import dataclass, field
from enum import Enum

from services.ingest.model.book import Report
from services.ingest.model.views import Difference, Vacuumed


class JobState(Enum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PUBLISHED = "published"
    FAILED = "failed"
    CANCELLED = "cancelled"
    CHECKED = "checked"
    DONE = "done"

    @property
    def ended(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING)


class JobWait(Enum):
    """What a queued job waits for: the end of a job of its book, a worker, or its next try."""

    BOOK = "book"
    WORKER = "worker"
    RETRY = "retry"


class JobKind(Enum):
    """What a job is to do."""

    INGEST = "ingest"
    DRY_RUN = "dry_run"
    DELETE_BOOK = "delete_book"
    DELETE_DOCUMENT = "delete_document"
    ROLL_BACK = "roll_back"
    COMPARE = "compare"
    VACUUM = "vacuum"


UPKEEP = (JobKind.ROLL_BACK, JobKind.COMPARE, JobKind.VACUUM)
"""They make no edition, and go on beside what makes the next one."""
MAKING = tuple(kind for kind in JobKind if kind not in UPKEEP)


@dataclass(frozen=True)
class Order:
    """What a client asks to be ingested; "" leaves a choice to quoth.toml and the defaults.

    `document` is the path of the document to delete; with `allow_partial`, documents that can't be
    read are left out instead of failing the job. `edition` is the one to show, or to compare with
    `before`; `keep` is how many a vacuum keeps.
    """

    book: str
    title: str = ""
    language: str = ""
    profile: str = ""
    kind: JobKind = JobKind.INGEST
    document: str = ""
    allow_partial: bool = False
    edition: int = 0
    before: int = 0
    keep: int = 0


@dataclass(frozen=True)
class SentOnce:
    """What marks a source: sent again by its client with the same key, it is the same job.

    The fingerprint is of all that was sent.
    """

    client_id: str
    request_key: str
    fingerprint: bytes


@dataclass(frozen=True)
class Progress:
    """How far a job has come; tokens are those of chunks that need a new vector.

    `left_s` is the time until all have it by the pace so far, 0 when that is not known.
    """

    stage: str = ""
    documents_total: int = 0
    documents_done: int = 0
    chunks_total: int = 0
    chunks_done: int = 0
    chunks_reused: int = 0
    tokens_total: int = 0
    tokens_done: int = 0
    left_s: float = 0.0


@dataclass(frozen=True)
class Job:
    """One run of ingest as it stands. `token` fences its owner, `attempts` counts the claims."""

    job_id: str
    order: Order
    state: JobState
    progress: Progress = field(default_factory=Progress)
    edition: int = 0
    error: str = ""
    warnings: tuple[str, ...] = ()
    token: int = 0
    attempts: int = 0
    report: Report | None = None
    waits_for: JobWait | None = None
    difference: Difference | None = None
    """What a comparison has found."""
    vacuumed: Vacuumed | None = None
    """What a vacuum has deleted so far."""
