"""Whatever is sent, what comes back is described: a bounded form of `python -m tests.soak.requests`."""

import importlib
from typing import Any

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from services.gateway.keys import SCOPES
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import BOOK, REVIEWED, FakeBackend, make_answer, make_job
from tests.support.key_fakes import FakeKeys
from tests.support.pictures import png

SEED = 20261123
SITE = "http://localhost:8080"
IN_EXAMPLES = "physical-ai"
IMAGE = "0" * 64


@pytest.fixture
def backend() -> FakeBackend:
    book = msgspec.structs.replace(BOOK, slug=IN_EXAMPLES)
    return FakeBackend(books=[book], states=[make_job(book=IN_EXAMPLES, state="published")])


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
def app(backend: FakeBackend, keys: FakeKeys) -> Starlette:
    return make_app(backend, keys, probes={"ingest": backend}, require_keys=True)


@pytest.fixture(scope="module")
def requests() -> Any:
    """Seconds to import: every worker imports the modules of all tests, and one runs these."""
    return importlib.import_module("tests.support.any_requests")


@pytest.fixture
def schema(app: Starlette) -> Any:
    described = TestClient(app, base_url=SITE).get("/openapi.json").json()
    return importlib.import_module("schemathesis").openapi.from_dict(described)


def sending(app: Starlette, **headers: str) -> Any:
    def send(case: Any) -> Any:
        if not headers:
            case.headers.pop("Authorization", None)
        return case.call(headers=headers, app=app, base_url=SITE)

    return send


@pytest.mark.timeout(1200)
async def test_with_a_key_every_response_is_as_described(
    app: Starlette, schema: Any, requests: Any, backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("anybody", scopes=SCOPES, rate_per_minute=1_000_000)
    other = keys.grant("other")
    session = await backend.begin_session(IN_EXAMPLES, "anybody", 1.0)
    answer = msgspec.structs.replace(make_answer(), book=IN_EXAMPLES, answer_id=REVIEWED.answer_id)
    backend.kept["anybody", answer.answer_id] = answer
    known = {
        "book": IN_EXAMPLES,
        "path": "keeping.md",
        "job_id": "job-1",
        "edition": "3",
        "image": IMAGE,
        "answer_id": REVIEWED.answer_id,
        "session_id": session.session_id,
        "key_id": other.split("_")[1],
        "page": "1",
    }
    backend.images[IMAGE] = ("image/png", png(2, 1))
    backend.pages[1] = png(2, 1)
    send = sending(app, Authorization=f"Bearer {key}")
    tally = requests.send_any(schema, send, known=known, examples=5, seed=SEED)
    assert not tally.faults, "\n".join(tally.faults.values())
    described = {operation.label for operation in requests.operations_of(schema)}
    assert tally.reached == described  # else nothing was tried


@pytest.mark.timeout(1200)
def test_without_a_key_every_response_is_as_described(
    app: Starlette, schema: Any, requests: Any
) -> None:
    known = {"book": IN_EXAMPLES}
    tally = requests.send_any(schema, sending(app), known=known, examples=3, seed=SEED)
    assert not tally.faults, "\n".join(tally.faults.values())
    assert tally.reached == {"GET /healthz", "GET /readyz"}
