"""The one way to an answer, whatever the form of the request: budget, turn, edition, deadline."""

from dataclasses import dataclass

from libs.budget import current_budget
from libs.budget.stages import ANSWER
from libs.errors import NotFound
from services.gateway.access.guard import NO_BOOK
from services.gateway.access.token_budget import TokenBudget
from services.gateway.concurrency import ConcurrencyLimiter
from services.gateway.keys import Caller
from services.gateway.model.answers import (
    Answer,
    Message,
    Question,
    SelectedText,
    SuggestionsWanted,
)
from services.gateway.model.books import Book
from services.gateway.model.passages import SearchResult
from services.gateway.pipeline import (
    Confirm,
    CurrentEditionCache,
    Release,
    answer_question,
    search_book,
)
from services.gateway.ports import Answerer, Searcher, Suggester
from services.gateway.schemas import Suggestions


@dataclass(frozen=True)
class BookQuestion:
    """A question as it came, of a book that still has to be looked up."""

    book: str
    text: str
    selection: SelectedText | None = None
    section_path: tuple[str, ...] = ()
    history: tuple[Message, ...] = ()
    profile: str = ""
    request_key: str = ""
    session_id: str = ""
    user_id: str = ""
    document: str = ""
    chapter: str = ""
    page: str = ""
    reader_languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asking:
    """Asks for callers, inside the deadline of their request."""

    editions: CurrentEditionCache
    searcher: Searcher
    answerer: Answerer
    suggester: Suggester
    turns: ConcurrencyLimiter
    tokens: TokenBudget

    async def answer(
        self, caller: Caller, asked: BookQuestion, release: Release | None = None
    ) -> Answer:
        """Return the answer; what is known before it goes to `release`, if given, at once."""
        _require_sight(caller, asked.book)
        async with (
            self.turns.turn(current_budget().left_s()),
            self.tokens.reserve(caller) as spending,
        ):
            answer = await self.editions.ask(
                asked.book,
                lambda book, confirm: answer_question(
                    _question(book, asked, caller),
                    list(asked.history),
                    self.answerer,
                    confirm,
                    release,
                ),
            )
            uses = [use for use in (answer.model_use, answer.verifier_use) if use]
            if answer.replayed:
                uses = []  # its tokens were counted when it was written
            spending.tokens = sum(use.input_tokens + use.output_tokens for use in uses)
            return answer

    async def search(self, caller: Caller, asked: BookQuestion, max_passages: int) -> SearchResult:
        _require_sight(caller, asked.book)
        async with self.turns.turn(current_budget().left_s()):
            return await self.editions.ask(
                asked.book,
                lambda book, confirm: search_book(
                    _question(book, asked, caller), max_passages, self.searcher, confirm
                ),
            )

    async def suggest(self, slug: str, wanted: SuggestionsWanted) -> Suggestions:
        """Return questions to begin or to go on with. Raises NotFound."""
        async with self.turns.turn(current_budget().left_s()):
            return await self.editions.ask(
                slug, lambda book, confirm: self._suggest(book, wanted, confirm)
            )

    async def _suggest(
        self, book: Book, wanted: SuggestionsWanted, confirm: Confirm
    ) -> Suggestions:
        async with current_budget().stage(ANSWER) as allowed_s:
            questions = await self.suggester.suggest_questions(book, wanted, allowed_s)
            await confirm()
        return Suggestions(book.slug, book.edition, questions)


def _require_sight(caller: Caller, book: str) -> None:
    """Raise NotFound: the guard has seen books that addresses name, not those that bodies name."""
    if not caller.may_see(book):
        raise NotFound(NO_BOOK)


def _question(book: Book, asked: BookQuestion, caller: Caller) -> Question:
    return Question(
        book.slug,
        book.edition,
        asked.text,
        asked.selection,
        list(asked.section_path),
        asked.profile,
        book.title,
        book.language,
        caller.client,
        asked.request_key,
        asked.session_id,
        asked.user_id,
        asked.document,
        asked.chapter,
        asked.page,
        book.languages,
        asked.reader_languages,
        list(book.authors),
    )
