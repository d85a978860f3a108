"""`quoth review` against the gateway's own application."""

from dataclasses import dataclass

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from deploy.cli.app import app
from services.gateway.model.review import ReviewList, ReviewQuery
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import REVIEWED, FakeBackend
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
