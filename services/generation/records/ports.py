"""What the record needs from outside: a database that keeps its rows, and files of its old months."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from services.generation.model import Answer, SentenceReleased
from services.generation.records.hashes import SealedDay
from services.generation.records.kept import (
    ArchivedMonth,
    Erased,
    Erasure,
    KeptOnSubject,
    KeptRow,
    QueryResult,
)
from services.generation.records.model import AskedOnce, AuditRow, Feedback
from services.generation.records.review import Coverage, Grade, Position, ReviewFilter, ReviewPage
from services.generation.records.session import Session
from services.generation.records.subject import Subject


class AuditLog(Protocol):
    """Keeps one row a question, and before it what was shown of an answer that is not whole yet."""

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        """Store `row` durably before returning; the same row again changes nothing.

        An answer that was asked for in a session is added to it by the same stroke.

        Raises Unavailable when the row is not known to be stored, DeadlineExceeded after
        `allowed_s` seconds.
        """
        ...

    async def release(
        self, row: AuditRow, sentences: Sequence[SentenceReleased], allowed_s: float
    ) -> None:
        """Store durably that `sentences` are shown, after those that `row` has as released.

        The row is what is known of the question by now: should it never be appended, it stands as
        "interrupted" with all that was released. Raises as `append` does.
        """
        ...


class AnswerStore(Protocol):
    """Finds recorded answers again, each for the client that it was given to alone."""

    async def find_answer(self, answer_id: UUID, client_id: str, allowed_s: float) -> Answer | None:
        """Return the answer or refusal as it was recorded; None for another client's.

        Raises Unavailable, and DeadlineExceeded after `allowed_s` seconds; so do all calls.
        """
        ...

    async def rate_answer(
        self, answer_id: UUID, client_id: str, feedback: Feedback, allowed_s: float
    ) -> Feedback | None:
        """Keep what a reader says, in the place of what was said before; None for no such answer."""
        ...


class RepeatStore(Protocol):
    """Knows requests again that are to be answered once."""

    async def hold(self, asked: AskedOnce, allowed_s: float) -> AskedOnce:
        """Return the request whose answer counts: this one, or one of before with the same key.

        An earlier one that was left without an answer for 15 s, or failed, gives way if it is the same
        request. Raises Unavailable, and DeadlineExceeded after `allowed_s` seconds.
        """
        ...

    async def forget(self, asked: AskedOnce, allowed_s: float) -> None:
        """Forget a request that nothing was recorded of. Raises as `hold` does."""
        ...


class SessionStore(Protocol):
    """Keeps sessions, each for the client that began it, by its own clock.

    What is asked in a session is added to it by AuditLog.append, together with the row. All calls raise
    Unavailable, and DeadlineExceeded after `allowed_s` seconds.
    """

    async def begin_session(self, book: str, client_id: str, allowed_s: float) -> Session: ...

    async def find_session(
        self, session_id: UUID, client_id: str, allowed_s: float
    ) -> Session | None:
        """Return a session that has not ended; None for another client's."""
        ...

    async def resume_session(
        self, session_id: UUID, client_id: str, book: str, allowed_s: float
    ) -> Session | None:
        """Return a session of that book, which goes on for 30 minutes from now; None as above."""
        ...

    async def end_session(self, session_id: UUID, client_id: str, allowed_s: float) -> bool:
        """Forget a session; return whether there was one."""
        ...


class ReviewStore(Protocol):
    """Shows the record to reviewers, and keeps their grades.

    All calls raise Unavailable, and DeadlineExceeded after `allowed_s` seconds.
    """

    async def list_answers(
        self, wanted: ReviewFilter, after: Position | None, most: int, allowed_s: float
    ) -> ReviewPage:
        """Return at most `most` questions, those behind `after`."""
        ...

    async def find_reviewed(
        self, answer_id: UUID, books: tuple[str, ...], allowed_s: float
    ) -> Answer | None:
        """Return an answer whole, of one of these books, of any for none."""
        ...

    async def grade_answer(
        self, answer_id: UUID, books: tuple[str, ...], grade: Grade, allowed_s: float
    ) -> Grade | None:
        """Keep a grade in the place of an earlier one; None for no answer of `books`, () for all."""
        ...

    async def count_coverage(
        self, book: str, start: datetime | None, end: datetime | None, allowed_s: float
    ) -> Coverage:
        """Count by sections what was asked from `start` to before `end`."""
        ...


class KeptAnswers(AnswerStore, RepeatStore, SessionStore, Protocol):
    """What was answered, to which requests, and in which sessions."""


