"""A backup holds what readers see at one moment; a restore brings it back, or leaves nothing."""

import gzip
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from qdrant_client import AsyncQdrantClient

from deploy.backup import take
from deploy.backup.command import back_up_to
from deploy.backup.files import Files, open_files
from deploy.backup.manifest import MANIFEST, BackupError, Manifest
from deploy.backup.points import save_points
from deploy.backup.restore import restore_backup
from deploy.backup.take import take_backup
from deploy.cli.backup import describe
from deploy.cli.migrate import admit, migrate_all, owners
from libs.vectors.layout import Layout
from libs.vectors.schema import ALIVE, BM25, DENSE, Payload
from services.gateway.keys import take_key
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.ingest.model.job import JobKind, JobState
from tests.support.engines import PostgresNode, QdrantNode, qdrant_node
from tests.support.generation_fakes import audit_row
from tests.support.ingest_bench import Bench, bench, page
from tests.support.ingest_fakes import Crash

__all__ = ["bench"]

BOOK = {"a.md": page("A", "alpha", 3), "b.md": page("B", "beta", 2)}
CHANGED = {"a.md": page("A", "gamma", 4)}
VERSION = "1.2.3"


@pytest.fixture(autouse=True)
async def empty_source(bench: Bench) -> None:
    """Each test begins with a book of its own alone."""
    kept = "books, editions, documents, images, originals, chunks, vectors"
    names = f"{kept}, jobs, job_files, job_documents, sent_once, last_backup"
    await bench.pool.execute(f"TRUNCATE {names}")
    for collection in (await bench.client.get_collections()).collections:
        await bench.client.delete_collection(collection.name)


@pytest.fixture(scope="module")
def other_qdrant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantNode]:
    with qdrant_node(tmp_path_factory.mktemp("other") / "qdrant") as node:
        yield node


class Target:
    """An installation that holds nothing yet."""

    def __init__(self, dsn: str, connection: asyncpg.Connection, client: AsyncQdrantClient) -> None:
        self.dsn, self.connection, self.client = dsn, connection, client

    async def restore(self, files: Files, **options: Any) -> Manifest:
        return await restore_backup(
            self.connection, self.client, files, migrations=owners(), layout=Layout(), **options
        )

    async def is_empty(self) -> bool:
        tables = await self.connection.fetchval(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        )
        collections = (await self.client.get_collections()).collections
        counts = [(await self.client.count(one.name)).count for one in collections]
        return tables == 0 and sum(counts) == 0


@pytest.fixture
async def target(
    engines: tuple[QdrantNode, PostgresNode], other_qdrant: QdrantNode
) -> AsyncIterator[Target]:
    name = f"target_{secrets.token_hex(4)}"
    dsn = engines[1].dsn
    server = await asyncpg.connect(dsn)
    await server.execute(f"CREATE DATABASE {name}")
    await server.close()
    own = dsn.replace("/quoth?", f"/{name}?")
    assert own != dsn
    connection, client = await asyncpg.connect(own), other_qdrant.client()
    for collection in (await client.get_collections()).collections:
        await client.delete_collection(collection.name)
    yield Target(own, connection, client)
    await connection.close()
    await client.close()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return open_files(str(tmp_path / "backup"), make=True)


async def back_up(bench: Bench, files: Files) -> Manifest:
    async with bench.pool.acquire() as connection:
        return await take_backup(connection, bench.client, files, VERSION)


async def rows(connection: Any, table: str) -> list[tuple[Any, ...]]:
    found = await connection.fetch(f"SELECT * FROM {table}")
    return sorted((tuple(row.values()) for row in found), key=repr)


async def points(client: AsyncQdrantClient, collection: str) -> dict[str, tuple[Any, Any]]:
    found, _ = await client.scroll(collection, limit=1000, with_payload=True, with_vectors=True)
    return {str(point.id): (point.payload, point.vector) for point in found}


async def test_a_restored_installation_holds_the_same_rows_and_points(
    bench: Bench,
    files: Files,
    target: Target,
    engines: tuple[QdrantNode, PostgresNode],
) -> None:
    await bench.ingest("x", BOOK)
    await bench.ingest("x", CHANGED)
    log = await PostgresAuditLog.open(engines[1].dsn)
    await log.append(audit_row(), 5.0)
    await log.close()

    taken = await back_up(bench, files)
    restored = await target.restore(files)

    assert restored == taken
    assert [(book.slug, book.edition, book.missing) for book in taken.books] == [("x", 2, 0)]
    for table in ("books", "editions", "documents", "chunks", "vectors", "jobs", "audit_logs"):
        expected = await rows(bench.pool, table)
        assert expected
        # The hashes of the audit are among them.
        assert await rows(target.connection, table) == expected
    with pytest.raises(asyncpg.RestrictViolationError):
        await target.connection.execute("DELETE FROM audit_logs")
    before = await points(bench.client, bench.index.collection)
    after = await points(target.client, bench.index.collection)
    assert before.keys() == after.keys()
    for key, (payload, vector) in before.items():
        assert after[key][0] == payload
        assert after[key][1][DENSE] == pytest.approx(vector[DENSE], abs=1e-6)
        assert after[key][1][BM25] == vector[BM25]


