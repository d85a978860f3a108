"""`quoth review` against the gateway's own application."""

from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from deploy.cli.app import app
from services.gateway.model.review import Coverage, CoverageQuery, ReviewList, ReviewQuery
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import BOOK, REVIEWED, FakeBackend
from tests.support.key_fakes import FakeKeys


@dataclass
class Asked(FakeBackend):
    """A record of one question."""

    words: str = ""

    async def list_answers(
        self, query: ReviewQuery, books: list[str], timeout_s: float
    ) -> ReviewList:
        return ReviewList([msgspec.structs.replace(REVIEWED, question=self.words)], "")


@pytest.mark.parametrize("asked", ["What [/b] fills :x: the [red] pond?", "[bold"])
def test_questions_are_listed_as_they_were_asked_and_can_be_graded_by_their_ids(asked: str) -> None:
    """Words that rich takes for markup ended the command, and columns cut the ids."""
    transport = httpx.ASGITransport(make_app(Asked(words=asked), FakeKeys()))
    done = CliRunner().invoke(app, ["review", "list"], obj=transport, env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    assert asked in done.stdout
    assert REVIEWED.answer_id in done.stdout


@dataclass
class Silent(FakeBackend):
    """A record of no question."""

    async def list_answers(
        self, query: ReviewQuery, books: list[str], timeout_s: float
    ) -> ReviewList:
        return ReviewList([], "")

    async def count_coverage(self, book: str, query: CoverageQuery, timeout_s: float) -> Coverage:
        return Coverage(book, [], 0, 0, 0.0, alarm=False)


@pytest.mark.parametrize("command", ["list", "coverage", "export"])
def test_a_slip_in_the_name_of_a_book_of_which_nothing_was_asked_is_told(
    command: str, tmp_path: Path
) -> None:
    transport = httpx.ASGITransport(make_app(Silent(), FakeKeys()))
    file = [str(tmp_path / "rows.jsonl")] if command == "export" else []
    for book, told in (("mlil", True), (BOOK.slug, False)):
        done = CliRunner().invoke(app, ["review", command, *file, "--book", book], obj=transport)
        assert done.exit_code == 0, done.output
        assert (f"No book 'mlil'. There are: {BOOK.slug}" in done.stdout) is told
