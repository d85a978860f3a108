"""Who may do what: every route with every kind of key; limits, budgets, and who is a stranger."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import httpx
import msgspec
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from libs.errors import NotFound, Unavailable
from libs.settings import SettingsError, load_settings
from services.gateway.access.guard import NO_BOOK, REMEMBER_S, Guard
from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.keys import SCOPES, Scope
from services.gateway.model.answers import ModelUse
from services.gateway.routes.bundle import bundle_page
from services.gateway.routes.page import BUNDLE, WEB
from services.gateway.settings import Exposure
from services.ingest.adapters import postgres_catalogue
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import BOOK, FakeBackend, Script, events_of, make_answer
from tests.support.key_fakes import FakeKeys
from tests.support.telemetry import Recorded

ANSWERS = "/v1/books/tide-mills/answers"
QUESTION = {"question": "How does it work?"}

RULES: dict[tuple[str, str], Scope | Literal["any key"] | None] = {
    ("GET", "/"): None,
    ("GET", "/review"): None,
    ("GET", "/widget.js"): None,
    ("GET", "/bundle/{name}"): None,
    ("GET", "/openapi.json"): None,
    ("GET", "/docs"): None,
    ("GET", "/healthz"): None,
    ("GET", "/readyz"): None,
    ("POST", "/v1/books/{book}/answers"): "ask",
    ("POST", "/v1/books/{book}/search"): "ask",
    ("GET", "/v1/books/{book}/suggestions"): "ask",
    ("POST", "/v1/books/{book}/words"): "read",
    ("POST", "/v1/books/{book}/sessions"): "ask",
    ("GET", "/v1/sessions/{session_id}"): "ask",
    ("DELETE", "/v1/sessions/{session_id}"): "ask",
    ("GET", "/v1/answers/{answer_id}"): "ask",
    ("POST", "/v1/answers/{answer_id}/feedback"): "ask",
    ("GET", "/v1/books"): "read",
    ("GET", "/v1/books/{book}"): "read",
    ("DELETE", "/v1/books/{book}"): "ingest",
    ("PATCH", "/v1/books/{book}"): "ingest",
    ("GET", "/v1/books/{book}/documents"): "read",
    ("GET", "/v1/books/{book}/documents/{path:path}"): "read",
    ("DELETE", "/v1/books/{book}/documents/{path:path}"): "ingest",
    ("GET", "/v1/books/{book}/images/{image}"): "read",
    ("GET", "/v1/books/{book}/pages/{page}"): "read",
    ("GET", "/v1/books/{book}/pages/{page}/places"): "read",
    ("GET", "/v1/books/{book}/editions"): "read",
    ("GET", "/v1/books/{book}/editions/{edition}/report"): "read",
    ("GET", "/v1/books/{book}/state"): "read",
    ("POST", "/v1/books/{book}/diff"): "ingest",
    ("POST", "/v1/books/{book}/rollback"): "ingest",
    ("POST", "/v1/books/{book}/vacuum"): "ingest",
    ("GET", "/v1/books/{book}/ingests"): "ingest",
    ("POST", "/v1/books/{book}/ingests"): "ingest",
    ("GET", "/v1/books/{book}/ingests/{job_id}"): "ingest",
    ("DELETE", "/v1/books/{book}/ingests/{job_id}"): "ingest",
    ("POST", "/v1/formulas"): "any key",
    ("POST", "/v1/code"): "any key",
    ("GET", "/v1/models"): "read",
    ("GET", "/v1/models/{book}"): "read",
    ("POST", "/v1/chat/completions"): "ask",
    ("POST", "/v1/chat/book/{book}/query"): "ask",
    ("GET", "/v1/review/answers"): "admin",
    ("GET", "/v1/review/answers/{answer_id}"): "admin",
    ("POST", "/v1/review/answers/{answer_id}/grade"): "admin",
    ("GET", "/v1/books/{book}/coverage"): "admin",
    ("GET", "/v1/keys"): "admin",
    ("POST", "/v1/keys"): "admin",
    ("POST", "/v1/keys/{key_id}/rotate"): "admin",
    ("DELETE", "/v1/keys/{key_id}"): "admin",
}
"""Every route there is, and the scope or key that it needs; None for what everybody may see."""
BODIES: dict[str, Any] = {
    "answers": QUESTION,
    "search": QUESTION,
    "words": {"words": "gate"},
    "formulas": {"formulas": []},
    "code": {"pieces": []},
    "completions": {"model": BOOK.slug, "messages": [{"role": "user", "content": "How?"}]},
    "query": {"query": "How?"},
    "keys": {"client": "another"},
    "rotate": {},
    "feedback": {"rating": "up"},
    "grade": {"grade": "right"},
}
each_route = pytest.mark.parametrize(
    ("method", "path"), RULES, ids=lambda value: value if isinstance(value, str) else ""
)


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


@pytest.fixture
def app(backend: FakeBackend, keys: FakeKeys) -> Starlette:
    return make_app(backend, keys, require_keys=True)


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(app) as client:
        yield client


def connect(app: Starlette, host: str = "localhost:8080") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}", trust_env=False)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def reached(backend: FakeBackend) -> list[Any]:
    """What came through to the services."""
    return [*backend.questions, *backend.searches, *backend.sources, *backend.asked]


async def call(
    client: httpx.AsyncClient, method: str, path: str, book: str, key: str = ""
) -> tuple[int, str]:
    """Make a request that is right but for its key; returns its status and the kind of problem."""
    filled = path.replace("{book}", book).replace("{path:path}", "keeping.md")
    filled = filled.replace("{name}", next(iter(bundle_page(WEB, BUNDLE).files)))
    values = {"edition": "3", "job_id": "job-1", "key_id": "0" * 12, "answer_id": "a-1"}
    values |= {"session_id": "s-1", "page": "1"}
    for name, value in values.items():
        filled = filled.replace(f"{{{name}}}", value)
    headers = bearer(key) if key else {}
    content: dict[str, Any] = {}
    if filled.endswith("/ingests") and method == "POST":
        content = {"content": b"# A", "params": {"file_name": "a.md"}}
        headers |= {"Content-Type": "text/markdown"}
    elif method == "POST" and (body := BODIES.get(filled.rpartition("/")[2])) is not None:
        content = {"json": body}
    elif method == "PATCH":
        content = {"json": {"title": "Mills"}}
    elif "/pages/" in filled:
        content = {"params": {"document": "a.pdf", "start": 0, "end": 1}}
    response = await client.request(method, filled, headers=headers, **content)
    is_problem = "problem" in response.headers.get("content-type", "")
    return response.status_code, response.json()["code"] if is_problem else ""


@pytest.mark.control("V1")
def test_every_route_has_a_rule(app: Starlette) -> None:
    served = {
        (method, route.path)
        for route in app.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert served == RULES.keys()
    assert {route.path for route in app.routes if isinstance(route, Mount)} == {"/static"}


@pytest.mark.control("V1")
@each_route
async def test_without_a_key_a_route_is_closed(
    client: httpx.AsyncClient, method: str, path: str, backend: FakeBackend
) -> None:
    told = await call(client, method, path, BOOK.slug)
    if RULES[method, path] is None:
        assert told == (200, "")
    else:
        assert told == (401, "unauthenticated")
        assert not reached(backend)


@pytest.mark.control("V1", "V12")
@each_route
@pytest.mark.parametrize("scope", SCOPES)
async def test_a_key_opens_the_routes_of_its_scope_alone(
    client: httpx.AsyncClient, keys: FakeKeys, method: str, path: str, scope: Scope
) -> None:
    key = keys.grant(scopes=(scope,))
    status, kind = await call(client, method, path, BOOK.slug, key)
    if RULES[method, path] in (None, "any key", scope):
        # 404: there is no key, answer or session of that id
        assert status in (200, 201, 202, 404), kind
    else:
        assert (status, kind) == (403, "forbidden")


@pytest.mark.control("V3", "V4")
@each_route
async def test_a_book_that_a_key_is_not_for_is_not_there(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, method: str, path: str
) -> None:
    key = keys.grant(scopes=SCOPES, books=("another",))
    status, _ = await call(client, method, path, BOOK.slug, key)
    if "{book}" in path:
        assert status == 404
        assert not reached(backend)
    elif path == "/v1/books":
        listed = (await client.get(path, headers=bearer(key))).json()
        assert listed == {"books": [], "warnings": [], "next_cursor": ""}


@pytest.mark.control("V3")
def test_the_words_for_a_book_that_is_not_there_are_those_of_ingest() -> None:
    assert f'NotFound("{NO_BOOK}")' in Path(postgres_catalogue.__file__).read_text("utf-8")


@pytest.mark.control("V3")
async def test_another_clients_book_is_refused_like_a_missing_one(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    """Else a key's holder could find out which books there are."""
    backend.failure = NotFound(NO_BOOK)
    theirs = await client.get("/v1/books/tide-mills", headers=bearer(keys.grant("one")))
    foreign = keys.grant("two", books=("another",))
    ours = await client.get("/v1/books/tide-mills", headers=bearer(foreign))
    told, refused = theirs.json(), ours.json()
    assert {**told, "request_id": ""} == {**refused, "request_id": ""}


