"""The review over REST and by command: who may, which books, and what is passed on."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from typer.testing import CliRunner, Result

from deploy.cli.app import app
from services.gateway.model.review import GradeRequest, ReviewQuery
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import REVIEWED, FakeBackend
from tests.support.key_fakes import FakeKeys

LIST = "/v1/review/answers"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
def gateway(backend: FakeBackend, keys: FakeKeys) -> Starlette:
    return make_app(backend, keys, require_keys=True)


async def call(
    gateway: Starlette, key: str, method: str, path: str, **arguments: Any
) -> httpx.Response:
    transport = httpx.ASGITransport(gateway)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        headers = {"Authorization": f"Bearer {key}"}
        return await client.request(method, path, headers=headers, **arguments)


def quoth(gateway: Starlette, key: str, *arguments: str) -> Result:
    transport = httpx.ASGITransport(gateway)
    return CliRunner().invoke(app, arguments, obj=transport, env={"QUOTH_KEY": key})


async def test_review_filters_are_passed_on(
    gateway: Starlette, backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("operator", scopes=("admin",))
    path = f"{LIST}?outcome=refused&confidence=low&graded=false&text=pond&limit=2&cursor=abc"
    response = await call(gateway, key, "GET", path)
    assert response.status_code == 200
    assert response.json()["next_cursor"] == "next"
    assert response.json()["answers"][0]["question"] == REVIEWED.question
    query = ReviewQuery(
        outcome="refused", confidence="low", graded=False, text="pond", limit=2, cursor="abc"
    )
    assert backend.asked == [("review", query, [])]


@pytest.mark.control("V3")
async def test_a_key_for_some_books_reviews_those_alone(
    gateway: Starlette, backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("operator", scopes=("admin",), books=("mine",))
    assert (await call(gateway, key, "GET", LIST)).status_code == 200
    assert (await call(gateway, key, "GET", f"{LIST}?book=mine")).status_code == 200
    assert (await call(gateway, key, "GET", f"{LIST}?book=tide-mills")).status_code == 404
    said = {"grade": "wrong", "document": "a.md", "quote": "So."}
    graded = await call(gateway, key, "POST", f"{LIST}/a-1/grade", json=said)
    assert (graded.status_code, graded.json()["client"]) == (200, "operator")
    assert [asked[2] for asked in backend.asked] == [["mine"]] * 3
    assert backend.asked[-1][4] == GradeRequest("wrong", "", "a.md", "So.")


@pytest.mark.parametrize(
    "query", ["outcome=lost", "limit=0", "limit=201", "since=yesterday", "graded=perhaps"]
)
async def test_bad_review_filters_are_refused(
    gateway: Starlette, keys: FakeKeys, query: str
) -> None:
    key = keys.grant("operator", scopes=("admin",))
    response = await call(gateway, key, "GET", f"{LIST}?{query}")
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert query.partition("=")[0] in response.json()["detail"]


def test_answers_are_listed_and_graded_by_command(
    gateway: Starlette, backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("operator", scopes=("admin",))
    listed = quoth(gateway, key, "review", "list", "--rating", "down", "--no-graded")
    assert listed.exit_code == 0, listed.output
    assert REVIEWED.answer_id[:8] in listed.stdout
    assert "--cursor next" in listed.stdout
    assert backend.asked[0][1] == ReviewQuery(rating="down", graded=False)
    graded = quoth(gateway, key, "review", "grade", REVIEWED.answer_id, "right", "--note", "Yes.")
    assert graded.stdout == f"{REVIEWED.answer_id} is graded right.\n"
    refused = quoth(gateway, key, "review", "grade", REVIEWED.answer_id, "good")
    assert refused.exit_code == 1
    assert "grade" in refused.output


def test_coverage_offers_the_large_model_when_too_little_is_found(
    gateway: Starlette, keys: FakeKeys
) -> None:
    key = keys.grant("operator", scopes=("admin",))
    shown = quoth(gateway, key, "review", "coverage", "--book", "tide-mills").stdout
    assert "5 questions; nothing was found for 1 (20.0%)." in shown
    assert "more than 15 %" in shown
    assert "QUOTH_EMBEDDER_MODEL=text-embedding-3-large" in " ".join(shown.split())
    assert "Keeping" in shown


def test_coverage_offers_nothing_where_enough_is_found(
    gateway: Starlette, backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("operator", scopes=("admin",))
    backend.questions_covered = 10
    shown = quoth(gateway, key, "review", "coverage", "--book", "tide-mills").stdout
    assert "nothing was found for 1 (10.0%)" in shown
    assert "text-embedding-3-large" not in shown


def test_all_pages_are_exported(
    gateway: Starlette, backend: FakeBackend, keys: FakeKeys, tmp_path: Path
) -> None:
    key, path = keys.grant("operator", scopes=("admin",)), tmp_path / "graded.jsonl"
    backend.review_pages = [2, 1]
    done = quoth(gateway, key, "review", "export", str(path), "--book", "tide-mills", "--json")
    assert json.loads(done.stdout) == {"path": str(path), "rows": 3, "omitted": {}}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["gold"][0]["path"] for row in rows] == ["keeping.md"] * 3
    assert [asked[1].cursor for asked in backend.asked] == ["", "next"]  # type: ignore[attr-defined]
