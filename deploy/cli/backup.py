"""`quoth backup` and `quoth restore`: everything an installation keeps, to a place and back."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Annotated

import asyncpg
import typer

from deploy.backup.manifest import BackupError, Manifest
from deploy.cli.migrate import owners
from deploy.cli.options import AsJson
from deploy.cli.output import FAILED, WRONG_USE, Output
from deploy.embedded import StartError
from deploy.local.child import GaveUpError
from libs.errors import QuothError
from libs.postgres import explain_refusal
from libs.settings import SettingsError

_MEGABYTE = 1e6

Place = Annotated[
    str,
    typer.Argument(
        help="A folder, or a bucket: s3://bucket/prefix, gs://…, az://…. Each backup has its own."
    ),
]


def backup(place: Place, as_json: AsJson = False) -> None:
    """Back up books, texts, vectors, keys and the record of answers, while readers go on.

    Of servers that QUOTH_POSTGRES_DSN and QUOTH_QDRANT_URL name, or of what `quoth up` keeps in
    QUOTH_HOME, whether it runs or not.
    """
    # What speaks to Qdrant takes a second to load.
    from deploy.backup.command import back_up_to  # noqa: PLC0415 - as above

    output = Output(as_json)
    manifest = _run(lambda: back_up_to(place, os.environ), output)
    output.say(f"✓ backed up to {place}: {describe(manifest)}")
    lacking = [book for book in manifest.books if book.missing]
    for book in lacking:
        output.errors.print(
            f"! {book.slug}: {book.missing} of {book.chunks} passages are not in the vector store. "
            "Unless it was vacuumed a moment ago, ingest it again.",
            markup=False,
        )
    if lacking:
        raise typer.Exit(FAILED)


def restore(
    place: Place,
    clear_vectors: Annotated[
        bool,
        typer.Option(
            "--clear-vectors",
            help="First remove the points that an interrupted restore left beside an empty database.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup into an installation that holds nothing yet; refused into any other.

    Into the servers that QUOTH_POSTGRES_DSN and QUOTH_QDRANT_URL name, or into QUOTH_HOME before its
    first `quoth up`.
    """
    from deploy.backup.command import restore_from  # noqa: PLC0415 - as in backup

    output = Output(as_json)
    manifest = _run(lambda: restore_from(place, os.environ, owners(), clear=clear_vectors), output)
    output.say(f"✓ restored from {place}, as of {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC:")
    output.say(f"  {describe(manifest)}")


def _run(work: Callable[[], Awaitable[Manifest]], output: Output) -> Manifest:
    """Do the work; turn its failures into a message and an exit status."""

    async def whole() -> Manifest:
        return await work()

    try:
        manifest = asyncio.run(whole())
    except (SettingsError, StartError) as error:
        output.fail(str(error), WRONG_USE)
    except (BackupError, GaveUpError) as error:
        output.fail(str(error), FAILED)
    except QuothError as error:
        output.fail(error.message, FAILED)
    except asyncpg.PostgresError as error:
        output.fail(explain_refusal(error), FAILED)
    output.give(_summary(manifest))
    return manifest


def _summary(manifest: Manifest) -> dict[str, object]:
    return {
        "taken_at": manifest.taken_at.isoformat(),
        "bytes": manifest.size,
        "rows": sum(table.rows for table in manifest.tables),
        "points": sum(collection.points for collection in manifest.collections),
        "books": [
            {
                "slug": book.slug,
                "edition": book.edition,
                "missing": book.missing,
                "deleted": book.deleted,
            }
            for book in manifest.books
        ],
    }


def describe(manifest: Manifest) -> str:
    """Say in one line how many books, passages, rows and bytes a backup holds."""
    points = sum(collection.points for collection in manifest.collections)
    rows = sum(table.rows for table in manifest.tables)
    deleted = sum(book.deleted for book in manifest.books)
    found = {
        "book": len(manifest.books) - deleted,
        # What is kept of them can be rolled back to, so it is in the backup too.
        "deleted book": deleted,
        "passage": points,
        "row": rows,
    }
    said = [
        f"{number} {what}{'s' * (number != 1)}"
        for what, number in found.items()
        if number or what != "deleted book"
    ]
    return f"{', '.join(said)}, {manifest.size / _MEGABYTE:.1f} MB"
