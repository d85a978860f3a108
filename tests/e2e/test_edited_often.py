"""A book that is edited again and again: what is stored of it stays within what is kept on purpose."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx
import pytest

from tests.soak.figures import Figures
from tests.support.aside import environment_of
from tests.support.ingest_fakes import zipped
from tests.support.stack import RunningStack, running_stack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(1200)]

BOOK = "edited"
_UNDER_WAY = ("queued", "running")
EDITS = 16
DOCUMENTS = 3
EVERY = 4
CANCELLED = EDITS // EVERY
MANY = 24
"""Documents of an ingest that is cancelled."""
CHANGED = 1
"""Documents that an edit changes."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    with running_stack(tmp_path_factory.mktemp("edited") / "home", {}) as running:
        yield running


def source(edit: int, count: int = DOCUMENTS) -> bytes:
    def words(number: int) -> str:
        said = edit if number < CHANGED or number >= DOCUMENTS else 0
        return f"# Document {number}\n\nThe gear of document {number} has {said} teeth today.\n"

    return zipped({f"d{number}.md": words(number) for number in range(count)})


class Editor:
    def __init__(self, stack: RunningStack) -> None:
        self.client = httpx.Client(base_url=f"{stack.url}/v1/books/{BOOK}", timeout=60)

    def start(self, data: bytes) -> str:
        told = self.client.post(
            "/ingests",
            params={"file_name": "b.zip"},
            content=data,
            headers={"Content-Type": "application/zip"},
        )
        return str(told.raise_for_status().json()["job"]["job_id"])

    def finish(self, job_id: str) -> dict[str, Any]:
        begun = time.monotonic()
        while (waited := time.monotonic() - begun) < 180:
            told = self.client.get(f"/ingests/{job_id}").raise_for_status().json()
            job: dict[str, Any] = told.get("job") or told
            if job["state"] not in _UNDER_WAY:
                return job
            time.sleep(min(max(waited / 3, 0.05), 1.0))  # asking takes more of a core than the work
        raise AssertionError(job)

    def edit(self, data: bytes) -> None:
        job = self.finish(self.start(data))
        assert job["state"] == "published", job

    def vacuum(self, keep: int) -> None:
        told = self.client.post("/vacuum", params={"keep": keep}).raise_for_status().json()
        job = self.finish(told["job"]["job_id"])
        assert job["state"] == "done", job


def stored(stack: RunningStack) -> dict[str, int]:
    found = asyncio.run(Figures(stack).sample())
    rows = ("editions", "documents", "chunks", "vectors")
    counted = {name: int(found[(f"public.{name}", "rows")]) for name in rows}
    return counted | {"points": int(found[("qdrant", "points")])}


def let_a_minute_pass(stack: RunningStack) -> None:
    """Editions that readers have just left are kept for a minute: make it longer ago."""

    async def change() -> None:
        connection = await asyncpg.connect(environment_of(stack, "ingest")["QUOTH_POSTGRES_DSN"])
        await connection.execute(
            "UPDATE editions SET superseded_at = superseded_at - interval '2 minutes'"
        )
        await connection.close()

    asyncio.run(change())


def test_a_book_takes_the_room_that_its_kept_editions_hold(stack: RunningStack) -> None:
    editor = Editor(stack)
    with editor.client:
        for edit in range(EDITS):
            if edit % EVERY == EVERY - 1:  # one that is left in the middle
                job_id = editor.start(source(1000 + edit, MANY))
                time.sleep(0.3)
                editor.client.delete(f"/ingests/{job_id}")
                editor.finish(job_id)
            editor.edit(source(edit))
        before = stored(stack)
        editor.vacuum(1)
        soon = stored(stack)
        let_a_minute_pass(stack)
        editor.vacuum(3)
        three = stored(stack)
        editor.vacuum(1)
        one = stored(stack)
    assert EDITS <= before["editions"] <= EDITS + CANCELLED
    published = before["editions"] - EDITS  # cancelled too late
    unchanged = DOCUMENTS - CHANGED
    assert before["chunks"] <= unchanged + EDITS * CHANGED + published * MANY
    # What nobody reads any more goes in a minute, vectors that nothing uses go at once.
    assert soon["editions"] <= before["editions"]
    assert three["editions"] == 3
    assert three["chunks"] <= DOCUMENTS + 2 * MANY
    assert one == dict.fromkeys(one, DOCUMENTS) | {"editions": 1}
    for found in (before, soon, three, one):
        # None of an ingest that was cancelled: the next one has swept it.
        assert found["points"] == found["chunks"] == found["documents"]
    for found in (soon, three, one):
        assert found["vectors"] <= found["chunks"]
