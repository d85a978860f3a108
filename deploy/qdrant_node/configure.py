"""A collection's configuration: the request that creates it, the engine's, and the report."""

from typing import Any

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as q

from deploy.qdrant_node.errors import allow_only, engine, invalid, unsupported

_DISTANCES = {
    q.Distance.Cosine: edge.Distance.Cosine,
    q.Distance.Euclid: edge.Distance.Euclid,
    q.Distance.Dot: edge.Distance.Dot,
    q.Distance.Manhattan: edge.Distance.Manhattan,
}
# Qdrant's defaults, in the units of its API (kilobytes for thresholds), but for the last: points that
# no optimisation has indexed are held in memory, whether their vectors are long or short.
_HNSW = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000, "max_indexing_threads": 0}
_OPTIMIZERS = {
    "deleted_threshold": 0.2,
    "vacuum_min_vector_number": 1000,
    "default_segment_number": 0,
    "indexing_threshold": 500,
}
# What an optimisation merges, and so the memory it takes, ends at so many points; more of them make
# another segment, which is searched for itself.
_SEGMENT_POINTS = 200_000
_NUMBER_BYTES = 4
# The queries of a batch are over in a millisecond: handing them to several threads costs more, and
# other calls wait for the interpreter's lock meanwhile in any case.
_SEARCH_THREADS = 1
_PAYLOAD_TYPES = {
    edge.PayloadSchemaType.Keyword: q.PayloadSchemaType.Keyword,
    edge.PayloadSchemaType.Integer: q.PayloadSchemaType.Integer,
    edge.PayloadSchemaType.Float: q.PayloadSchemaType.Float,
    edge.PayloadSchemaType.Geo: q.PayloadSchemaType.Geo,
    edge.PayloadSchemaType.Text: q.PayloadSchemaType.Text,
    edge.PayloadSchemaType.Bool: q.PayloadSchemaType.Bool,
    edge.PayloadSchemaType.Datetime: q.PayloadSchemaType.Datetime,
    edge.PayloadSchemaType.Uuid: q.PayloadSchemaType.Uuid,
}


def _hnsw(message: q.HnswConfigDiff) -> edge.HnswIndexConfig:
    allow_only(message, *_HNSW, "on_disk", "payload_m")
    options = {**_HNSW, **{field.name: value for field, value in message.ListFields()}}
    return engine(edge.HnswIndexConfig, **options)


def _optimizers(created: q.CreateCollection) -> q.OptimizersConfigDiff:
    """The settings of the optimiser, those that the request leaves out filled in."""
    largest_kb = _largest_segment_kb(created.vectors_config)
    defaults = {**_OPTIMIZERS, "max_segment_size": largest_kb}
    filled: q.OptimizersConfigDiff = _with_defaults(
        q.OptimizersConfigDiff, created.optimizers_config, defaults
    )
    return filled


