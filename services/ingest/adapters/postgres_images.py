"""The pictures of books in PostgreSQL: written with the documents that show them, and deleted after."""

import json
from collections.abc import Iterable, Sequence

import asyncpg

from libs.errors import NotFound
from libs.postgres import Connection, translated_errors
from services.ingest.model.image import Image, UsedImage

_SHOWN = """
SELECT image_id, media_type, width, height, bytes AS data FROM images
WHERE book = $1 AND image_id = $3 AND EXISTS (
    SELECT FROM documents WHERE book = $1 AND born <= $2 AND died > $2 AND images @> $4::jsonb)
"""
# Documents of an edition that is being made name theirs too: their rows are there before these.
_DELETE_UNUSED = """
DELETE FROM images WHERE book = $1 AND image_id NOT IN (
    SELECT one ->> 2 FROM documents, jsonb_array_elements(documents.images) AS one WHERE book = $1)
"""


async def find_image(pool: asyncpg.Pool, book: str, edition: int, image_id: str) -> Image:
    """Return a picture that a document of the edition shows. Raises NotFound."""
    named = json.dumps([[image_id]])
    with translated_errors():
        row = await pool.fetchrow(_SHOWN, book, edition, image_id, named)
    if row is None:
        raise NotFound("The book has no such picture.")
    return Image(**row)


async def list_images(pool: asyncpg.Pool, book: str, used: Sequence[UsedImage]) -> list[Image]:
    """Return the pictures that a document shows, without their bytes."""
    if not used:
        return []
    with translated_errors():
        rows = await pool.fetch(
            "SELECT image_id, media_type, width, height FROM images "
            "WHERE book = $1 AND image_id = ANY($2::bpchar[]) ORDER BY image_id",
            book,
            [one.image_id for one in used],
        )
    return [Image(**row) for row in rows]


async def write_images(connection: Connection, book: str, images: Iterable[Image]) -> None:
    """Keep pictures, after the rows of the documents that show them."""
    # In the order of their keys, so that two replicas with equal pictures never wait in a ring.
    by_id = {image.image_id: image for image in images}
    await connection.executemany(
        "INSERT INTO images (book, image_id, media_type, width, height, bytes) "
        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        [
            (book, image_id, image.media_type, image.width, image.height, image.data)
            for image_id, image in sorted(by_id.items())
        ],
        timeout=300,
    )


async def delete_unused(connection: Connection, book: str) -> None:
    """Delete the pictures of a book that no document of it shows."""
    await connection.execute(_DELETE_UNUSED, book, timeout=300)


def read_used(kept: str) -> tuple[UsedImage, ...]:
    """Return what a row of a document says of its pictures."""
    return tuple(UsedImage(*one) for one in json.loads(kept))
