"""The right to work on a job or its documents, kept while the work goes on and lost in time."""

import asyncio
import time
from collections.abc import Callable, Sequence

from libs.errors import Unavailable
from services.ingest.errors import LeaseLost
from services.ingest.model.job import Job, Progress
from services.ingest.ports.jobs import JobQueue
from services.ingest.ports.sharing import Claim, Reporter, SharedDocuments

_NOTE_EVERY_S = 0.3


class Lease(Reporter):
    """The right to work on documents of a job, and if it is its owner's, on the job itself.

    Each right ends by this process's own clock, before another may take over what it is for.
    """

    def __init__(
        self,
        job: Job,
        queue: JobQueue,
        documents: SharedDocuments,
        lease_s: float,
        *,
        helps: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._queue = queue
        self._documents = documents
        self._lease_s = lease_s
        self._helps = helps
        self._clock = clock
        self._until = float("inf") if helps else clock() + lease_s
        self._held: dict[Claim, float] = {}
        self._noted_at = float("-inf")
        self._stage = ""

    def check(self) -> None:
        if self._clock() >= min(self._until, *self._held.values(), float("inf")):
            raise LeaseLost

    async def note(self, progress: Progress) -> None:
        self.check()
        now = self._clock()
        complete = (
            progress.chunks_done == progress.chunks_total
            and progress.documents_done == progress.documents_total
        )
        if progress.stage == self._stage and not complete and now < self._noted_at + _NOTE_EVERY_S:
            return
        self._stage, self._noted_at = progress.stage, now
        if self._helps:
            # The owner counts what is done by all; but a helper is to hear of a job's end as soon.
            await self._renew(now)
        else:
            await self._queue.note(self._job, progress)

    async def claim(self) -> list[Claim]:
        asked_at = self._clock()
        claims = await self._documents.claim(self._job, self._lease_s, alone=not self._held)
        self._held |= dict.fromkeys(claims, asked_at + self._lease_s)
        return claims

    def drop(self, claims: Sequence[Claim]) -> None:
        for claim in claims:
            self._held.pop(claim, None)

    async def give_back(self, claim: Claim) -> None:
        self.drop([claim])
        await self._documents.give_back(self._job, [claim], blamed=True)

    async def give_all_back(self) -> None:
        """Give back what is held: nothing is being written for it any more."""
        held = list(self._held)
        self.drop(held)
        if held:
            await self._documents.give_back(self._job, held, blamed=False)

    async def keep(self) -> None:
        """Renew the leases for ever. Raises LeaseLost when that did not succeed in time."""
        while True:
            await asyncio.sleep(self._lease_s / 4)
            asked_at = self._clock()
            try:
                await self._renew(asked_at)
            except Unavailable:
                self.check()

    async def _renew(self, asked_at: float) -> None:
        until = asked_at + self._lease_s
        if not self._helps:
            await self._queue.renew(self._job, self._lease_s)
            self._until = until
        held = list(self._held)
        if held:
            await self._documents.renew(self._job, held, self._lease_s)
            self._held |= {claim: until for claim in held if claim in self._held}