def _largest_segment_kb(vectors: q.VectorsConfig) -> int:
    if vectors.WhichOneof("config") == "params":
        sizes = [vectors.params.size]
    else:
        sizes = [params.size for params in vectors.params_map.map.values()]
    return max(1, _SEGMENT_POINTS * max(sizes, default=1) * _NUMBER_BYTES // 1024)


def _engine_optimizers(created: q.CreateCollection) -> edge.EdgeOptimizersConfig:
    allow_only(created.optimizers_config, *_OPTIMIZERS, "max_segment_size")
    options = {field.name: value for field, value in _optimizers(created).ListFields()}
    return engine(edge.EdgeOptimizersConfig, **options)


def _vector(message: q.VectorParams) -> edge.EdgeVectorParams:
    allow_only(message, "size", "distance", "on_disk", "hnsw_config", "quantization_config")
    if message.distance not in _DISTANCES:
        raise invalid("a vector needs a distance")
    if not 1 <= message.size <= 65536:
        raise invalid("the size of a vector must be from 1 to 65536")
    return engine(
        edge.EdgeVectorParams,
        size=message.size,
        distance=_DISTANCES[message.distance],
        on_disk=message.on_disk if message.HasField("on_disk") else None,
        hnsw_config=_hnsw(message.hnsw_config) if message.HasField("hnsw_config") else None,
        quantization_config=_quantisation(message.quantization_config),
    )


def _quantisation(message: q.QuantizationConfig) -> Any:
    kind = message.WhichOneof("quantization")
    if kind is None:
        return None
    config = getattr(message, kind)
    in_memory = config.always_ram if config.HasField("always_ram") else None
    if kind == "scalar":
        allow_only(config, "type", "quantile", "always_ram")
        quantile = config.quantile if config.HasField("quantile") else None
        return engine(
            edge.ScalarQuantizationConfig, edge.ScalarType.Int8, quantile, always_ram=in_memory
        )
    if kind == "binary":
        allow_only(config, "always_ram")
        return engine(edge.BinaryQuantizationConfig, always_ram=in_memory)
    raise unsupported(f"`{kind}` quantisation")


def _sparse_vector(message: q.SparseVectorParams) -> edge.EdgeSparseVectorParams:
    allow_only(message, "modifier", "index")
    allow_only(message.index, "full_scan_threshold", "on_disk")
    index = message.index
    return engine(
        edge.EdgeSparseVectorParams,
        modifier=edge.Modifier.Idf if message.modifier == q.Modifier.Idf else None,
        full_scan_threshold=index.full_scan_threshold
        if index.HasField("full_scan_threshold")
        else None,
        on_disk=index.on_disk if index.HasField("on_disk") else None,
    )


def _refuse_more_than_one(message: q.CreateCollection) -> None:
    for field in ("shard_number", "replication_factor", "write_consistency_factor"):
        if message.HasField(field) and getattr(message, field) != 1:
            raise unsupported(f"a `{field}` other than 1")
    if message.sharding_method == q.ShardingMethod.Custom:
        raise unsupported("a `shard_number` other than 1")


def edge_config(message: q.CreateCollection) -> edge.EdgeConfig:
    """The engine's configuration; refuses what the node would not honour."""
    allow_only(
        message,
        "collection_name",
        "timeout",
        "vectors_config",
        "sparse_vectors_config",
        "hnsw_config",
        "optimizers_config",
        "on_disk_payload",
        "shard_number",
        "replication_factor",
        "write_consistency_factor",
        "sharding_method",
    )
    _refuse_more_than_one(message)
    vectors = message.vectors_config
    if vectors.WhichOneof("config") == "params":
        dense = {"": _vector(vectors.params)}
    else:
        dense = {name: _vector(params) for name, params in vectors.params_map.map.items()}
    sparse_vectors = message.sparse_vectors_config.map
    sparse = {name: _sparse_vector(params) for name, params in sparse_vectors.items()}
    if not dense and not sparse:
        raise unsupported("a collection without vectors")
    return engine(
        edge.EdgeConfig,
        vectors=dense or None,
        sparse_vectors=sparse or None,
        on_disk_payload=message.on_disk_payload if message.HasField("on_disk_payload") else None,
        hnsw_config=_hnsw(message.hnsw_config),
        optimizers=_engine_optimizers(message),
        wal_enabled=True,
        max_search_threads=_SEARCH_THREADS,
    )


def _with_defaults(kind: type[Any], message: Message, defaults: dict[str, Any]) -> Any:
    filled = kind(**defaults)
    filled.MergeFrom(message)
    return filled


def collection_config(created: q.CreateCollection) -> q.CollectionConfig:
    """The configuration in force, defaults filled in, as a server reports it."""
    return q.CollectionConfig(
        params=q.CollectionParams(
            shard_number=1,
            replication_factor=1,
            write_consistency_factor=1,
            on_disk_payload=created.on_disk_payload
            if created.HasField("on_disk_payload")
            else True,
            vectors_config=created.vectors_config,
            sparse_vectors_config=created.sparse_vectors_config,
        ),
        hnsw_config=_with_defaults(q.HnswConfigDiff, created.hnsw_config, _HNSW),
        optimizer_config=_optimizers(created),
        wal_config=q.WalConfigDiff(wal_capacity_mb=32, wal_segments_ahead=0),
    )


def collection_info(
    created: q.CreateCollection, info: "edge.ShardInfo", *, optimising: bool
) -> q.CollectionInfo:
    schema = {
        name: q.PayloadSchemaInfo(data_type=_PAYLOAD_TYPES[index.data_type], points=index.points)
        for name, index in info.payload_schema.items()
    }
    return q.CollectionInfo(
        status=q.CollectionStatus.Yellow if optimising else q.CollectionStatus.Green,
        optimizer_status=q.OptimizerStatus(ok=True),
        segments_count=info.segments_count,
        points_count=info.points_count,
        indexed_vectors_count=info.indexed_vectors_count,
        config=collection_config(created),
        payload_schema=schema,
    )
