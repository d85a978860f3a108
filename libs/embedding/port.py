"""What the services need of an embedding model."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]


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


class Embedder(Protocol):
    """Turns texts into unit vectors. The vector of a text depends on nothing but the text."""

    @property
    def stamp(self) -> ModelStamp: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array (len(texts), dimensions) of float32 rows of length 1."""
        ...
