"""What stands in a backup: its files with their checksums, and what each was made from."""

from datetime import datetime

import msgspec

FORMAT = 1
"""Of the files below; a backup of another format is refused."""
MANIFEST = "manifest.json"
"""The file that is written last: a folder without it holds no whole backup."""


class BackupError(Exception):
    """Why a backup can't be made or used, in a sentence for the operator."""


class NotEmptyError(BackupError):
    """What is to be restored into holds something already."""


class SavedFile(msgspec.Struct, frozen=True):
    """A file of the backup, compressed by gzip."""

    name: str
    bytes: int
    sha256: str


class SavedTable(msgspec.Struct, frozen=True):
    """Rows of a table of PostgreSQL, in COPY's binary form."""

    name: str
    columns: list[str]
    rows: int
    file: SavedFile


class Partition(msgspec.Struct, frozen=True):
    """A part of a table, such as a month of the audit log."""

    name: str
    parent: str
    bounds: str


class Sequence(msgspec.Struct, frozen=True):
    """Where a sequence of numbers stood."""

    name: str
    value: int
    is_called: bool


class SavedCollection(msgspec.Struct, frozen=True):
    """The points of a collection of Qdrant."""

    name: str
    dimensions: int
    points: int
    file: SavedFile


class SavedBook(msgspec.Struct, frozen=True):
    """A book and the edition that readers saw."""

    slug: str
    edition: int
    chunks: int
    """Of all its editions."""
    missing: int = 0
    """Chunks whose point the vector store did not have."""
    deleted: bool = False
    """No reader saw it: what is kept of it is for a roll-back."""


class Manifest(msgspec.Struct, frozen=True):
    """All that a restore needs to know before it reads the files."""

    format: int
    quoth: str
    """The version that made it."""
    taken_at: datetime
    """The moment whose state it holds."""
    migrations: dict[str, list[str]]
    """Names of the schema's migrations, by the service that they belong to."""
    partitions: list[Partition]
    tables: list[SavedTable]
    """In an order in which each comes after those that it refers to."""
    sequences: list[Sequence]
    collections: list[SavedCollection]
    books: list[SavedBook]

    @property
    def files(self) -> list[SavedFile]:
        of_tables = [table.file for table in self.tables]
        return of_tables + [collection.file for collection in self.collections]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.bytes for file in self.files)


def read_manifest(text: bytes) -> Manifest:
    """Raise BackupError for what is no manifest of a format known here."""
    try:
        made_as = msgspec.json.decode(text, type=_Format).format
        if made_as != FORMAT:
            raise BackupError(
                f"The backup is of format {made_as} and this version of Quoth reads {FORMAT}. "
                "Restore it with the version that made it."
            )
        return msgspec.json.decode(text, type=Manifest)
    except msgspec.DecodeError as error:
        raise BackupError("The backup's manifest can't be read.") from error


class _Format(msgspec.Struct):
    format: int