async def test_numbering_goes_on_where_it_stood(bench: Bench, files: Files, target: Target) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    await target.restore(files)
    greatest = await target.connection.fetchval("SELECT max(id) FROM documents")
    assert await target.connection.fetchval("SELECT nextval('documents_id_seq')") > greatest


async def test_an_edition_that_is_published_meanwhile_is_not_in_the_backup(
    bench: Bench, files: Files, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.ingest("x", BOOK)
    seen = await bench.seen("x", 1)

    async def save_later(*arguments: Any) -> Any:
        # The database has been read, the points have not.
        await bench.ingest("x", CHANGED)
        return await save_points(*arguments)

    monkeypatch.setattr(take, "save_points", save_later)
    taken = await back_up(bench, files)
    await target.restore(files)

    assert [(book.edition, book.missing) for book in taken.books] == [(1, 0)]
    there = await points(target.client, bench.index.collection)
    payloads = [payload for payload, _ in there.values()]
    assert {(one[Payload.BORN], one[Payload.DIED]) for one in payloads} == {(1, ALIVE)}
    found = sorted(
        (one[Payload.DOCUMENT], one[Payload.START], one[Payload.CHUNK]) for one in payloads
    )
    assert found == seen


async def test_a_job_that_was_under_way_begins_anew_and_publishes(
    bench: Bench,
    files: Files,
    target: Target,
    other_qdrant: QdrantNode,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def crash(*_: Any) -> None:
        raise Crash

    await bench.ingest("x", BOOK)
    job = await bench.add("x", CHANGED)
    with monkeypatch.context() as patched:
        # Its documents are in both stores, and readers see none of them.
        patched.setattr(bench.editions, "publish", crash)
        with pytest.raises(Crash):
            await bench.worker().work_once()
    assert await bench.pool.fetchval("SELECT count(*) FROM documents WHERE born = 2")
    await back_up(bench, files)
    await target.restore(files)

    pool = await asyncpg.create_pool(target.dsn, min_size=1, max_size=4)
    client = other_qdrant.client()
    there = Bench(pool, client)
    for place in (there, bench):
        await place.expire("x")
        ended = await place.finish(job.job_id)
        # Nothing went wrong at what is its second attempt.
        assert (ended.state, ended.attempts) == (JobState.PUBLISHED, 2)
    assert await there.seen("x", 2) == await bench.seen("x", 2)
    await client.close()
    await pool.close()


async def test_points_that_the_index_has_lost_are_counted(bench: Bench, files: Files) -> None:
    await bench.ingest("x", BOOK)
    lost = next(iter(await points(bench.client, bench.index.collection)))
    await bench.client.delete(bench.index.collection, [lost], wait=True)
    taken = await back_up(bench, files)
    assert [book.missing for book in taken.books] == [1]


async def test_a_deleted_book_is_in_the_backup_and_said_to_be_deleted(
    bench: Bench, files: Files, target: Target
) -> None:
    for book in ("x", "y", "z"):
        await bench.ingest(book, BOOK)
    for book in ("x", "y"):
        await bench.ingest(book, {}, kind=JobKind.DELETE_BOOK)
    taken = await back_up(bench, files)
    await target.restore(files)
    assert [(book.slug, book.deleted) for book in taken.books] == [
        ("x", True),
        ("y", True),
        ("z", False),
    ]
    assert describe(taken).startswith("1 book, 2 deleted books, ")
    assert await rows(target.connection, "editions") == await rows(bench.pool, "editions")


async def test_a_database_that_holds_anything_is_left_alone(
    bench: Bench, files: Files, target: Target
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    await target.restore(files)
    before = await rows(target.connection, "books")
    with pytest.raises(BackupError, match=r"not empty: .*books.*new installation"):
        await target.restore(files, clear=True)
    assert await rows(target.connection, "books") == before


async def test_a_first_key_is_let_in_after_a_restore_and_not_before(
    bench: Bench, files: Files, target: Target
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    key = take_key(f"quoth_{'0a' * 6}_{'s' * 32}")
    assert key is not None
    # As the chart's Job does: what is missing of the schema, then the key.
    await migrate_all(target.dsn)
    await admit(target.dsn, key)
    with pytest.raises(BackupError, match=r"not empty: client_keys\."):
        await target.restore(files)

    await target.connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    await target.restore(files)
    await migrate_all(target.dsn)
    assert "may do everything" in await admit(target.dsn, key)
    assert await target.connection.fetchval("SELECT slug FROM books") == "x"


async def test_a_vector_store_that_holds_points_is_left_alone_unless_told_otherwise(
    bench: Bench, files: Files, target: Target
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    await target.restore(files)
    await target.connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    with pytest.raises(BackupError, match="--clear-vectors"):
        await target.restore(files)
    await target.restore(files, clear=True)
    assert await points(target.client, bench.index.collection)


def damage(folder: Path, name: str) -> None:
    (path,) = folder.glob(name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def damage_chunks(folder: Path) -> None:
    damage(folder, "postgres/chunks.*")


def damage_points(folder: Path) -> None:
    damage(folder, "qdrant/*")


def exchange_points(folder: Path) -> None:
    """Let the points be those of another backup: what is wrong shows after the last of them."""
    (path,) = folder.glob("qdrant/*")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 9))


@pytest.mark.parametrize("harm", [damage_chunks, damage_points, exchange_points])
async def test_nothing_stays_of_a_backup_that_is_damaged(
    bench: Bench, files: Files, target: Target, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    harm(tmp_path / "backup")
    with pytest.raises(BackupError, match="damaged"):
        await target.restore(files)
    assert await target.is_empty()


async def test_a_backup_without_a_file_is_damaged(
    bench: Bench, files: Files, target: Target, tmp_path: Path
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    (tmp_path / "backup/postgres/books.copy.gz").unlink()
    with pytest.raises(BackupError, match=r"books.copy.gz is missing"):
        await target.restore(files)
    assert await target.is_empty()


async def test_a_backup_that_was_not_finished_is_none(
    bench: Bench, files: Files, target: Target, tmp_path: Path
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    (tmp_path / "backup" / MANIFEST).unlink()
    with pytest.raises(BackupError, match="no whole backup"):
        await target.restore(files)


def with_another_format(manifest: dict[str, Any]) -> None:
    manifest["format"] = 2


def with_a_later_migration(manifest: dict[str, Any]) -> None:
    manifest["migrations"]["ingest"].append("9999_later")


def with_a_statement_for_a_name(manifest: dict[str, Any]) -> None:
    manifest["tables"][0]["name"] = "books; DROP TABLE books"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_another_format, "format 2"),
        (with_a_later_migration, "9999_later.*Restore it with that version"),
        (with_a_statement_for_a_name, "no backup of Quoth"),
    ],
)
async def test_a_backup_that_is_not_known_here_is_refused(
    bench: Bench,
    files: Files,
    target: Target,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], None],
    message: str,
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    path = tmp_path / "backup" / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(BackupError, match=message):
        await target.restore(files)
    assert await target.is_empty()


async def test_a_place_that_holds_something_takes_no_second_backup(
    bench: Bench, files: Files
) -> None:
    await bench.ingest("x", BOOK)
    await back_up(bench, files)
    with pytest.raises(BackupError, match="empty place"):
        await back_up(bench, files)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of a server that speaks as S3 does."""
    from moto.server import ThreadedMotoServer  # each worker would import it to collect

    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    httpx.put(f"http://{host}:{port}/backups", trust_env=False).raise_for_status()
    yield "s3://backups/one"
    server.stop()


async def test_a_bucket_keeps_a_backup_as_a_folder_does(
    bench: Bench, target: Target, bucket: str
) -> None:
    await bench.ingest("x", BOOK)
    taken = await back_up(bench, open_files(bucket, make=True))
    assert await target.restore(open_files(bucket, make=False)) == taken
    assert await rows(target.connection, "documents") == await rows(bench.pool, "documents")
    with pytest.raises(BackupError, match="empty place"):
        await back_up(bench, open_files(bucket, make=True))


async def test_a_bucket_that_is_not_there_is_told_without_its_address(bucket: str) -> None:
    with pytest.raises(BackupError) as told:
        await open_files(bucket.replace("backups", "nobodys"), make=False).manifest()
    assert "127.0.0.1" not in str(told.value)


async def test_a_backup_is_noted_beside_what_it_holds_and_so_is_the_first_that_fails(
    bench: Bench, engines: tuple[QdrantNode, PostgresNode], target: Target, tmp_path: Path
) -> None:
    told = {
        "QUOTH_POSTGRES_DSN": engines[1].dsn,
        "QUOTH_QDRANT_URL": engines[0].url,
        "QUOTH_QDRANT_API_KEY": engines[0].api_key or "",
    }
    await bench.ingest("x", BOOK)
    assert await bench.jobs.backup_age_s() is None
    noted = []
    for _ in range(2):
        with pytest.raises(BackupError, match="s3://"):
            await back_up_to("nowhere://here", told)
        noted.append(await rows(bench.pool, "last_backup"))
    assert noted[0] == noted[1]
    assert noted[0][0][2] is None
    assert await bench.jobs.backup_age_s() is not None

    place = str(tmp_path / "backup")
    manifest = await back_up_to(place, told)
    assert [row[2] for row in await rows(bench.pool, "last_backup")] == [manifest.taken_at]
    await target.restore(open_files(place, make=False))
    assert await rows(target.connection, "last_backup") == []
