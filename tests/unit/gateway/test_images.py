"""Pictures of books over REST: headers, who gets one, and what is none."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.gateway.bootstrap import bootstrap
from services.gateway.settings import Settings
from tests.support.gateway_fakes import SLUG, FakeBackend
from tests.support.pictures import DRAWING, png

PNG_ID, SVG_ID, ODD_ID = "a" * 64, "b" * 64, "c" * 64
IMAGES = f"/v1/books/{SLUG}/images"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    backend = FakeBackend(
        images={
            PNG_ID: ("image/png", png(40, 40) * 20),
            SVG_ID: ("image/svg+xml", DRAWING),
            ODD_ID: ("text/html", b"<script>1</script>"),
        }
    )
    app = bootstrap(
        Settings(),
        library=backend,
        intake=backend,
        searcher=backend,
        answerer=backend,
        probes={},
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_a_picture_is_sent_as_it_is_and_kept_for_ever(client: httpx.AsyncClient) -> None:
    response = await client.get(f"{IMAGES}/{PNG_ID}?edition=3")
    assert response.content == png(40, 40) * 20
    assert response.headers["content-type"] == "image/png"
    assert response.headers["etag"] == f'W/"{PNG_ID}"'
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "content-encoding" not in response.headers


async def test_a_client_that_has_a_picture_is_not_sent_it_again(client: httpx.AsyncClient) -> None:
    headers = {"If-None-Match": f'"{PNG_ID}"'}
    response = await client.get(f"{IMAGES}/{PNG_ID}", headers=headers)
    assert (response.status_code, response.content) == (304, b"")
    assert "immutable" in response.headers["cache-control"]
    gone = await client.get(f"{IMAGES}/{'d' * 64}", headers={"If-None-Match": f'"{"d" * 64}"'})
    assert gone.status_code == 404


@pytest.mark.control("V7")
async def test_a_drawing_runs_nothing_when_it_is_opened_alone(client: httpx.AsyncClient) -> None:
    response = await client.get(f"{IMAGES}/{SVG_ID}")
    assert response.headers["content-type"] == "image/svg+xml"
    policies = response.headers.get_list("content-security-policy")
    assert any("sandbox" in policy and "default-src 'none'" in policy for policy in policies)


@pytest.mark.control("V7")
@pytest.mark.parametrize("path", [ODD_ID, "x", "..%2f..%2fetc%2fpasswd", "A" * 64, "a" * 63])
async def test_a_path_that_names_no_picture_is_not_found(
    client: httpx.AsyncClient, path: str
) -> None:
    response = await client.get(f"{IMAGES}/{path}")
    assert response.status_code == 404
    assert response.headers["cache-control"] == "no-store"


async def test_another_book_has_not_this_ones_pictures(client: httpx.AsyncClient) -> None:
    assert (await client.get(f"/v1/books/other/images/{PNG_ID}")).status_code == 404
