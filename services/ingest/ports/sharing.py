"""How replicas share the documents of one job: offered, claimed, ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.ingest.model.job import Job, Progress


@dataclass(frozen=True)
class Offer:
    """What all replicas make of a job's documents: who would make something else does not help.

    `intact` says whether the index holds the edition before, to build this one on.
    """

    edition: int
    fingerprint: str
    intact: bool


@dataclass(frozen=True)
class OfferedDocument:
    """A document that has to be read; `size` is in bytes."""

    path: str
    position: int
    size: int


@dataclass(frozen=True)
class Claim:
    """A document leased to one replica. `token` fences it, `attempts` counts its claims."""

    path: str
    token: int
    attempts: int


@dataclass(frozen=True)
class Outcome:
    """What came of documents that have been read and written; `tokens` are those embedded."""

    documents: int = 0
    size: int = 0
    title: str = ""
    """What the only document of a source calls itself."""
    chunks: int = 0
    chunks_new: int = 0
    chunks_removed: int = 0
    vectors_new: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Tally:
    """How a job's documents stand: how many have not ended, and how many of those are free."""

    left: int
    free: int
    by_others: Outcome
    """What came of those that other owners have ended."""


class SharedDocuments(Protocol):
    """Leases the documents of a job under way, so that several replicas work on it at once.

    A document whose lease has ended is anybody's. One that was claimed before is claimed alone,
    by who holds no other: if it stops its replica again, nothing else is blamed for it.
    """

    async def resume(self, job: Job, offer: Offer) -> bool:
        """Say whether the documents of this very offer are there, from an earlier owner of the job.

        If not, those of another offer are taken back: on return nobody writes for them any more.
        """
        ...

    async def offer(self, job: Job, offer: Offer, documents: Sequence[OfferedDocument]) -> None:
        """Let the documents be claimed. Raises LeaseLost."""
        ...

    async def find_help_wanted(self, but: Sequence[str]) -> tuple[Job, Offer] | None:
        """Return a job of another owner with documents to claim, as its helper; none of `but`.

        Its token is the helper's own: with it documents can be worked on, and nothing be ended.
        """
        ...

    async def claim(self, job: Job, lease_s: float, *, alone: bool) -> list[Claim]:
        """Lease the next documents in reading order, a small batch; empty when none is free.

        `alone` says that the replica holds no document. What has been claimed three times and
        never ended is parked with its reason.
        """
        ...

    async def renew(self, job: Job, claims: Sequence[Claim], lease_s: float) -> None:
        """Keep documents leased. Raises LeaseLost when one is somebody else's, or the job ended."""
        ...

    async def give_back(self, job: Job, claims: Sequence[Claim], *, blamed: bool) -> None:
        """End leases before their time; unless `blamed`, as if there had been no attempt."""
        ...

    async def close(self, job: Job, claim: Claim, failure: str = "") -> None:
        """End a document that nothing is staged for. Raises LeaseLost."""
        ...

    async def tally(self, job: Job) -> Tally: ...

    async def list_ended(self, job: Job) -> tuple[list[str], dict[str, str]]:
        """Return the paths of documents that were done, and of those that failed, and why."""
        ...


class Reporter(Protocol):
    """What a replica may work on: stops one that has lost it, and says how far it has come."""

    def check(self) -> None:
        """Raise LeaseLost when it may be somebody else's; called before each write."""
        ...

    async def note(self, progress: Progress) -> None: ...

    async def claim(self) -> list[Claim]:
        """Take the next documents, and keep them leased until they are dropped."""
        ...

    def drop(self, claims: Sequence[Claim]) -> None:
        """Hold documents no longer, because they have ended."""
        ...

    async def give_back(self, claim: Claim) -> None:
        """Let a document that stopped its parser be tried again, by whomever."""
        ...
