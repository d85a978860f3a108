"""A database of its own for the record of answers, and what only its owner could do to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, datetime
from typing import Any, TypeAlias
from uuid import UUID, uuid4

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.generation.adapters.records.audit_archive import archive_in
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_chain import PostgresChain
from services.generation.adapters.records.postgres_months import PostgresMonths
from services.generation.adapters.records.postgres_subjects import PostgresSubjects
from services.generation.adapters.records.postgres_upkeep import PostgresUpkeep
from services.generation.model import (
    Answer,
    Citation,
    Message,
    Role,
    Sentence,
    SentenceReleased,
    Verdict,
)
from services.generation.records.erasure import AuditErasure
from services.generation.records.export import AuditExport
from services.generation.records.model import AuditRow
from services.generation.records.ports import ArchiveFiles
from services.generation.records.query import AuditQuery
from services.generation.records.retention import AuditRetention
from services.generation.records.upkeep import AuditUpkeep
from services.generation.records.verify import AuditVerifier
from services.generation.transcript import Transcript
from tests.support.engines import PostgresNode
from tests.support.generation_fakes import PASSAGES, audit_row, question, search_result

Connection: TypeAlias = "asyncpg.Connection[Any] | PoolConnectionProxy[Any]"
_NAME = "records"
_MIGRATED = "records_migrated"


async def make_database(server: PostgresNode, template: str = "template0") -> None:
    """Make the database anew; it has what the template has, which is nothing at first."""
    admin = await asyncpg.connect(server.dsn)
    await admin.execute(f"DROP DATABASE IF EXISTS {_NAME} WITH (FORCE)")
    await admin.execute(f"CREATE DATABASE {_NAME} TEMPLATE {template}")
    await admin.close()


async def keep_database(server: PostgresNode, name: str) -> None:
    """Keep the database, which nobody may be using, as a template."""
    admin = await asyncpg.connect(server.dsn)
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {_NAME}")
    await admin.close()


async def open_empty(server: PostgresNode) -> PostgresAuditLog:
    """Open a record that has no rows yet; its scripts run once for a server."""
    admin = await asyncpg.connect(server.dsn)
    made = await admin.fetchval("SELECT true FROM pg_database WHERE datname = $1", _MIGRATED)
    await admin.close()
    if not made:
        await make_database(server)
        await (await PostgresAuditLog.open(dsn_of(server))).close()
        await keep_database(server, _MIGRATED)
    await make_database(server, _MIGRATED)
    return await PostgresAuditLog.open(dsn_of(server))


def verifier(pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> AuditVerifier:
    return AuditVerifier(PostgresChain(pool), archive_in(pool, files))


def erasure(pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> AuditErasure:
    upkeep = AuditUpkeep(PostgresUpkeep(pool))
    return AuditErasure(PostgresSubjects(pool), upkeep, archive_in(pool, files))


def exporter(pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> AuditExport:
    return AuditExport(PostgresSubjects(pool), archive_in(pool, files))


def retention(pool: asyncpg.Pool, files: ArchiveFiles) -> AuditRetention:
    """Packs after 90 days and archives after 365."""
    return AuditRetention(PostgresMonths(pool), archive_in(pool, files), 90, 365)


def querying(pool: asyncpg.Pool, files: ArchiveFiles) -> AuditQuery:
    return AuditQuery(PostgresMonths(pool), archive_in(pool, files))


def dsn_of(server: PostgresNode) -> str:
    return server.dsn.replace("/quoth?", f"/{_NAME}?")


@asynccontextmanager
async def unguarded(owner: Connection) -> AsyncIterator[None]:
    """Do as one does who may do everything: the triggers are silent."""
    await owner.execute("SET session_replication_role = replica")
    yield
    await owner.execute("RESET session_replication_role")


async def move_to(owner: Connection, day: str, log_id: Any) -> None:
    """Let a row have been written on that day."""
    async with unguarded(owner):
        await owner.execute(
            "UPDATE audit_logs SET chain_day = $1 WHERE log_id = $2",
            date.fromisoformat(day),
            log_id,
        )
        await owner.execute(
            "UPDATE audit_logs AS kept SET row_hash = audit_row_hash(kept) WHERE log_id = $1",
            log_id,
        )


def answered(
    *,
    client: str,
    user: str,
    book: str = "robots",
    session: UUID | None = None,
    word: str = "force",
    timestamp: datetime | None = None,
) -> AuditRow:
    """A row of an answer in every column of which that has words of somebody stands `word`."""
    asked = question(
        f"What is {word}?",
        book=book,
        client_id=client,
        user_id=user,
        session_id=session,
        history=(Message(Role.USER, f"Tell me of {word}."),),
    )
    log_id = uuid4()
    row = audit_row(log_id=log_id, question=asked, request_id=f"{word}-{log_id}")
    if timestamp is not None:
        row = replace(row, timestamp=timestamp)
    place = PASSAGES[0]
    citation = Citation(1, word, place.locator, place.chunk_id, word, Verdict.EXACT)
    answer = Answer(
        log_id,
        asked,
        asked.text,
        "default",
        row.timestamp,
        (Sentence(f"It is {word}.", (1,)),),
        (citation,),
        confidence=0.5,
    )
    return replace(
        row,
        answer=answer,
        search=search_result(),
        searched_question=f"{word}?",
        transcript=Transcript(f"Say {word}.", f"{word}, then."),
        released=(SentenceReleased(Sentence(f"Taken back: {word}.", (1,)), (citation,)),),
    )