@pytest.mark.control("V12")
@pytest.mark.parametrize("change", ["secret", "id", "form", "scheme", "query"])
async def test_a_key_is_taken_as_a_whole_and_in_one_place(
    client: httpx.AsyncClient, keys: FakeKeys, change: str
) -> None:
    key = keys.grant()
    prefix, key_id, secret = key.split("_", 2)
    headers = {
        "secret": bearer(f"{prefix}_{key_id}_{secret[:-1]}{'A' if secret[-1] != 'A' else 'B'}"),
        "id": bearer(f"{prefix}_{'0' * 12}_{secret}"),
        "form": bearer(secret),
        "scheme": {"Authorization": f"Basic {key}"},
        "query": {"X-API-Key": key},
    }[change]
    response = await client.get(f"/v1/books?key={key}", headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert secret not in response.text
    assert (await client.get("/v1/books", headers=bearer(key))).status_code == 200


@pytest.mark.control("V12")
async def test_a_key_ends_here_at_once_and_elsewhere_soon(backend: FakeBackend) -> None:
    keys, now = FakeKeys(), [0.0]
    key = keys.grant()

    def guard() -> Guard:
        return Guard(Exposure(require_keys=True), keys, MovingWindow(), lambda: now[0])

    here = guard()
    found = await here._find(key.split("_")[1])
    assert found is not None
    await keys.revoke_key(found.key.key_id, 1.0)
    assert (await here._find(found.key.key_id)) == found  # of another gateway
    now[0] += REMEMBER_S
    ended = await here._find(found.key.key_id)
    assert ended is not None
    assert ended.key.state == "revoked"


async def test_keys_are_made_listed_rotated_and_revoked(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    operator = bearer(keys.grant("operator", scopes=("admin",)))
    body = {"client": "app", "scopes": ["read"], "books": ["tide-mills"], "lifetime_s": 3600}
    made = await client.post("/v1/keys", json=body, headers=operator)
    assert made.status_code == 201
    key, text = made.json()["key"], made.json()["text"]
    assert (key["client"], key["scopes"], key["rate_per_minute"]) == ("app", ["read"], 100)
    assert (await client.get("/v1/books", headers=bearer(text))).status_code == 200
    again = await client.post("/v1/keys", json=body, headers=operator)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")

    rotate = f"/v1/keys/{key['key_id']}/rotate"
    rotated = await client.post(rotate, json={"overlap_s": 60}, headers=operator)
    next_text = rotated.json()["text"]
    for one in (text, next_text):
        assert (await client.get("/v1/books", headers=bearer(one))).status_code == 200
    listed = (await client.get("/v1/keys", headers=operator)).json()["keys"]
    assert len(listed) == 3
    page = (await client.get("/v1/keys?limit=2", headers=operator)).json()
    rest = {"limit": 2, "cursor": page["next_cursor"]}
    page["keys"] += (await client.get("/v1/keys", params=rest, headers=operator)).json()["keys"]
    assert page["keys"] == listed
    assert text not in json.dumps(listed)

    revoked = await client.delete(f"/v1/keys/{key['key_id']}", headers=operator)
    assert revoked.json()["state"] == "revoked"
    assert (await client.get("/v1/books", headers=bearer(text))).status_code == 401
    assert (await client.get("/v1/books", headers=bearer(next_text))).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"client": "Two Words"},
        {"client": ""},
        {"books": ["a\0b"]},
        {"books": ["Two Words"]},
        {"scopes": []},
        {"scopes": ["root"]},
        {"rate_per_minute": 0},
        {"tokens_per_day": 9999},
        {"lifetime_s": 1},
        {"colour": "red"},
    ],
    ids=str,
)
async def test_a_key_that_cannot_be_is_refused(
    client: httpx.AsyncClient, keys: FakeKeys, change: dict[str, Any]
) -> None:
    operator = bearer(keys.grant("operator", scopes=("admin",)))
    response = await client.post("/v1/keys", json={"client": "app", **change}, headers=operator)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert next(iter(change)) in response.json()["detail"]


