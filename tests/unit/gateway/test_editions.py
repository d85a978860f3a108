"""The history of a book over REST, over fakes."""

from collections.abc import AsyncIterator

import httpx
import msgspec
import pytest

from services.gateway.keys import Caller
from services.gateway.model.books import Book
from services.gateway.model.ingests import Difference, DocumentChange, Vacuumed
from services.gateway.routes import books
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import SLUG, FakeBackend, make_job

BOOK = f"/v1/books/{SLUG}"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
async def client(backend: FakeBackend) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(backend)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_the_editions_of_a_book_are_listed(
    client: httpx.AsyncClient,
) -> None:
    listed = (await client.get(f"{BOOK}/editions")).json()
    assert listed["book"] == SLUG
    [edition] = listed["editions"]
    assert (edition["number"], edition["current"]) == (3, True)
    assert edition["reasons"] == ["1 document changed"]
    assert (await client.get("/v1/books/nothing/editions")).status_code == 404


@pytest.mark.parametrize(("named", "number"), [("3", 3), ("current", 0)])
async def test_a_report_names_every_character_that_is_missing(
    client: httpx.AsyncClient, backend: FakeBackend, named: float | str, number: float
) -> None:
    report = (await client.get(f"{BOOK}/editions/{named}/report")).json()
    [document] = report["documents"]
    assert document["visible_characters"] - document["covered_characters"] == 1
    assert document["missing"] == [
        {"start": 10, "end": 11, "text": "†", "reason": "it belongs to no block"}
    ]
    assert document["dropped_content"][-1] == {
        "kind": "block",
        "place": "line 9",
        "reason": "Malformed table",
        "characters": 41,
        "dropped": False,
    }
    assert report["seconds"] == {"split": 0.25}
    assert backend.asked == [("report", SLUG, number)]


@pytest.mark.parametrize(
    ("path", "kind", "asked"),
    [
        ("diff?from=2&to=3", "compare", ("diff", SLUG, 2, 3)),
        ("diff", "compare", ("diff", SLUG, 0, 0)),
        ("rollback?edition=3", "roll_back", ("rollback", SLUG, 3)),
        ("rollback", "roll_back", ("rollback", SLUG, 0)),
        ("vacuum?keep=2", "vacuum", ("vacuum", SLUG, 2)),
    ],
)
async def test_editions_are_compared_shown_and_vacuumed_by_jobs(
    client: httpx.AsyncClient, backend: FakeBackend, path: str, kind: str, asked: tuple[object, ...]
) -> None:
    answer = await client.post(f"{BOOK}/{path}")
    assert (answer.status_code, answer.headers["location"]) == (202, f"{BOOK}/ingests/job-1")
    assert answer.json()["job"]["kind"] == kind
    assert backend.asked == [asked]


async def test_a_book_and_its_documents_say_where_they_stand_page_by_page(
    client: httpx.AsyncClient,
) -> None:
    told = (await client.get(f"{BOOK}/state?limit=1")).json()
    assert (told["book"], told["state"]) == (SLUG, "stale")
    assert told["documents"] == [{"path": "a.md", "state": "indexed"}]
    more = (await client.get(f"{BOOK}/state", params={"cursor": told["next_cursor"]})).json()
    assert more["documents"] == [{"path": "b.md", "state": "stale"}]
    assert (await client.get("/v1/books/nothing/state")).status_code == 404


