"""What says how collections are laid out; read also by whoever starts the services.

It knows nothing of Qdrant's client, which takes a second to import.
"""

from dataclasses import dataclass
from typing import Any

from libs.settings import SettingsError, setting

QUANTISATIONS = ("none", "scalar", "binary")
CONSISTENCIES = ("majority", "quorum", "all")


@dataclass(frozen=True)
class LayoutSettings:
    """What ingest makes collections with, and retrieval searches them by."""

    vectors_on_disk: bool = setting(
        "QUOTH_QDRANT_VECTORS_ON_DISK",
        "Whether vectors are read from the disk as needed instead of being kept in memory.",
        default=False,
    )
    payload_on_disk: bool = setting(
        "QUOTH_QDRANT_PAYLOAD_ON_DISK",
        "Whether texts are read from the disk as needed instead of being kept in memory.",
        default=True,
    )
    indexes_on_disk: bool = setting(
        "QUOTH_QDRANT_INDEXES_ON_DISK",
        "Whether the indexes of words, sections and places are read from the disk as needed "
        "instead of being kept in memory, where those of books and editions always are.",
        default=True,
    )
    quantisation: str = setting(
        "QUOTH_QDRANT_QUANTISATION",
        "`none`, `scalar` (a byte a number) or `binary` (a bit): what is searched first; "
        "the best are scored again by their whole vectors.",
        default="none",
    )
    oversampling: float = setting(
        "QUOTH_QDRANT_OVERSAMPLING",
        "How many times as many quantised vectors as are wanted are scored again.",
        default=2.0,
    )
    hnsw_m: int = setting(
        "QUOTH_QDRANT_HNSW_M", "Links of a chunk in the graph of its book.", default=16
    )
    hnsw_ef_construct: int = setting(
        "QUOTH_QDRANT_HNSW_EF_CONSTRUCT", "Candidates when such a graph is built.", default=100
    )
    search_ef: int = setting(
        "QUOTH_QDRANT_SEARCH_EF", "Candidates when such a graph is searched.", default=256
    )
    shards: int = setting(
        "QUOTH_QDRANT_SHARDS", "Parts of a collection; a book is in one of them.", default=1
    )
    replicas: int = setting("QUOTH_QDRANT_REPLICAS", "Copies of each part.", default=1)
    write_consistency: int = setting(
        "QUOTH_QDRANT_WRITE_CONSISTENCY",
        "Copies that must take a write. With all of them nothing is written while a server is away; "
        "with fewer, a copy that lacks a write is read no more until it has it from another.",
        default=1,
    )
    read_consistency: str = setting(
        "QUOTH_QDRANT_READ_CONSISTENCY",
        "Copies that a read asks: `majority`, `quorum` or `all`; empty: one.",
        default="",
    )

    def __post_init__(self) -> None:
        _one_of("QUOTH_QDRANT_QUANTISATION", self.quantisation, QUANTISATIONS)
        _one_of("QUOTH_QDRANT_READ_CONSISTENCY", self.read_consistency, ["", *CONSISTENCIES])
        _at_least("QUOTH_QDRANT_OVERSAMPLING", self.oversampling, 1)
        _at_least("QUOTH_QDRANT_HNSW_M", self.hnsw_m, 2)
        _at_least("QUOTH_QDRANT_HNSW_EF_CONSTRUCT", self.hnsw_ef_construct, 4)
        _at_least("QUOTH_QDRANT_SEARCH_EF", self.search_ef, 1)
        _at_least("QUOTH_QDRANT_SHARDS", self.shards, 1)
        _at_least("QUOTH_QDRANT_REPLICAS", self.replicas, 1)
        _at_least("QUOTH_QDRANT_WRITE_CONSISTENCY", self.write_consistency, 1)


def _one_of(variable: str, value: str, known: Any) -> None:
    if value not in known:
        names = ", ".join(name for name in known if name)
        raise SettingsError(f"{variable} must be one of {names}, not {value!r}")


def _at_least(variable: str, value: float, least: int) -> None:
    if value < least:
        raise SettingsError(f"{variable} must be {least} or more")