@pytest.mark.control("V13")
async def test_the_request_after_the_last_of_a_minute_is_refused(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    first, second = keys.grant("one", rate_per_minute=5), keys.grant("two", rate_per_minute=5)
    spellings = ["Authorization", "authorization", "AUTHORIZATION"]
    for number in range(5):
        header = {spellings[number % 3]: f"bearer {first}"}
        assert (await client.get("/v1/books", headers=header)).status_code == 200
    refused = await client.get("/v1/books", headers=bearer(first))
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert (await client.get("/v1/books", headers=bearer(second))).status_code == 200


@pytest.mark.control("V13")
async def test_a_rotated_key_has_no_minute_of_its_own(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    operator = bearer(keys.grant("operator", scopes=("admin",)))
    old = keys.grant("app", rate_per_minute=2)
    rotate = f"/v1/keys/{old.split('_')[1]}/rotate"
    new = (await client.post(rotate, json={}, headers=operator)).json()["text"]
    told = [(await client.get("/v1/books", headers=bearer(one))).status_code for one in (old, new)]
    assert told == [200, 200]
    assert (await client.get("/v1/books", headers=bearer(new))).status_code == 429


@pytest.mark.control("V12")
async def test_a_client_that_tries_keys_is_told_to_wait(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    key = keys.grant()
    wrong = bearer(f"quoth_{'0' * 12}_guess")
    statuses = [(await client.get("/v1/books", headers=wrong)).status_code for _ in range(21)]
    assert statuses == [401] * 20 + [429]
    assert (await client.get("/v1/books", headers=bearer(key))).status_code == 200


def used(tokens: int) -> Script:
    """An answer that took so many tokens to write and to judge."""
    wrote, judged = ModelUse("some-model", tokens - 30, 10, 0.0), ModelUse("judge", 15, 5, 0.0)
    answer = msgspec.structs.replace(make_answer(), model_use=wrote, verifier_use=judged)
    return lambda _: [*events_of(answer)]


@pytest.mark.control("V14")
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_question_is_paid_for_before_it_is_asked(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, accept: str
) -> None:
    headers = {**bearer(keys.grant("app", tokens_per_day=25_000)), "Accept": accept}
    backend.script = used(8_000)
    seen: list[int] = []
    ask = backend.answer_question

    def note(*values: Any, **named: Any) -> Any:
        seen.append(keys.spent("app"))
        return ask(*values, **named)

    backend.answer_question = note  # type: ignore[method-assign]
    for _ in range(2):
        assert (await client.post(ANSWERS, json=QUESTION, headers=headers)).status_code == 200
    assert seen == [10_000, 18_000]
    refused = await client.post(ANSWERS, json=QUESTION, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (429, "budget_spent")
    assert int(refused.headers["retry-after"]) == 12 * 3600
    assert keys.spent("app") == 16_000
    assert len(backend.questions) == 2


@pytest.mark.control("V14")
async def test_an_answer_without_a_model_costs_nothing_and_a_broken_one_its_whole_estimate(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    headers = bearer(keys.grant("app", tokens_per_day=25_000))
    assert (await client.post(ANSWERS, json=QUESTION, headers=headers)).status_code == 200
    assert keys.spent("app") == 0  # the book's own sentences
    backend.failure = NotFound(NO_BOOK)
    assert (await client.post(ANSWERS, json=QUESTION, headers=headers)).status_code == 404
    assert keys.spent("app") == 0
    backend.failure = Unavailable("The answer broke off.")
    assert (await client.post(ANSWERS, json=QUESTION, headers=headers)).status_code == 503
    assert keys.spent("app") == 10_000


async def test_the_audit_trail_is_told_whose_question_it_is(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    await client.post(ANSWERS, json=QUESTION, headers=bearer(keys.grant("app")))
    assert backend.questions[0].client == "app"


@pytest.mark.fault("D3")
async def test_without_the_store_of_keys_nobody_is_let_in(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend
) -> None:
    key = keys.grant()
    keys.failure = Unavailable("The database does not answer. Try again in a moment.")
    response = await client.post(ANSWERS, json=QUESTION, headers=bearer(key))
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert not backend.questions


async def test_a_key_is_looked_up_once_in_a_while(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    key = keys.grant()
    for _ in range(5):
        await client.get("/v1/books", headers=bearer(key))
    assert keys.looked_up == 1


async def test_on_loopback_no_key_is_needed_but_one_that_is_sent_counts(
    backend: FakeBackend, keys: FakeKeys
) -> None:
    async with connect(make_app(backend, keys)) as client:
        assert (await client.get("/v1/books")).status_code == 200
        assert (await client.get("/v1/keys")).status_code == 200
        reader = bearer(keys.grant())
        assert (await client.get("/v1/books", headers=reader)).status_code == 200
        assert (await client.get("/v1/keys", headers=reader)).status_code == 403
        assert (await client.get("/v1/books", headers=bearer("quoth_x"))).status_code == 401


@pytest.mark.control("V2")
@pytest.mark.parametrize(
    ("told", "asks"),
    [
        ({}, False),
        ({"QUOTH_LISTEN": "::1"}, False),
        ({"QUOTH_LISTEN": "localhost"}, False),
        ({"QUOTH_REQUIRE_KEYS": "true"}, True),
        ({"QUOTH_HOSTS": "quoth.example.org"}, True),
        ({"QUOTH_PROXY": "tls"}, False),
        ({"QUOTH_LISTEN": "0.0.0.0", "QUOTH_PROXY": "tls"}, True),
        ({"QUOTH_LISTEN": "0.0.0.0", "QUOTH_PROXY": "tls,keys"}, False),
        ({"QUOTH_LISTEN": "::", "QUOTH_TLS_CERT": os.devnull, "QUOTH_TLS_KEY": os.devnull}, True),
        ({"QUOTH_HOSTS": "a.example", "QUOTH_PROXY": "tls,keys"}, False),
    ],
    ids=str,
)
def test_keys_are_asked_for_beyond_loopback_unless_a_proxy_asks(
    told: dict[str, str], asks: bool
) -> None:
    assert load_settings(Exposure, told).asks_for_keys is asks


@pytest.mark.control("V2")
@pytest.mark.fault("K1")
@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"QUOTH_LISTEN": "0.0.0.0"}, "QUOTH_TLS_CERT"),
        ({"QUOTH_LISTEN": "0.0.0.0", "QUOTH_REQUIRE_KEYS": "true"}, "QUOTH_TLS_CERT"),
        ({"QUOTH_LISTEN": "192.0.2.1", "QUOTH_HOSTS": "a.example"}, "QUOTH_TLS_CERT"),
        ({"QUOTH_TLS_CERT": os.devnull}, "QUOTH_TLS_KEY"),
        ({"QUOTH_PROXY": "yes"}, "QUOTH_PROXY"),
        ({"QUOTH_PROXY": "tls,keys", "QUOTH_REQUIRE_KEYS": "true"}, "QUOTH_REQUIRE_KEYS"),
        ({"QUOTH_LISTEN": "everywhere"}, "QUOTH_LISTEN"),
    ],
    ids=str,
)
def test_a_gateway_open_to_everyone_without_keys_does_not_start(
    told: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        load_settings(Exposure, told)


async def test_it_answers_under_the_names_it_is_told(backend: FakeBackend, keys: FakeKeys) -> None:
    app = make_app(backend, keys, hosts="quoth.example.org, other.example")
    for host, status in [
        ("quoth.example.org", 401),
        ("OTHER.example:443", 401),
        ("localhost:8080", 401),
        ("evil.example", 421),
    ]:
        async with connect(app) as client:
            assert (await client.get("/v1/books", headers={"Host": host})).status_code == status
    async with connect(make_app(backend, keys, hosts="*"), "any.example") as client:
        assert (await client.get("/healthz")).status_code == 200


@pytest.mark.control("V13", "V12")
async def test_behind_a_proxy_the_address_is_the_one_that_it_saw(
    backend: FakeBackend, keys: FakeKeys
) -> None:
    app = make_app(backend, keys, require_keys=True, proxy="tls")
    wrong = bearer("quoth_wrong")
    async with connect(app) as client:
        for number in range(21):
            forwarded = {"X-Forwarded-For": f"10.0.0.{number}, 192.0.2.7"}
            last = await client.get("/v1/books", headers={**wrong, **forwarded})
        other = await client.get("/v1/books", headers={**wrong, "X-Forwarded-For": "192.0.2.8"})
    assert (last.status_code, other.status_code) == (429, 401)


@pytest.mark.control("V19")
@pytest.mark.parametrize(
    ("exposure", "origin", "status"),
    [
        ({}, "http://localhost:8080", 200),
        ({}, "https://localhost:8080", 403),
        ({"proxy": "tls"}, "https://localhost:8080", 200),
        ({"tls_cert": Path("a"), "tls_key": Path("b")}, "https://localhost:8080", 200),
        ({"tls_cert": Path("a"), "tls_key": Path("b")}, "http://localhost:8080", 403),
        ({"proxy": "tls"}, "https://evil.example", 403),
    ],
    ids=str,
)
async def test_our_own_pages_come_by_the_scheme_that_is_served(
    backend: FakeBackend, keys: FakeKeys, exposure: dict[str, Any], origin: str, status: int
) -> None:
    async with connect(make_app(backend, keys, **exposure)) as client:
        response = await client.post(ANSWERS, json=QUESTION, headers={"Origin": origin})
    assert response.status_code == status


async def test_refused_requests_are_counted(
    client: httpx.AsyncClient, keys: FakeKeys, recorded: Recorded
) -> None:
    await client.get("/v1/books")
    await client.get("/v1/keys", headers=bearer(keys.grant()))
    told = {point["error.type"]: count for point, count in recorded["quoth.requests.refused"]}
    assert told == {"unauthenticated": 1, "forbidden": 1}
