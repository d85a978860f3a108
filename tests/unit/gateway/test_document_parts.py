"""A long document comes in parts: whole blocks, each once, that are the document when put together."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.errors import InvalidInput
from services.gateway.model.books import Document
from services.gateway.routes.document_parts import part_of
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import SLUG, FakeBackend
from tests.support.pictures import png

SOURCE = "".join(
    f"# Part {number} 🌊\n\nThe *wheel* turns.\n\n- one\n- two\n\n![Gate](gate.png)\n\n"
    for number in range(1, 9)
)
WHOLE = parse_and_show("long.md", SOURCE, files={"gate.png": png()})
URL = f"/v1/books/{SLUG}/documents/long.md"


def parts_of(whole: Document, length: int) -> list[Document]:
    parts = [part_of(whole, 0, length)]
    while (start := parts[-1].next_start) is not None:
        parts.append(part_of(whole, start, length))
    return parts


@given(st.integers(1, 600))
def test_the_parts_put_together_are_the_document(length: int) -> None:
    parts = parts_of(WHOLE, length)
    assert "".join(part.text for part in parts) == WHOLE.text
    assert [block for part in parts for block in part.blocks] == WHOLE.blocks
    assert [one for part in parts for one in part.markup] == WHOLE.markup
    assert [part.sections for part in parts] == [WHOLE.sections, *([[]] * (len(parts) - 1))]
    for part in parts:
        shown = {one.value for one in part.markup if one.kind == "image"}
        assert {image.image_id for image in part.images} == shown
        assert all(part.start <= block.start for block in part.blocks)


@pytest.mark.parametrize("inside", [0, 1, 5])
def test_a_part_begins_with_the_block_that_is_asked_for(inside: int) -> None:
    block = WHOLE.blocks[6]
    part = part_of(WHOLE, block.start + inside, 1)
    assert part.blocks[0] == block
    assert part.text.startswith(WHOLE.text[block.start : block.end])


def test_without_a_length_it_is_the_rest() -> None:
    assert part_of(WHOLE, 0, None) is WHOLE
    start = WHOLE.blocks[3].start
    assert part_of(WHOLE, start, None).text == WHOLE.text[start:]


def test_a_start_behind_the_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match=f"has {WHOLE.length} characters"):
        part_of(WHOLE, WHOLE.length, 1)


@pytest.fixture
def client() -> httpx.AsyncClient:
    backend = FakeBackend()
    backend.documents["long.md"] = WHOLE
    transport = httpx.ASGITransport(make_app(backend))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


async def test_a_part_named_by_edition_and_content_may_be_cached_for_good(
    client: httpx.AsyncClient,
) -> None:
    known: dict[str, str | int] = {"edition": 3, "content_hash": WHOLE.content_hash, "length": 20}
    response = await client.get(URL, params=known)
    body = response.json()
    assert response.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert "authorization" in response.headers["vary"].lower()
    assert body["text"] == WHOLE.text[: body["next_start"]]
    for lacking in ("edition", "content_hash"):
        less = {name: value for name, value in known.items() if name != lacking}
        response = await client.get(URL, params=less)
        assert response.headers["cache-control"] == "private, no-cache"


async def test_a_document_that_is_known_is_not_sent_again(client: httpx.AsyncClient) -> None:
    whole, part = await client.get(URL), await client.get(URL, params={"length": 20})
    tag = whole.headers["etag"]
    assert part.headers["etag"] != tag
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = await client.get(URL, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = await client.get(URL, headers={"If-None-Match": f'"other", {part.headers["etag"]}'})
    assert (other.status_code, other.json()) == (200, whole.json())


async def test_another_document_at_the_path_is_not_found(client: httpx.AsyncClient) -> None:
    response = await client.get(URL, params={"edition": 3, "content_hash": "0" * 64})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("wrong", [{"start": -1}, {"length": 0}, {"start": "x"}])
async def test_a_part_that_none_can_be_is_refused(
    client: httpx.AsyncClient, wrong: dict[str, str | int]
) -> None:
    assert (await client.get(URL, params=wrong)).status_code == 422
