"""An encoder's sizes and weights, as `encoder_graph` writes them, however a package keeps them."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float32]
LinearPart: TypeAlias = Literal["query", "key", "value", "attended", "inner", "outer"]
NormPart: TypeAlias = Literal["attended", "through"]

BLOCK = 32
"""Numbers of 4 bits that share a scale."""


@dataclass(frozen=True)
class Sizes:
    """Of the encoder: the length of its vectors, its layers, the heads of each, the length between a
    layer's two products, the tokens of a text at the most, and what is added before a root.
    """

    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float


@dataclass(frozen=True)
class Linear:
    """`weights` [in, out], and a bias for each of out."""

    weights: Floats
    bias: Floats


@dataclass(frozen=True)
class Norm:
    """By what each number of a row is multiplied, and what is added to it."""

    scale: Floats
    shift: Floats


@dataclass(frozen=True)
class Blocks:
    """A table in 4 bits: -8 to 7, [rows, columns], and a scale for each block of a row."""

    numbers: npt.NDArray[np.int8]
    scales: Floats

    def weights(self) -> Floats:
        rows, columns = self.numbers.shape
        blocks = self.numbers.reshape(rows, columns // BLOCK, BLOCK)
        weights: Floats = blocks * self.scales[:, :, None]
        return weights.reshape(rows, columns)


@dataclass(frozen=True)
class Levels:
    """A table in 8 bits: 0 to 255, [rows, columns], of which `zero` stands for nothing."""

    numbers: npt.NDArray[np.uint8]
    scale: np.float32
    zero: np.uint8

    def weights(self) -> Floats:
        weights: Floats = (self.numbers - np.float32(self.zero)) * self.scale
        return weights


def in_levels(weights: Floats) -> Levels:
    """Return the table by 256 levels from its least number to its greatest."""
    least, greatest = min(0.0, float(weights.min())), max(0.0, float(weights.max()))
    scale = np.float32((greatest - least) / 255)
    zero = np.rint(-least / scale)
    numbers = np.clip(np.rint(weights / scale) + zero, 0, 255).astype(np.uint8)
    return Levels(numbers, scale, np.uint8(zero))


class Encoder(Protocol):
    """A BERT: what `encoder_graph` needs of it."""

    @property
    def sizes(self) -> Sizes: ...

    def words(self) -> Blocks | Levels:
        """Return a row for each token of the vocabulary."""
        ...

    def places(self) -> Floats:
        """Return what is added to a token by its place, [positions, width], in a single text."""
        ...

    def first_norm(self) -> Norm:
        """Return the norm of what a token is and of where it stands."""
        ...

    def linear(self, layer: int, part: LinearPart) -> Linear: ...

    def norm(self, layer: int, part: NormPart) -> Norm: ...