class Records(AuditLog, KeptAnswers, Protocol):
    """All that is kept of questions, in one place."""


class UpkeepTables(Protocol):
    """The tables that answers are written to, kept in order: each work in one replica at a time."""

    async def make_months(self, months: Sequence[datetime]) -> None:
        """Make the partitions of months, given by their first moments, where there are none."""
        ...

    async def list_open_months(self, open_s: float) -> list[datetime]:
        """Return the months of the rows that have been open for `open_s` seconds."""
        ...

    async def close_rows(self, open_s: float) -> int:
        """Close the rows that have been open for `open_s` seconds as interrupted; return how many.

        What was released before a row that stands is forgotten: the row has it.
        """
        ...

    async def purge(self) -> None:
        """Delete what has outlived its time."""
        ...

    async def seal_days(self) -> list[SealedDay]:
        """Seal the days that are over; return those that were sealed now."""
        ...


class MonthTables(Protocol):
    """Months of the record: in the database, and what it tells of those in the archive."""

    def hold_retention(self) -> AbstractAsyncContextManager[bool]:
        """Be the one that retains, while the block runs; False where another one is."""
        ...

    async def list_months(self, tier: str) -> list[date]:
        """Return the months that are "hot" or "warm"."""
        ...

    async def pack_month(self, month: date) -> int:
        """Make a hot month warm; return its rows. Raises Conflict where it can't be done yet."""
        ...

    async def list_archived(self) -> list[ArchivedMonth]: ...

    async def drop_month(self, archived: ArchivedMonth) -> None:
        """Drop a warm month whose rows are those of the file. Raises Conflict for others."""
        ...

    async def write_rows(
        self, tier: str, folder: Path, names: Sequence[str], since: date, until: date
    ) -> list[Path]:
        """Write columns of the rows from `since` on and before `until` as CSV, NULL as CSV_NULL.

        Returns files of some thousand rows each, in the order of time; none without rows.
        """
        ...


class ChainTables(Protocol):
    """The record as it is verified."""

    async def read_chain(
        self, take: Callable[[KeptRow], None]
    ) -> tuple[list[SealedDay], list[Erasure]]:
        """Hand over every row in the database, and return days and erasures of the same moment."""
        ...


class SubjectTables(Protocol):
    """What is kept on someone."""

    async def has_open_rows(self, subject: Subject) -> bool:
        """Whether a question of theirs is being answered."""
        ...

    async def erase(self, subject: Subject) -> Erased:
        """Erase their rows and what is kept beside them."""
        ...

    async def replace_archived(
        self, name: str, file: ArchivedMonth, erasure_id: UUID, subject: Subject, row_count: int
    ) -> None:
        """Tell of an erasure in the archive, and of the file that now stands for the one of `name`."""
        ...

    async def read_kept(
        self, subject: Subject, *, sessions: Sequence[str], answers: Sequence[str]
    ) -> KeptOnSubject:
        """Return what is kept on them at one moment, and beside it on those sessions and answers."""
        ...


class ArchiveFiles(Protocol):
    """Files by their name; one that is there is whole, and never changed."""

    async def put(self, name: str, source: Path) -> None:
        """Store a file durably. Raises Unavailable; so do all calls."""
        ...

    def at_hand(self, name: str) -> AbstractAsyncContextManager[Path]:
        """Have a file at a path while the block runs. Raises NotFound."""
        ...

    async def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        ...


class MonthFormat(Protocol):
    """How the rows of a month lie in a file. Raises SettingsError where its packages lack."""

    async def write(self, rows: Sequence[Path], target: Path) -> None:
        """Write the rows of CSV files, one after the other."""
        ...

    async def read(self, source: Path, take: Callable[[Mapping[str, Any]], None]) -> None:
        """Hand over the rows of a file, `timestamp` in microseconds since 1970."""
        ...

    async def count(self, source: Path, given: Mapping[str, Any]) -> int:
        """Return how many rows that are not erased yet have all that is given, by column."""
        ...

    async def select(self, source: Path, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows that are not erased and have all that is given, oldest first."""
        ...

    async def write_erased(
        self, source: Path, target: Path, given: Mapping[str, Any], erasure_id: UUID
    ) -> None:
        """Write a file anew, the rows that have all that is given as their erasure leaves them."""
        ...

    async def query(
        self,
        sql: str,
        names: Sequence[str],
        rows: Sequence[Path],
        months: Sequence[Path],
        days: tuple[date, date],
    ) -> QueryResult:
        """Run `sql` on the table audit_logs: CSV files of `names`, and of months the days within.

        Raises InvalidInput for what is no SQL.
        """
        ...
