"""A small invented book, and everything behind the gateway made of it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from libs.errors import InvalidInput, NotFound, QuothError
from libs.paging import UNKNOWN_CURSOR
from services.gateway.model.answers import (
    Answer,
    Citation,
    Confidence,
    Feedback,
    FeedbackRequest,
    Message,
    PassagesFound,
    Question,
    Refusal,
    Sentence,
    SentenceReleased,
    Session,
    SuggestionsWanted,
)
from services.gateway.model.books import (
    Block,
    BlockKind,
    Book,
    Document,
    DocumentSummary,
    Image,
    PageQuery,
    Section,
)
from services.gateway.model.exact_words import SectionWithWords, WordsAsked, WordsFound
from services.gateway.model.ingests import (
    DocumentIndexState,
    DocumentReport,
    DroppedContent,
    Edition,
    IndexState,
    IngestJob,
    IngestReport,
    MissingRange,
    Source,
)
from services.gateway.model.passages import (
    Gate,
    Passage,
    PassageScores,
    SearchResult,
    Span,
    StageTiming,
)
from services.gateway.model.printed_pages import PageBox, PageOfDocument
from services.gateway.model.review import (
    CitedQuote,
    Coverage,
    CoverageQuery,
    Grade,
    GradeRequest,
    ReaderFeedback,
    ReviewedAnswer,
    ReviewList,
    ReviewQuery,
    SectionCoverage,
)
from services.gateway.ports import AnswerEvent
from services.gateway.routes.records import NO_ANSWER
from services.gateway.routes.sessions import NO_SESSION
from services.ingest import exact_words
from services.ingest.model.book import Section as IngestSection

WHEN = datetime(2026, 11, 21, 12, 30, 15, 250000, tzinfo=UTC)
REVIEWED = ReviewedAnswer(
    "0b6b7c1e-0000-4000-8000-000000000001",
    WHEN,
    "tide-mills",
    3,
    "reader",
    "What fills the pond?",
    "The tide fills it.",
    "answered",
    "",
    0.5,
    "low",
    [CitedQuote("keeping.md", "The tide fills it.", ["Keeping"])],
    ReaderFeedback("down", "incomplete", ""),
    None,
)
EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
T = TypeVar("T")

SLUG = "tide-mills"

Piece = tuple[BlockKind, str, int, str]

MILLS: list[Piece] = [
    ("heading", "How a tide mill works", 1, ""),
    (
        "paragraph",
        (
            "A tide mill stores the flood behind a dam and lets it out through a wheel when the sea "
            "has fallen. The pond fills by itself twice a day. No pump is needed, and no fuel."
        ),
        0,
        "",
    ),
    ("heading", "The three gates", 2, ""),
    ("paragraph", "Every mill of the coast has three gates 🌊 and one keeper.", 0, ""),
    ("list_item", "The sea gate opens with the flood and shuts with the ebb.", 1, "1."),
    ("list_item", "The wheel gate lets the pond fall on the wheel.", 1, "2."),
    ("list_item", "It must never be opened before the sea is low.", 2, "-"),
    ("list_item", "The spill gate saves the dam in a storm.", 1, "3."),
    ("heading", "What a wheel gives", 2, ""),
    (
        "table",
        (
            "Mill | Fall of water | Power\nOld Harbour | 2.4 m | 11 kW\nSaltmarsh | 1.8 m | 7 kW\n"
            "Lantern Point | 3.1 m | 19 kW"
        ),
        0,
        "",
    ),
    ("table", "| Spring | Neap\nHigh water | 6.2 m |\nLow water |  | 1.9 m", 0, ""),
    ("caption", "Three mills, measured in the dry summer.", 0, ""),
    ("paragraph", "The power of the wheel grows with the fall and with the flow.", 0, ""),
    ("math", r"P = \eta \rho g Q h", 0, ""),
    (
        "paragraph",
        (
            r"Here $\eta$ is the share, $Q$ the flow and $h(t)$ the fall at $5 a day, or $6 on "
            "Sundays; $HOME/$USER is a path."
        ),
        0,
        "",
    ),
    (
        "code",
        (
            "def power_kw(flow, fall, share=0.6):\n"
            "    # flow in m3/s, fall in m\n"
            "    return 9.81 * flow * fall * share"
        ),
        0,
        "python",
    ),
    ("admonition", "Never stand below the wheel gate while the pond is full.", 0, "warning"),
    ("admonition", "See also", 0, "seealso"),
    ("admonition", "Who greases the gates, in the next chapter.", 0, "seealso"),
    ("quote", "The sea works for nothing, but it keeps its own hours.", 0, ""),
    ("admonition", "The list of words is at the end.", 0, "seealso"),
    ("footnote", "The share of 0.6 was found at Saltmarsh.", 0, "1"),
]
KEEPING: list[Piece] = [
    ("heading", f"Keeping the mill {EVIL}", 1, ""),
    (
        "paragraph",
        "The keeper greases the gates in spring. Oak gates last forty years when they stay wet.",
        0,
        "",
    ),
    ("heading", "Winter", 2, ""),
    *(
        (
            "paragraph",
            (
                f"Winter note {number}. Ice must be broken from the sea gate every morning, or the "
                "frame twists and the seal is lost until the spring repairs begin."
            ),
            0,
            "",
        )
        for number in range(1, 25)
    ),
    ("paragraph", "A frozen wheel is thawed with warm sand, never with fire.", 0, ""),
]


def make_document(path: str, title: str, pieces: list[Piece]) -> Document:
    text, blocks = "", []
    for kind, body, level, label in pieces:
        text += "\n\n" if text else ""
        blocks.append(Block(kind, len(text), len(text) + len(body), level, label, None))
        text += body
    return Document(
        book=SLUG,
        edition=3,
        path=path,
        title=title,
        length=len(text),
        content_hash="0" * 64,
        chunk_count=4,
        text=text,
        blocks=blocks,
        sections=_sections(text, blocks),
    )


def _sections(text: str, blocks: list[Block]) -> list[Section]:
    headings = [block for block in blocks if block.kind == "heading"]
    sections: list[Section] = []
    path: list[str] = []
    for index, heading in enumerate(headings):
        title = text[heading.start : heading.end]
        path = [*path[: heading.level - 1], title]
        later = (other.start for other in headings[index + 1 :] if other.level <= heading.level)
        anchor = "".join(c if c.isalnum() else "-" for c in title.lower())[:30]
        sections.append(
            Section(list(path), anchor, heading.level, heading.start, next(later, len(text)))
        )
    return sections


DOCUMENTS = {
    document.path: document
    for document in (
        make_document("part one/mills.md", "How a tide mill works", MILLS),
        make_document("keeping.md", f"Keeping the mill {EVIL}", KEEPING),
    )
}
BOOK = Book(SLUG, f"The Tide Mills of the Grey Coast {EVIL}", 3, 2, 8, "en", WHEN)


def locate(quote: str) -> tuple[Document, int, int]:
    """Return the document that holds `quote`, and the range of its first occurrence."""
    for document in DOCUMENTS.values():
        start = document.text.find(quote)
        if start >= 0:
            return document, start, start + len(quote)
    raise AssertionError(f"the invented book does not say: {quote}")


def _path_at(document: Document, offset: int) -> list[str]:
    holding = [part for part in document.sections if part.start <= offset < part.end]
    return holding[-1].path if holding else []


def cite(number: int, quote: str) -> Citation:
    document, start, end = locate(quote)
    return Citation(
        n=number,
        quote=quote,
        document=document.path,
        start=start,
        end=end,
        section_path=_path_at(document, start),
        url=None,
        page=None,
        chunk_id=f"chunk-{number}",
        snippet=quote[:200],
        verdict="exact",
    )


def passage(quote: str, score: float = 0.83) -> Passage:
    document, start, end = locate(quote)
    return Passage(
        chunk_id="chunk-1",
        document=document.path,
        start=start,
        end=end,
        section_path=_path_at(document, start),
        url=None,
        page=None,
        anchor="",
        text=quote,
        spans=[Span(start, end, "paragraph", 0.7)],
        scores=PassageScores(score, 0.61, 7.25, 1, None),
    )


TIMINGS = [
    StageTiming("generation.retrieve", 2000.0, 41.5, "ok"),
    StageTiming("retrieval.search", 1900.0, 12.25, "ok"),
    StageTiming("generation.complete", 2500.0, 8.0, "ok"),
]
QUOTES = (
    (
        "A tide mill stores the flood behind a dam and lets it out through a wheel when the sea has "
        "fallen."
    ),
    "The sea gate opens with the flood and shuts with the ebb.",
    "Saltmarsh | 1.8 m | 7 kW",
)


def make_answer(question: str = "How does it work?", quotes: tuple[str, ...] = QUOTES) -> Answer:
    sentences = [Sentence(quote, [number]) for number, quote in enumerate(quotes, 1)]
    return Answer(
        answer_id="6f1c8a52-0000-4000-8000-000000000001",
        book=SLUG,
        edition=3,
        mode="book",
        question=question,
        text=" ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        citations=[cite(number, quote) for number, quote in enumerate(quotes, 1)],
        refusal=None,
        confidence=Confidence(0.91, "high"),
        profile="default",
        degraded=[],
        timings=TIMINGS,
        timestamp=WHEN,
        searched_question=f"tide mill: {question}",
    )


def make_refusal(question: str = "Who won the cup?") -> Answer:
    message = "The book does not contain information about this topic."
    return Answer(
        answer_id="6f1c8a52-0000-4000-8000-000000000002",
        book=SLUG,
        edition=3,
        mode="book",
        question=question,
        text=message,
        sentences=[],
        citations=[],
        refusal=Refusal(
            "not_covered",
            message,
            ["The three gates", "Winter", EVIL],
            nearest=[cite(number, quote) for number, quote in enumerate(QUOTES[:2], 1)],
        ),
        confidence=Confidence(0.0, None),
        profile="default",
        degraded=[],
        timings=TIMINGS,
        timestamp=WHEN,
    )


def events_of(answer: Answer) -> list[AnswerEvent]:
    found = PassagesFound([passage(quote) for quote in QUOTES], answer.answer_id)
    released = [
        SentenceReleased(
            sentence, [cited for cited in answer.citations if cited.n in sentence.citations]
        )
        for sentence in answer.sentences
    ]
    return [found, *released, answer]


def make_job(**changes: object) -> IngestJob:
    state: dict[str, object] = {
        "job_id": "job-1",
        "book": SLUG,
        "state": "queued",
        "stage": "",
        "documents_total": 2,
        "documents_done": 0,
        "chunks_total": 8,
        "chunks_done": 0,
        "chunks_reused": 0,
        "edition": None,
        "error": None,
        "warnings": [],
    }
    return IngestJob(**(state | changes))  # type: ignore[arg-type]


EDITION = Edition(3, BOOK.title, 2, 8, WHEN, current=True, reasons=["1 document changed"])
REPORT = IngestReport(
    edition=3,
    reasons=["1 document changed"],
    documents=[
        DocumentReport(
            path="keeping.md",
            change="changed",
            visible_characters=900,
            covered_characters=899,
            missing=[MissingRange(10, 11, "†", "it belongs to no block")],
            blocks={"paragraph": 4},
            chunks=5,
            chunks_new=2,
            tokens=300,
            warnings=["A footnote leads nowhere."],
            dropped_content=[
                *(
                    DroppedContent("picture", f"line {n}", "it has no description", 0, True)
                    for n in range(5)
                ),
                DroppedContent("block", "line 9", "Malformed table", 41, False),
            ],
        )
    ],
    removed=[],
    chunks_new=2,
    chunks_kept=6,
    chunks_removed=1,
    vectors_new=1,
    vectors_reused=1,
    seconds={"split": 0.25},
    warnings=[],
)


def _as_ingest(section: Section) -> IngestSection:
    return IngestSection(
        tuple(section.path), section.anchor, section.level, section.start, section.end, section.end
    )


Script = Callable[[Question], list[AnswerEvent | QuothError | asyncio.Event]]


def _answered(question: Question) -> list[AnswerEvent | QuothError | asyncio.Event]:
    return [*events_of(make_answer(question.text))]


def _cut(entries: list[T], page: PageQuery) -> tuple[list[T], str]:
    """A page of a list; its cursors are plain numbers."""
    if page.cursor and not page.cursor.isdigit():
        raise InvalidInput(UNKNOWN_CURSOR)
    start = int(page.cursor or 0)
    end = start + (page.limit or len(entries))
    return entries[start:end], str(end) if end < len(entries) else ""


@dataclass
class FakeBackend:
    """All services at once. `script` says what an answer's stream holds: events, an error to raise,
    or a gate to wait at. What was asked is kept in the lists.
    """

    books: list[Book] = field(default_factory=lambda: [BOOK])
    documents: dict[str, Document] = field(default_factory=lambda: dict(DOCUMENTS))
    script: Script = _answered
    failure: QuothError | None = None
    lacking: Set[str] = frozenset()
    hang: asyncio.Event | None = None
    states: list[IngestJob] = field(
        default_factory=lambda: [
            make_job(state="running", stage="embed", chunks_done=3),
            make_job(state="published", chunks_done=8, edition=3),
        ]
    )
    questions: list[Question] = field(default_factory=list)
    histories: list[list[Message]] = field(default_factory=list)
    searches: list[Question] = field(default_factory=list)
    timeouts_s: list[float] = field(default_factory=list)
    sources: list[tuple[Source, bytes]] = field(default_factory=list)
    asked: list[tuple[object, ...]] = field(default_factory=list)
    kept: dict[tuple[str, str], Answer] = field(default_factory=dict)
    """Answers by client and id."""
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    images: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    pages: dict[int, bytes] = field(default_factory=dict)
    """Pictures of the pages that every document has, by their numbers."""
    looked_for: list[tuple[int, int, int]] = field(default_factory=list)
    """Pages, and the ranges that were looked for on them."""
    """Media types and files of pictures by their ids."""
    suggested: list[str] = field(default_factory=list)
    suggested_next: list[str] = field(default_factory=list)
    """Questions to begin with."""

    review_pages: list[int] = field(default_factory=list)
    """How many graded answers each page has; empty for one that is not graded, always."""
    questions_covered: int = 5
    """Of them one found nothing."""
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def list_books(
        self, slugs: Sequence[str], page: PageQuery, timeout_s: float
    ) -> tuple[list[Book], str]:
        await self._turn(timeout_s)
        wanted = [book for book in self.books if book.slug in slugs or not slugs]
        return _cut(wanted, page)

    async def get_book(self, slug: str, timeout_s: float) -> Book:
        await self._turn(timeout_s)
        for book in self.books:
            if book.slug == slug:
                return book
        raise NotFound(f"There is no book named {slug}.")

    async def list_documents(
        self, book: str, edition: int, page: PageQuery, timeout_s: float
    ) -> tuple[int, list[DocumentSummary], str]:
        await self.get_book(book, timeout_s)
        summaries = [
            DocumentSummary(
                document.path,
                document.title,
                document.length,
                document.content_hash,
                document.chunk_count,
            )
            for document in self.documents.values()
        ]
        return edition or 3, *_cut(summaries, page)

    async def get_document(self, book: str, edition: int, path: str, timeout_s: float) -> Document:
        await self.get_book(book, timeout_s)
        if path not in self.documents:
            raise NotFound("There is no document of that path in this book.")
        return msgspec.structs.replace(self.documents[path], edition=edition or 3)

    async def get_image(
        self, book: str, edition: int, image_id: str, timeout_s: float
    ) -> tuple[Image, bytes]:
        await self.get_book(book, timeout_s)
        if image_id not in self.images:
            raise NotFound("The book has no such picture.")
        media_type, data = self.images[image_id]
        return Image(image_id, media_type, 2, 1), data

    async def get_page_image(self, page: PageOfDocument, timeout_s: float) -> bytes:
        await self.get_book(page.book, timeout_s)
        if page.number not in self.pages:
            raise NotFound("The document has no such page.")
        return self.pages[page.number]

    async def find_on_page(
        self, page: PageOfDocument, start: int, end: int, timeout_s: float
    ) -> list[PageBox]:
        await self.get_page_image(page, timeout_s)
        self.looked_for.append((page.number, start, end))
        return [PageBox(0.25, 0.5, 0.5, 0.1)]

    async def find_words(self, asked: WordsAsked, timeout_s: float) -> WordsFound:
        await self.get_book(asked.book, timeout_s)
        patterns = exact_words.patterns_of(asked.words)
        found = [
            one
            for document in self.documents.values()
            for one in exact_words.by_section(
                document.path,
                document.text,
                exact_words.find_places(document.text, patterns),
                [_as_ingest(section) for section in document.sections],
            )
        ]
        found.sort(key=lambda one: -one.count)
        shown, cursor = _cut(found, PageQuery(asked.limit or 20, asked.cursor))
        sections = [
            SectionWithWords(
                one.path,
                [*one.section_path],
                one.count,
                one.start,
                one.end,
                one.excerpt,
                one.excerpt_start,
                one.excerpt_end,
            )
            for one in shown
        ]
        total = sum(one.count for one in found)
        return WordsFound(asked.book, asked.edition or 3, total, len(found), sections, cursor)

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob:
        self.sources.append((source, b"".join([part async for part in parts])))
        return make_job(book=source.book)

    async def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]:
        if job_id != "job-1":
            raise NotFound("There is no job of that id.")
        for state in self.states:
            yield state

    async def list_editions(
        self, book: str, page: PageQuery, timeout_s: float
    ) -> tuple[list[Edition], str]:
        await self.get_book(book, timeout_s)
        return _cut([EDITION], page)

    async def get_index_state(
        self, book: str, page: PageQuery, timeout_s: float
    ) -> tuple[IndexState, list[DocumentIndexState], str]:
        await self.get_book(book, timeout_s)
        states = [DocumentIndexState("a.md", "indexed"), DocumentIndexState("b.md", "stale")]
        shown, cursor = _cut(states, page)
        return "stale", shown, cursor

    async def get_report(self, book: str, edition: int, timeout_s: float) -> IngestReport:
        self.asked.append(("report", book, edition))
        return REPORT

    async def compare_editions(
        self, book: str, before: int, after: int, timeout_s: float
    ) -> IngestJob:
        self.asked.append(("diff", book, before, after))
        return make_job(book=book, kind="compare")

    async def roll_back(self, book: str, edition: int, timeout_s: float) -> IngestJob:
        self.asked.append(("rollback", book, edition))
        return make_job(book=book, kind="roll_back")

    async def rename_book(self, book: str, title: str, timeout_s: float) -> Book:
        self.asked.append(("rename", book, title))
        renamed = msgspec.structs.replace(await self.get_book(book, timeout_s), title=title)
        self.books = [renamed if held.slug == book else held for held in self.books]
        return renamed

    async def vacuum_book(self, book: str, keep: int, timeout_s: float) -> IngestJob:
        self.asked.append(("vacuum", book, keep))
        return make_job(book=book, kind="vacuum")

    async def delete_book(self, book: str, timeout_s: float) -> IngestJob:
        self.asked.append(("delete", book))
        return make_job(book=book)

    async def delete_document(self, book: str, path: str, timeout_s: float) -> IngestJob:
        self.asked.append(("delete", book, path))
        return make_job(book=book)

    async def list_ingests(self, book: str, timeout_s: float) -> list[IngestJob]:
        self.asked.append(("list jobs", book))
        await self._turn(timeout_s)
        return [job for job in self.states if not job.ended]

    async def cancel_ingest(self, job_id: str, timeout_s: float) -> IngestJob:
        self.asked.append(("cancel", job_id))
        return make_job(state="cancelled")

    async def search_passages(
        self, question: Question, max_passages: int, timeout_s: float
    ) -> SearchResult:
        self.searches.append(question)
        await self._turn(timeout_s)
        return SearchResult(
            book=question.book,
            edition=question.edition,
            question=question.text,
            passages=[passage(quote) for quote in QUOTES][: max_passages or 5],
            gate=Gate(0.8, 0.5, True, {"dense_top": 0.61}),
            related_sections=["The three gates"],
            selection_widened=False,
            degraded=[],
            timings=TIMINGS[1:2],
        )

    async def answer_whole(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> Answer | None:
        events = self.answer_question(question, history, timeout_s)
        found = [event async for event in events if isinstance(event, Answer)]
        return found[-1] if found else None

    async def answer_question(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]:
        self.questions.append(question)
        self.histories.append(history)
        try:
            await self._turn(timeout_s)
            for step in self.script(question):
                if isinstance(step, QuothError):
                    raise step
                if isinstance(step, asyncio.Event):
                    await step.wait()
                else:
                    yield step
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled.set()
            raise

    async def get_answer(self, answer_id: str, client: str, timeout_s: float) -> Answer:
        self.asked.append(("answer", answer_id, client))
        await self._turn(timeout_s)
        if (client, answer_id) not in self.kept:
            raise NotFound(NO_ANSWER)
        return self.kept[client, answer_id]

    async def rate_answer(
        self, answer_id: str, client: str, said: FeedbackRequest, timeout_s: float
    ) -> Feedback:
        self.asked.append(("feedback", answer_id, client, said))
        return Feedback(said.rating, said.reason, said.comment, datetime(2026, 1, 2, tzinfo=UTC))

    async def suggest_questions(
        self, book: Book, wanted: SuggestionsWanted, timeout_s: float
    ) -> list[str]:
        await self._turn(timeout_s)
        if wanted.answer_id:
            self.asked.append(("suggest next", book.slug, wanted.answer_id, wanted.client))
            return self.suggested_next
        self.asked.append(("suggest", book.slug, book.edition, wanted.profile))
        return self.suggested

    async def list_answers(
        self, query: ReviewQuery, books: list[str], timeout_s: float
    ) -> ReviewList:
        await self._turn(timeout_s)
        self.asked.append(("review", query, books))
        if not self.review_pages:
            return ReviewList([REVIEWED], "next")
        size = self.review_pages.pop(0)
        grade = Grade("right", "", "", "", "operator", WHEN)
        graded = [
            msgspec.structs.replace(REVIEWED, question=f"{size} {number}?", grade=grade)
            for number in range(size)
        ]
        return ReviewList(graded, "next" if self.review_pages else "")

    async def get_reviewed(self, answer_id: str, books: list[str], timeout_s: float) -> Answer:
        await self._turn(timeout_s)
        self.asked.append(("reviewed", answer_id, books))
        if answer_id != REVIEWED.answer_id:
            raise NotFound(NO_ANSWER)
        return msgspec.structs.replace(make_answer(REVIEWED.question), answer_id=answer_id)

    async def grade_answer(
        self, answer_id: str, books: list[str], client: str, said: GradeRequest, timeout_s: float
    ) -> Grade:
        await self._turn(timeout_s)
        self.asked.append(("grade", answer_id, books, client, said))
        return Grade(said.grade, said.note, said.document, said.quote, client, WHEN)

    async def count_coverage(self, book: str, query: CoverageQuery, timeout_s: float) -> Coverage:
        await self._turn(timeout_s)
        self.asked.append(("coverage", book, query))
        asked = self.questions_covered
        section = SectionCoverage("keeping.md", ["Keeping"], asked, asked - 2, 2, 1, 1)
        return Coverage(book, [section], asked, 1, 1 / asked, 1 / asked > 0.15)

    async def begin_session(self, book: str, client: str, timeout_s: float) -> Session:
        self.asked.append(("session", book, client))
        session = Session(f"s-{len(self.sessions)}", book, [], WHEN, WHEN)
        self.sessions[client, session.session_id] = session
        return session

    async def get_session(self, session_id: str, client: str, timeout_s: float) -> Session:
        await self._turn(timeout_s)
        if (client, session_id) not in self.sessions:
            raise NotFound(NO_SESSION)
        return self.sessions[client, session_id]

    async def end_session(self, session_id: str, client: str, timeout_s: float) -> None:
        del self.sessions[client, session_id]

    async def is_serving(self, timeout_s: float) -> bool:
        return self.failure is None

    async def lacks(self, part: str, timeout_s: float) -> bool:
        return part in self.lacking

    async def _turn(self, timeout_s: float) -> None:
        self.timeouts_s.append(timeout_s)
        if self.failure is not None:
            raise self.failure
        if self.hang is not None:
            await self.hang.wait()
