"""Pages of other sites: which may call, with which keys, and what their browsers are told."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from libs.errors import Unavailable
from libs.settings import SettingsError, load_settings
from services.gateway.access import Cors, preflight_headers, readable_headers
from services.gateway.access.cors import REMEMBER_S
from services.gateway.keys import READER_RATE_PER_MINUTE, SCOPES
from services.gateway.settings import Exposure
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend
from tests.support.key_fakes import FakeKeys

SITE = "https://docs.example.org"
ANSWERS = "/v1/books/tide-mills/answers"
QUESTION = {"question": "How does it work?"}
WISH = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def keys() -> FakeKeys:
    return FakeKeys()


def connect(app: Starlette) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost:8080", trust_env=False)


@pytest.fixture
async def client(backend: FakeBackend, keys: FakeKeys) -> AsyncIterator[httpx.AsyncClient]:
    async with connect(make_app(backend, keys)) as client:
        yield client


def page(origin: str, key: str = "", **more: str) -> dict[str, str]:
    headers = {"Origin": origin, **more}
    return headers | {"Authorization": f"Bearer {key}"} if key else headers


async def ask(client: httpx.AsyncClient, headers: dict[str, str]) -> tuple[int, str, str]:
    """Ask; returns the status, the kind of problem, and who may read the response."""
    response = await client.post(ANSWERS, json=QUESTION, headers=headers)
    kind = "" if response.status_code == 200 else response.json()["code"]
    return response.status_code, kind, response.headers.get("access-control-allow-origin", "")


async def test_a_page_of_the_site_of_a_key_asks_with_it(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    key = keys.grant("docs", scopes=("ask",), origins=(SITE,))
    wish = await client.options(ANSWERS, headers=page(SITE, **WISH))
    assert wish.status_code == 204
    assert wish.headers["access-control-allow-origin"] == SITE
    assert "POST" in wish.headers["access-control-allow-methods"]
    assert {"authorization", "content-type", "idempotency-key", "last-event-id"} <= set(
        wish.headers["access-control-allow-headers"].split(", ")
    )
    assert "access-control-allow-credentials" not in wish.headers
    told = await client.post(ANSWERS, json=QUESTION, headers=page(SITE, key))
    assert told.status_code == 200
    assert told.headers["access-control-allow-origin"] == SITE
    assert "origin" in told.headers["vary"]
    assert "Retry-After" in told.headers["access-control-expose-headers"]


@pytest.mark.control("V19")
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://docs.example.org"},
        {"Origin": "https://docs.example.org:8443"},
        {"Origin": "http://localhost:8080"},
        {},
        {"Sec-Fetch-Site": "same-origin"},
    ],
    ids=str,
)
async def test_a_key_of_a_site_is_of_no_use_anywhere_else(
    client: httpx.AsyncClient, keys: FakeKeys, backend: FakeBackend, headers: dict[str, str]
) -> None:
    key = keys.grant("docs", scopes=("ask",), origins=(SITE,))
    sent = {**headers, "Authorization": f"Bearer {key}"}
    assert await ask(client, sent) == (403, "foreign_origin", "")
    assert (await client.get("/v1/answers/a-1", headers=sent)).status_code == 403
    assert not backend.questions


async def test_a_site_that_lies_before_the_gateway_reads_without_naming_itself(
    backend: FakeBackend, keys: FakeKeys
) -> None:
    """Browsers send no origin with what a page reads from its own site."""
    key = keys.grant("docs", scopes=("ask",), origins=(SITE,))
    app = make_app(backend, keys, hosts="docs.example.org", proxy="tls")
    sent = {"Host": "docs.example.org", "Authorization": f"Bearer {key}"}
    async with connect(app) as client:
        own = await client.get("/v1/answers/a-1", headers={**sent, "Sec-Fetch-Site": "same-origin"})
        other = await client.get("/v1/answers/a-1", headers={**sent, "Sec-Fetch-Site": "none"})
    assert (own.status_code, other.status_code) == (404, 403)


@pytest.mark.control("V19")
async def test_a_page_of_no_known_site_is_told_nothing(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    keys.grant("docs", scopes=("ask",), origins=(SITE,))
    wish = await client.options(ANSWERS, headers=page("https://evil.example", **WISH))
    assert (wish.status_code, wish.json()["code"]) == (403, "foreign_origin")
    assert not [name for name in wish.headers if name.startswith("access-control-")]
    read = await client.get("/v1/books", headers=page("https://evil.example"))
    assert (read.status_code, read.json()["code"]) == (403, "foreign_origin")


@pytest.mark.control("V1", "V19")
async def test_a_page_of_a_known_site_without_a_key_may_do_nothing_here(
    backend: FakeBackend, keys: FakeKeys
) -> None:
    """On loopback nobody needs a key: whoever sits here, not who shows a page to them."""
    keys.grant("docs", scopes=("ask",), origins=(SITE,))
    async with connect(make_app(backend, keys, origins="http://localhost:3000")) as client:
        for origin in (SITE, "http://localhost:3000"):
            assert await ask(client, page(origin)) == (403, "foreign_origin", origin)
            read = await client.get("/v1/keys", headers=page(origin))
            assert (read.status_code, read.json()["code"]) == (403, "foreign_origin")
    assert not backend.questions


async def test_pages_of_listed_sites_call_with_the_keys_of_their_readers(
    backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("reader")
    async with connect(make_app(backend, keys, origins=f"{SITE}/, http://a.example:80")) as client:
        assert await ask(client, page(SITE, key)) == (200, "", SITE)
        assert await ask(client, page("http://a.example", key)) == (200, "", "http://a.example")
        assert await ask(client, page("https://b.example", key)) == (403, "foreign_origin", "")


def test_pages_may_send_and_read_all_that_is_described() -> None:
    described = TestClient(make_app(FakeBackend())).get("http://localhost/openapi.json").json()
    allowed = {name.decode(): text.decode().lower() for name, text in preflight_headers(SITE)}
    readable = {name.decode(): text.decode().lower() for name, text in readable_headers(SITE)}
    for item in described["paths"].values():
        for method, operation in item.items():
            assert method in allowed["access-control-allow-methods"]
            for sent in operation.get("parameters", ()):
                if sent["in"] == "header":
                    assert sent["name"].lower() in allowed["access-control-allow-headers"]
            for response in operation["responses"].values():
                for name in response.get("headers", ()):
                    assert name.lower() in readable["access-control-expose-headers"]


async def test_an_error_can_be_read_by_the_page_that_caused_it(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    keys.grant("docs", scopes=("ask",), origins=(SITE,))
    assert await ask(client, page(SITE, "quoth_x")) == (401, "unauthenticated", SITE)


async def test_sites_of_a_key_are_forgotten_soon_after_it_ends(keys: FakeKeys) -> None:
    now = [0.0]
    cors = Cors(Exposure(), keys, lambda: now[0])
    assert await cors.find_origin({"origin": SITE}) == ""
    key = keys.grant("docs", scopes=("ask",), origins=(SITE,))
    now[0] += REMEMBER_S
    assert await cors.find_origin({"origin": SITE}) == SITE
    await keys.revoke_key(key.split("_")[1], 1.0)
    now[0] += REMEMBER_S
    assert await cors.find_origin({"origin": SITE}) == ""


@pytest.mark.fault("D3")
async def test_without_the_store_of_keys_the_sites_last_seen_stay_known(keys: FakeKeys) -> None:
    now = [0.0]
    cors = Cors(Exposure(), keys, lambda: now[0])
    keys.grant("docs", scopes=("ask",), origins=(SITE,))
    assert await cors.find_origin({"origin": SITE}) == SITE
    keys.failure = Unavailable("The database does not answer.")
    now[0] += REMEMBER_S
    assert await cors.find_origin({"origin": SITE}) == SITE
    assert await cors.find_origin({"origin": "https://evil.example"}) == ""


@pytest.mark.control("V13", "V14")
async def test_one_reader_of_a_site_takes_nothing_from_the_others(
    backend: FakeBackend, keys: FakeKeys
) -> None:
    key = keys.grant("docs", scopes=("ask",), origins=(SITE,), rate_per_minute=22)
    async with connect(make_app(backend, keys, proxy="tls")) as client:

        async def from_address(address: str) -> tuple[int, str, str]:
            return await ask(client, page(SITE, key, **{"X-Forwarded-For": address}))

        for _ in range(READER_RATE_PER_MINUTE):
            assert (await from_address("192.0.2.1"))[0] == 200
        for _ in range(5):
            assert (await from_address("192.0.2.1"))[:2] == (429, "rate_limited")
        assert [(await from_address("192.0.2.2"))[0] for _ in range(3)] == [200, 200, 429]


async def test_a_key_of_a_site_is_made_for_asking_at_a_low_rate(
    client: httpx.AsyncClient, keys: FakeKeys
) -> None:
    operator = {"Authorization": f"Bearer {keys.grant('operator', scopes=('admin',))}"}
    body = {"client": "docs", "origins": ["HTTPS://Docs.Example.org:443/", SITE]}
    made = await client.post("/v1/keys", json=body, headers=operator)
    key = made.json()["key"]
    assert (key["origins"], key["scopes"], key["rate_per_minute"]) == ([SITE], ["ask"], 60)
    rotated = await client.post(f"/v1/keys/{key['key_id']}/rotate", json={}, headers=operator)
    assert rotated.json()["key"]["origins"] == [SITE]


@pytest.mark.control("V1")
@pytest.mark.parametrize(
    ("change", "named"),
    [
        *(({"scopes": [scope]}, "scopes") for scope in SCOPES if scope != "ask"),
        ({"scopes": ["ask", "read"]}, "scopes"),
        ({"origins": ["*"]}, "origins"),
        ({"origins": ["null"]}, "origins"),
        ({"origins": ["docs.example.org"]}, "origins"),
        ({"origins": ["https://docs.example.org/book"]}, "origins"),
        ({"origins": ["https://me@docs.example.org"]}, "origins"),
    ],
    ids=str,
)
async def test_a_key_that_a_whole_site_would_share_is_refused(
    client: httpx.AsyncClient, keys: FakeKeys, change: dict[str, Any], named: str
) -> None:
    operator = {"Authorization": f"Bearer {keys.grant('operator', scopes=('admin',))}"}
    body = {"client": "docs", "origins": [SITE], **change}
    refused = await client.post("/v1/keys", json=body, headers=operator)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    assert refused.json()["detail"].startswith(named)


@pytest.mark.parametrize("origins", ["*", "docs.example.org", f"{SITE}/book", f"{SITE},null"])
def test_a_list_of_sites_that_names_none_does_not_start(origins: str) -> None:
    with pytest.raises(SettingsError, match="QUOTH_ORIGINS"):
        load_settings(Exposure, {"QUOTH_ORIGINS": origins})
