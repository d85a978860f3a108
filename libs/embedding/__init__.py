"""The port of embedding models, and the model that comes inside packages."""

from libs.embedding.port import (
    Embedder,
    ModelStamp,
    PartedText,
    PartedVectors,
    PartEmbedder,
    Range,
    Vectors,
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
    "require_usable",
]
