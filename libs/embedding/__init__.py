"""The port of embedding models, and the model that comes inside packages."""

from libs.embedding.port import (
    Embedder,
    ModelStamp,
    PartedText,
    PartedVectors,
    PartEmbedder,
    Range,
    Vectors,
    close_models,
    require_usable,
)

__all__ = [
    "Embedder",
    "ModelStamp",
    "PartEmbedder",
    "PartedText",
    "PartedVectors",
    "Range",
    "Vectors",
    "close_models",
    "require_usable",
]
