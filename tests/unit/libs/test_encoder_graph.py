"""A graph in int8 gives what its encoder's weights say, computed step by step."""

from dataclasses import dataclass, field
from math import erf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest

from libs.embedding.encoder import (
    Blocks,
    Floats,
    Levels,
    Linear,
    LinearPart,
    Norm,
    NormPart,
    Sizes,
    in_levels,
)
from libs.embedding.encoder_graph import encoder_graph
from libs.embedding.tokenwise import TokenModel

SIZES = Sizes(width=64, layers=2, heads=4, inner=96, positions=12, epsilon=1e-6)
WORDS = 20


@dataclass
class Drawn:
    """An encoder of weights by lot, each part always the same."""

    table: Blocks | Levels
    sizes: Sizes = SIZES
    kept: dict[Any, Any] = field(default_factory=dict)

    def words(self) -> Blocks | Levels:
        return self.table

    def places(self) -> Floats:
        return self._draw("places", SIZES.positions, SIZES.width)

    def first_norm(self) -> Norm:
        return self._norm("first")

    def linear(self, layer: int, part: LinearPart) -> Linear:
        into = SIZES.inner if part == "outer" else SIZES.width
        out = SIZES.inner if part == "inner" else SIZES.width
        weights = self._draw((layer, part), into, out) / np.float32(into**0.5 / 2)
        return Linear(weights, self._draw((layer, part, "bias"), out))

    def norm(self, layer: int, part: NormPart) -> Norm:
        return self._norm((layer, part))

    def _norm(self, name: Any) -> Norm:
        scale = np.float32(1) + self._draw((name, "scale"), SIZES.width) / np.float32(10)
        return Norm(scale, self._draw((name, "shift"), SIZES.width))

    def _draw(self, name: Any, *shape: int) -> Floats:
        if name not in self.kept:
            lot = np.random.default_rng(len(self.kept))
            self.kept[name] = lot.standard_normal(shape).astype(np.float32)
        drawn: Floats = self.kept[name]
        return drawn


def by_hand(encoder: Drawn, ids: list[int]) -> npt.NDArray[np.floating]:
    """Compute what the graph has to give, in the order in which a BERT is told."""
    rows = encoder.words().weights()[ids] + encoder.places()[: len(ids)]
    rows = normed(rows, encoder.first_norm())
    for layer in range(SIZES.layers):
        query, key, value = (
            np.stack(np.split(times(rows, encoder.linear(layer, part)), SIZES.heads, axis=1))
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.transpose(0, 2, 1) / (SIZES.width / SIZES.heads) ** 0.5)
        seen = scores / scores.sum(axis=2, keepdims=True) @ value
        out = times(np.concatenate(seen, axis=1), encoder.linear(layer, "attended"))
        rows = normed(rows + out, encoder.norm(layer, "attended"))
        wide = times(rows, encoder.linear(layer, "inner"))
        bent = wide * (1 + np.vectorize(erf)(wide / 2**0.5)) / 2
        rows = normed(
            rows + times(bent, encoder.linear(layer, "outer")), encoder.norm(layer, "through")
        )
    return rows


def times(rows: npt.NDArray[np.floating], linear: Linear) -> npt.NDArray[np.floating]:
    return rows @ linear.weights + linear.bias


def normed(rows: npt.NDArray[np.floating], norm: Norm) -> npt.NDArray[np.floating]:
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + SIZES.epsilon)
    scaled: npt.NDArray[np.floating] = centred / deviation * norm.scale + norm.shift
    return scaled


def in_blocks() -> Blocks:
    lot = np.random.default_rng(7)
    numbers = lot.integers(-8, 8, (WORDS, SIZES.width)).astype(np.int8)
    scales = lot.uniform(0.05, 0.3, (WORDS, SIZES.width // 32)).astype(np.float32)
    return Blocks(numbers, scales)


def by_levels() -> Levels:
    lot = np.random.default_rng(8)
    return in_levels(lot.standard_normal((WORDS, SIZES.width)).astype(np.float32))


@pytest.mark.parametrize("table", [in_blocks(), by_levels()], ids=["4 bits", "8 bits"])
@pytest.mark.parametrize("ids", [[3], [0, 5, 19, 5, 2, 11, 7]], ids=["a token", "a text"])
def test_a_graph_gives_what_its_weights_say(
    tmp_path: Path, table: Blocks | Levels, ids: list[int]
) -> None:
    encoder = Drawn(table)
    onnx.save(encoder_graph(encoder), tmp_path / "graph.onnx")
    rows = TokenModel(tmp_path / "graph.onnx").run(ids)
    wanted = by_hand(encoder, ids)
    assert rows.shape == (len(ids), SIZES.width)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(wanted, axis=1)
    assert ((rows * wanted).sum(axis=1) / lengths).min() > 0.9997


def test_levels_hold_nothing_as_it_is_and_the_rest_within_half_a_level() -> None:
    weights = np.array([[0.0, -0.3, 1.2], [0.7, 0.01, -0.29]], np.float32)
    levels = in_levels(weights)
    assert levels.weights()[0, 0] == 0
    assert np.abs(levels.weights() - weights).max() <= levels.scale
    assert np.abs(in_levels(weights + 3).weights() - weights - 3).max() <= 4.2 / 255
