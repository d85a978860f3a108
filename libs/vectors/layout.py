"""Choose how collections are laid out and searched, which matters when there is much.

What is laid out keeps its layout: a change holds for collections that are made afterwards.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libs.settings import load_settings
from libs.vectors.layout_settings import LayoutSettings
from libs.vectors.qdrant import grpc, models
from libs.vectors.schema import BM25, DENSE, INDEXES, Payload

_QUANTISATIONS: dict[str, models.QuantizationConfig | None] = {
    "none": None,
    "scalar": models.ScalarQuantization(
        scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
    ),
    "binary": models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True)),
}
# What every search asks of every chunk of a book, to count how rare its terms are: read from the
# disk it was half of a search among 20,000 chunks, and it takes hardly any memory.
_EDITION = {Payload.BOOK, Payload.BORN, Payload.DIED}
_CONSISTENCIES = {kind.value: kind for kind in models.ReadConsistencyType}


@dataclass(frozen=True)
class Layout(LayoutSettings):
    """What ingest makes collections with, and retrieval searches them by."""

    def of_collection(self, dimensions: int) -> dict[str, Any]:
        """Return the arguments of AsyncQdrantClient.create_collection.

        Every search is of one book, so graphs are of one book too (m = 0 leaves out the one over
        all): a thousand books need none, where one graph would take longer than all else.
        """
        several = {
            "replication_factor": self.replicas,
            "write_consistency_factor": self.write_consistency,
        }
        # Parts have keys, and each is one shard: see libs.vectors.parts.
        keyed = {"sharding_method": models.ShardingMethod.CUSTOM}
        return {
            "vectors_config": {
                DENSE: models.VectorParams(
                    size=dimensions,
                    distance=models.Distance.COSINE,
                    on_disk=self.vectors_on_disk,
                    quantization_config=_QUANTISATIONS[self.quantisation],
                )
            },
            "sparse_vectors_config": {
                BM25: models.SparseVectorParams(
                    modifier=models.Modifier.IDF,
                    index=models.SparseIndexParams(on_disk=self.indexes_on_disk),
                )
            },
            "hnsw_config": models.HnswConfigDiff(
                m=0, payload_m=self.hnsw_m, ef_construct=self.hnsw_ef_construct
            ),
            "on_disk_payload": self.payload_on_disk,
            # Left to itself, a cluster would make as many as it has servers.
            "shard_number": 1,
            **{name: count for name, count in several.items() if count > 1},
            **(keyed if self.shards > 1 else {}),
        }

    def of_field(self, key: str) -> models.KeywordIndexParams | models.IntegerIndexParams:
        """Return how a payload field is indexed: graphs are of books, not of each field's values."""
        on_disk = self.indexes_on_disk and key not in _EDITION
        if INDEXES[key] is models.PayloadSchemaType.KEYWORD:
            is_book = key == Payload.BOOK
            return models.KeywordIndexParams(
                type=models.KeywordIndexType.KEYWORD,
                is_tenant=is_book,
                enable_hnsw=is_book,
                on_disk=on_disk,
            )
        return models.IntegerIndexParams(
            type=models.IntegerIndexType.INTEGER,
            lookup=False,
            range=True,
            enable_hnsw=False,
            on_disk=on_disk,
        )

    def of_search(self) -> grpc.SearchParams:
        """Return the parameters of a search by dense vectors, whose scores are exact in any case."""
        params = grpc.SearchParams(hnsw_ef=self.search_ef)
        if self.quantisation != "none":
            params.quantization.rescore = True
            params.quantization.oversampling = self.oversampling
        return params

    def of_reading(self) -> models.ReadConsistencyType | None:
        """Return which copies a read asks, None where Qdrant's default will do."""
        return _CONSISTENCIES.get(self.read_consistency)


def load_layout(environment: Mapping[str, str] = os.environ) -> Layout:
    """Raise SettingsError, naming the variable, for what can't be used."""
    return load_settings(Layout, environment)
