"""Lists over real sockets and engines: pages hold each entry once, whatever happens meanwhile."""

import pytest

from libs.errors import InvalidInput
from tests.rpc.test_editions import Client, serving
from tests.support.engines import PostgresNode, QdrantNode

TEXT = "# Mill\n\nThe wheel turns."
THREE = {name: f"# {name}\n\nThe wheel turns {name}." for name in ("c.md", "a.md", "b.md")}


async def page(client: Client, method: str, token: str, **fields: object) -> tuple[list[str], str]:
    """Return the names of a page of two, and the token of the next one."""
    found = await client.call(method, page_size=2, page_token=token, **fields)
    names = {
        "ListBooks": lambda: [book.slug for book in found.books],
        "ListDocuments": lambda: [document.path for document in found.documents],
        "ListEditions": lambda: [str(edition.number) for edition in found.editions],
    }
    return names[method](), found.next_page_token


async def test_pages_of_books_hold_each_once_while_others_come_and_go(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        slugs = [f"page-{letter}" for letter in "bdf"]
        for slug in slugs:
            await client.ingest({"a.md": TEXT}, slug)
        first, token = await page(client, "ListBooks", "", slugs=slugs)
        assert first == slugs[:2]
        await client.ingest({"a.md": TEXT}, "page-a")
        await client.end((await client.call("DeleteBook", book="page-d")).job)
        wanted = [*slugs, "page-a"]
        assert await page(client, "ListBooks", token, slugs=wanted) == (slugs[2:], "")
        # Without names it is all there are, and a restricted list names no book beside it.
        everything = [book.slug for book in (await client.call("ListBooks")).books]
        assert {"page-a", "page-b", "page-f"} <= set(everything)
        assert everything == sorted(everything)
        assert await page(client, "ListBooks", "", slugs=["page-b", "nowhere"]) == (["page-b"], "")


async def test_pages_of_documents_stay_in_the_edition_they_began_with(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        await client.ingest(THREE, "documents")
        first, token = await page(client, "ListDocuments", "", book="documents")
        await client.ingest({**THREE, "b0.md": TEXT, "d.md": TEXT}, "documents")
        second, end = await page(client, "ListDocuments", token, book="documents")
        assert ([*first, *second], end) == (["a.md", "b.md", "c.md"], "")
        found = await client.call("ListDocuments", book="documents", page_token=token)
        assert (found.edition, len(found.documents), found.next_page_token) == (1, 1, "")
        assert len((await client.call("ListDocuments", book="documents")).documents) == 5
        with pytest.raises(InvalidInput, match="Begin with the first page"):
            await page(client, "ListDocuments", token, book="documents", edition=2)


async def test_pages_of_editions_are_not_moved_by_a_new_one(
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    async with serving(engines) as client:
        for number in range(3):
            await client.ingest({"a.md": f"{TEXT} It did so {number} times."}, "history")
        first, token = await page(client, "ListEditions", "", book="history")
        await client.ingest({"a.md": TEXT}, "history")
        assert (first, *await page(client, "ListEditions", token, book="history")) == (
            ["3", "2"],
            ["1"],
            "",
        )
        with pytest.raises(InvalidInput, match="Begin with the first page"):
            await page(client, "ListEditions", token, book="documents")


@pytest.mark.parametrize("method", ["ListBooks", "ListDocuments", "ListEditions"])
async def test_a_bad_page_cursor_is_refused_in_one_sentence(
    engines: tuple[QdrantNode, PostgresNode], method: str
) -> None:
    book = {} if method == "ListBooks" else {"book": "history"}
    async with serving(engines) as client:
        with pytest.raises(InvalidInput, match="This cursor was not given for this list"):
            await page(client, method, "MjAyNg", **book)
        for size in (-1, 1001):
            with pytest.raises(InvalidInput, match="1 to 1000"):
                await client.call(method, page_size=size, **book)
