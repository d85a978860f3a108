"""What the services need of an embedding model."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from typing_extensions import TypeAliasType

from libs.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# By name: whoever needs an embedder's settings alone is spared 0.1 s of importing numpy.
Vectors = TypeAliasType("Vectors", "npt.NDArray[np.float32]")
Range: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class ModelStamp:
    """Identity of a model: two vectors may be compared only if their stamps are equal."""

    name: str
    revision: str
    dimensions: int
    max_tokens: int
    recipe: str

    def digest(self) -> str:
        """Return 12 hexadecimal digits that name the stamp."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]


NO_VECTOR = "The embedding model gave no usable vector. Try again in a moment."


def require_usable(vectors: Vectors, count: int, stamp: ModelStamp) -> Vectors:
    """Raise Unavailable unless these are `count` rows of the stamp's size, finite and not zero."""
    import numpy as np  # noqa: PLC0415 - as above; who has vectors has imported it

    if vectors.shape != (count, stamp.dimensions):
        raise Unavailable(NO_VECTOR)
    if not np.isfinite(vectors).all() or not np.any(vectors, axis=1).all():
        raise Unavailable(NO_VECTOR)
    return vectors


class Embedder(Protocol):
    """Turns texts into span vectors. The vector of a text depends on nothing but the text."""

    @property
    def stamp(self) -> ModelStamp: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array (len(texts), dimensions) of float32 rows of length 1."""
        ...


@runtime_checkable
class Closing(Protocol):
    """A model that holds connections to an API."""

    async def close(self) -> None: ...


async def close_models(*models: object) -> None:
    """Close the connections of those that hold any; what computes here holds none."""
    for model in models:
        if isinstance(model, Closing):
            await model.close()


@dataclass(frozen=True)
class PartedText:
    """A text, and ranges of its characters that get vectors of their own."""

    text: str
    parts: tuple[Range, ...]


@dataclass(frozen=True)
class PartedVectors:
    """The vector of a text, and a row for each of its parts: zeros where a part has no tokens."""

    whole: Vectors
    parts: Vectors


@runtime_checkable
class PartEmbedder(Embedder, Protocol):
    """An embedder that sees its texts token by token, so that parts cost nothing beside the whole.

    A model behind an API does not. Its texts have no vectors of parts then: each sentence would be
    another text to pay for.
    """

    async def embed_parts(self, texts: Sequence[PartedText]) -> list[PartedVectors]:
        """Return what `embed` would for each text, and its parts: vectors of their words in context."""
        ...
