"""A question begins with the edition that was seen last, and shows only what is current."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import GATEWAY
from libs.errors import DeadlineExceeded, NotFound, Unavailable
from services.gateway.model.answers import Answer, PassagesFound, Question
from services.gateway.model.books import Book
from services.gateway.model.passages import SearchResult
from services.gateway.pipeline import Confirm, CurrentEditionCache, answer_question, search_book
from tests.support.gateway_fakes import BOOK, SLUG, FakeBackend, make_answer


@dataclass
class SlowLibrary(FakeBackend):
    """Holds every look at a book back until `open` is set; `published` is what it shows then."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    published: int = 3
    gone: bool = False

    async def get_book(self, slug: str, timeout_s: float) -> Book:
        self.asked.append(("book", slug))
        await self.open.wait()
        if self.gone:
            raise NotFound("There is no book of that name.")
        return replace(BOOK, edition=self.published)


@pytest.fixture
def backend() -> SlowLibrary:
    set_current_budget(Budget(5.0, GATEWAY))
    return SlowLibrary()


@pytest.fixture
async def editions(backend: SlowLibrary) -> CurrentEditionCache:
    """Editions that have seen the third edition; the next look waits for `backend.open`."""
    editions = CurrentEditionCache(backend)
    backend.open.set()
    await ask(editions, backend)
    backend.open.clear()
    backend.questions.clear()
    return editions


async def ask(
    editions: CurrentEditionCache,
    backend: SlowLibrary,
    released: list[object] | None = None,
) -> Answer:
    def work(book: Book, confirm: Confirm) -> Coroutine[Any, Any, Answer]:
        question = Question(book.slug, book.edition, "How?", None, [], "")
        release = None if released is None else released.append
        return answer_question(question, [], backend, confirm, release)

    return await editions.ask(SLUG, work)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def editions_asked(backend: SlowLibrary) -> list[int]:
    return [question.edition for question in backend.questions]


async def test_an_unknown_book_is_looked_up_before_it_is_asked(backend: SlowLibrary) -> None:
    asking = asyncio.create_task(ask(CurrentEditionCache(backend), backend))
    await settle()
    assert backend.questions == []
    backend.open.set()
    await asking
    assert editions_asked(backend) == [3]


async def test_a_known_book_is_asked_while_it_is_looked_up_and_nothing_is_shown_before(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    released: list[object] = []
    asking = asyncio.create_task(ask(editions, backend, released))
    await settle()
    assert editions_asked(backend) == [3]
    assert (released, asking.done()) == ([], False)
    backend.open.set()
    await asking
    assert isinstance(released[0], PassagesFound)
    assert editions_asked(backend) == [3]


async def test_a_question_is_answered_from_the_edition_that_was_current_when_it_came(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    released: list[object] = []
    backend.published = 4
    backend.script = lambda question: [
        PassagesFound([]),
        replace(make_answer(), edition=question.edition),
    ]
    asking = asyncio.create_task(ask(editions, backend, released))
    await settle()
    backend.open.set()
    assert (await asking).edition == 4
    assert editions_asked(backend) == [3, 4]
    assert len(released) == 1
    assert backend.cancelled.is_set()
    await ask(editions, backend)
    assert editions_asked(backend) == [3, 4, 4]


async def test_an_error_of_an_outdated_edition_is_not_shown(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    backend.published = 2  # rolled back
    backend.script = lambda question: (
        [Unavailable("gone")] if question.edition == 3 else [make_answer()]
    )
    asking = asyncio.create_task(ask(editions, backend))
    await settle()
    assert not asking.done()
    backend.open.set()
    await asking
    assert editions_asked(backend) == [3, 2]


async def test_an_error_of_the_current_edition_is_shown(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    backend.script = lambda _: [Unavailable("down")]
    backend.open.set()
    with pytest.raises(Unavailable, match="down"):
        await ask(editions, backend)


async def test_the_deadline_does_not_wait_for_the_lookup(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    backend.script = lambda _: [DeadlineExceeded("late", stage="generation.complete")]
    with pytest.raises(DeadlineExceeded, match="late"):
        await ask(editions, backend)


@pytest.mark.fault("D3")
async def test_the_answer_says_why_it_failed_where_the_lookup_fails_too(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    backend.script = lambda _: [Unavailable("The record of answers does not answer.")]
    with pytest.raises(Unavailable, match="The record of answers"):
        await ask(editions, backend)  # the look hangs until its stage ends


@pytest.mark.fault("D3")
async def test_a_lookup_that_hangs_is_a_list_of_books_that_does_not_answer(
    backend: SlowLibrary,
) -> None:
    with pytest.raises(Unavailable, match="The list of books does not answer"):
        await ask(CurrentEditionCache(backend), backend)


@pytest.mark.parametrize("script", [[make_answer()], [Unavailable("no such edition")]])
async def test_a_book_that_was_deleted_is_not_found_and_forgotten(
    editions: CurrentEditionCache, backend: SlowLibrary, script: list[Any]
) -> None:
    backend.gone, backend.script = True, lambda _: script
    backend.open.set()
    with pytest.raises(NotFound):
        await ask(editions, backend)
    asked = len(backend.questions)
    with pytest.raises(NotFound):
        await ask(editions, backend)
    assert len(backend.questions) == asked


async def test_a_reader_who_leaves_cancels_the_lookup(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    asking = asyncio.create_task(ask(editions, backend))
    await settle()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_search_waits_for_the_lookup_too(
    editions: CurrentEditionCache, backend: SlowLibrary
) -> None:
    def work(book: Book, confirm: Confirm) -> Coroutine[Any, Any, SearchResult]:
        question = Question(book.slug, book.edition, "How?", None, [], "")
        return search_book(question, 5, backend, confirm)

    backend.published = 4
    searching = asyncio.create_task(editions.ask(SLUG, work))
    await settle()
    assert not searching.done()
    backend.open.set()
    found: SearchResult = await searching
    assert found.edition == 4
    assert [question.edition for question in backend.searches] == [3, 4]


async def test_the_number_of_remembered_books_is_bounded(
    backend: SlowLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.gateway.pipeline._MOST_REMEMBERED", 2)
    editions, begun = CurrentEditionCache(backend), []

    async def work(book: Book, confirm: Confirm) -> None:
        begun.append(backend.open.is_set())
        await confirm()

    backend.open.set()
    for slug in ("one", "two", "three"):
        await editions.ask(slug, work)
    backend.open.clear()
    again = asyncio.create_task(editions.ask("one", work))
    await settle()
    backend.open.set()
    await again
    assert begun == [True] * 4
