"""Pages of a PDF over REST: what is sent, how long it is kept, what is refused."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.gateway.bootstrap import bootstrap
from services.gateway.settings import Settings
from tests.support.gateway_fakes import SLUG, FakeBackend
from tests.support.pictures import png

PAGE = f"/v1/books/{SLUG}/pages/2?document=a.pdf"
PLACES = f"/v1/books/{SLUG}/pages/2/places?document=a.pdf"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(pages={2: png(20, 30)})


@pytest.fixture
async def client(backend: FakeBackend) -> AsyncIterator[httpx.AsyncClient]:
    app = bootstrap(
        Settings(), library=backend, intake=backend, searcher=backend, answerer=backend, probes={}
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_a_page_of_an_edition_is_kept_for_ever_by_who_had_it(
    client: httpx.AsyncClient,
) -> None:
    response = await client.get(f"{PAGE}&edition=3")
    assert response.content == png(20, 30)
    assert response.headers["content-type"] == "image/png"
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_a_page_of_whatever_edition_is_current_is_not_kept(client: httpx.AsyncClient) -> None:
    assert (await client.get(PAGE)).headers["cache-control"] == "no-store"


async def test_places_are_boxes_of_a_range(client: httpx.AsyncClient, backend: FakeBackend) -> None:
    response = await client.get(f"{PLACES}&start=4&end=9")
    assert response.json() == {"boxes": [{"left": 0.25, "top": 0.5, "width": 0.5, "height": 0.1}]}
    assert backend.looked_for == [(2, 4, 9)]


@pytest.mark.parametrize("number", ["3", "0", "x", "-1", "9" * 7, "²"])
async def test_a_page_that_is_not_there_is_not_found(
    client: httpx.AsyncClient, number: str
) -> None:
    response = await client.get(PAGE.replace("/2?", f"/{number}?"))
    assert response.status_code == 404


@pytest.mark.parametrize(
    "address",
    [PAGE.partition("?")[0], f"{PLACES}&start=4", f"{PLACES}&start=-1&end=3", f"{PAGE}&edition=0"],
)
async def test_a_request_that_names_too_little_is_refused(
    client: httpx.AsyncClient, address: str
) -> None:
    assert (await client.get(address)).status_code == 422


async def test_another_book_has_not_this_ones_pages(client: httpx.AsyncClient) -> None:
    assert (await client.get(PAGE.replace(SLUG, "other"))).status_code == 404