async def test_a_job_says_what_came_of_a_comparison_or_a_vacuum(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    change = DocumentChange("keeping.md", "changed", None, 2, 1)
    found, swept = Difference(2, 3, [change], 5, 2, 1), Vacuumed([1], 7, 1, 3)
    backend.states = [make_job(state="done", kind="compare", difference=found, vacuumed=swept)]
    told = (await client.get(f"{BOOK}/ingests/job-1")).json()["job"]
    assert told["state"] == "done"
    assert msgspec.convert(told["difference"], Difference) == found
    assert msgspec.convert(told["vacuumed"], Vacuumed) == swept


async def test_books_and_documents_are_deleted_by_jobs_that_can_be_watched_and_cancelled(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    answer = await client.delete(BOOK)
    assert (answer.status_code, answer.headers["location"]) == (202, f"{BOOK}/ingests/job-1")
    assert (await client.delete(f"{BOOK}/documents/part%20one/mills.md")).status_code == 202
    cancelled = await client.delete(f"{BOOK}/ingests/job-1")
    assert cancelled.json()["job"]["state"] == "cancelled"
    assert backend.asked == [
        ("delete", SLUG),
        ("delete", SLUG, "part one/mills.md"),
        ("cancel", "job-1"),
    ]


async def test_jobs_of_a_book_that_have_not_ended_are_listed(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    backend.states = [make_job(state="running"), make_job(state="published")]
    answer = await client.get(f"{BOOK}/ingests")
    assert [(one["job_id"], one["state"]) for one in answer.json()["jobs"]] == [
        ("job-1", "running")
    ]
    assert backend.asked == [("list jobs", SLUG)]


async def test_a_job_of_another_book_is_not_cancelled(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    assert (await client.delete("/v1/books/other/ingests/job-1")).status_code == 404
    assert backend.asked == []


@pytest.mark.control("V19")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/rollback"),
        ("POST", "/vacuum"),
        ("DELETE", ""),
        ("DELETE", "/documents/keeping.md"),
        ("DELETE", "/ingests/job-1"),
    ],
)
async def test_requests_of_another_site_change_nothing(
    client: httpx.AsyncClient,
    backend: FakeBackend,
    method: str,
    path: str,
) -> None:
    answer = await client.request(method, BOOK + path, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
    assert backend.asked == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/editions/0/report"),
        ("GET", "/editions/first/report"),
        ("POST", "/diff?from=0"),
        ("POST", "/diff?form=1"),
        ("POST", "/rollback?edition=-1"),
        ("POST", "/vacuum?keep=0"),
    ],
)
async def test_a_bad_edition_number_is_refused(
    client: httpx.AsyncClient,
    backend: FakeBackend,
    method: str,
    path: str,
) -> None:
    answer = await client.request(method, BOOK + path)
    assert (answer.status_code, backend.asked) == (422, [])


async def test_permission_to_publish_a_part_is_passed_on(
    client: httpx.AsyncClient, backend: FakeBackend
) -> None:
    answer = await client.post(
        f"{BOOK}/ingests?file_name=a.md&allow_partial=true",
        content=b"# A",
        headers={"content-type": "text/markdown"},
    )
    assert answer.status_code == 202
    assert [source.allow_partial for source, _ in backend.sources] == [True]


async def test_a_dry_run_is_passed_on(client: httpx.AsyncClient, backend: FakeBackend) -> None:
    answer = await client.post(
        f"{BOOK}/ingests?file_name=a.md&dry_run=true",
        content=b"# A",
        headers={"content-type": "text/markdown"},
    )
    assert answer.status_code == 202
    assert [source.dry_run for source, _ in backend.sources] == [True]


@pytest.mark.parametrize(
    ("path", "entries"),
    [("/v1/books", "books"), (f"{BOOK}/documents", "documents"), (f"{BOOK}/editions", "editions")],
)
async def test_a_list_is_read_by_pages(
    client: httpx.AsyncClient, backend: FakeBackend, path: str, entries: str
) -> None:
    more = [msgspec.structs.replace(backend.books[0], slug=f"book-{n}") for n in range(2)]
    backend.books = [*backend.books, *more]
    whole = (await client.get(path)).json()
    assert whole["next_cursor"] == ""
    seen, cursor = [], ""
    while True:
        page = (await client.get(path, params={"limit": 1, "cursor": cursor})).json()
        assert len(page[entries]) == 1
        seen += page[entries]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert seen == whole[entries]
    for query, told in (
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        (f"cursor={'x' * 2001}", "cursor"),
        ("cursor=x", "Begin with the first page"),
    ):
        refused = await client.get(f"{path}?{query}")
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
        assert told in refused.json()["detail"]


async def test_a_key_for_some_books_is_told_of_no_other_by_a_cursor(
    client: httpx.AsyncClient, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    async def note(slugs: object, page: object, timeout_s: float) -> tuple[list[Book], str]:
        asked.append(slugs)
        return backend.books, ""

    monkeypatch.setattr(backend, "list_books", note)
    monkeypatch.setattr(books, "caller_of_request", lambda _: Caller(books=("mine",)))
    # An ingest service of the version before names all books.
    assert (await client.get("/v1/books")).json()["books"] == []
    assert asked == [("mine",)]
