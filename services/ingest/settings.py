"""Every variable of the ingest service, with its default and unit."""

from dataclasses import dataclass
from pathlib import Path

from libs.profiles import SHIPPED
from libs.settings import setting
from libs.uploads import upload_timeout


@dataclass(frozen=True)
class Settings:
    """Read once, at the start."""

    postgres_dsn: str = setting("QUOTH_POSTGRES_DSN", "PostgreSQL to keep books in", secret=True)
    qdrant_url: str = setting("QUOTH_QDRANT_URL", "Qdrant's gRPC address, http://host:6334")
    cache_dir: Path = setting("QUOTH_CACHE_DIR", "folder for the model graph and the vocabulary")
    qdrant_api_key: str = setting("QUOTH_QDRANT_API_KEY", "Qdrant's key", default="", secret=True)
    profiles: Path = setting(
        "QUOTH_PROFILES",
        "Folder of the profiles, one TOML file each.",
        default=SHIPPED,
        exists=True,
    )
    listen: str = setting("INGEST_LISTEN", "address to serve at", default="127.0.0.1:8081")
    max_calls: int = setting(
        "INGEST_MAX_CALLS", "most calls that run at once; more are refused", default=256, least=1
    )
    jobs_at_once: int = setting(
        "INGEST_JOBS_AT_ONCE",
        "most books worked on at once, each with a process of its own that reads documents",
        default=3,
        least=1,
    )
    max_upload_mib: int = setting(
        "QUOTH_MAX_UPLOAD_MIB", "size of an upload, MiB; the gateway's too", default=256, least=1
    )
    upload_timeout_s: float = upload_timeout()
    max_unpacked_mib: int = setting(
        "INGEST_MAX_UNPACKED_MIB", "size of an upload's content, MiB", default=1024, least=1
    )
    max_document_mib: int = setting(
        "INGEST_MAX_DOCUMENT_MIB", "size of one document, MiB", default=16, least=1
    )
    max_entries: int = setting(
        "INGEST_MAX_ENTRIES", "entries of an archive", default=20_000, least=1
    )
    lease_s: float = setting(
        "INGEST_LEASE_S",
        "seconds after which a silent replica's job and documents are taken over",
        default=10.0,
        least=1,
    )
    disk_folder: Path | None = setting(
        "INGEST_DISK_FOLDER",
        "folder on the disk that the stores write to; empty: it is not looked at",
        default=None,
        exists=True,
    )
    disk_floor_mib: int = setting(
        "QUOTH_DISK_FLOOR_MIB",
        "free disk below which nothing is added to books, MiB; what is left is for the record of "
        "answers and for deleting",
        default=128,
    )
    parse_timeout_s: float = setting(
        "INGEST_PARSE_TIMEOUT_S",
        "most time of a processor to read a document, or one page by OCR, in seconds; by the clock "
        "four times that",
        default=120.0,
        least=1,
    )
    parse_memory_mib: int = setting(
        "INGEST_PARSE_MEMORY_MIB",
        "most memory to read one document with, MiB",
        default=1024,
        least=64,
    )
