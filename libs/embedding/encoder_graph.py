"""Write an encoder as an ONNX graph in int8: tokens in, a row a token out.

Attention, the bend between two products and the norm are single operators, which ONNX Runtime
computes up to twice as fast as what exporters spell out. Weights are in int8 by the greatest of each
column; activations are quantised on the fly, by the range of the text at hand.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from libs.embedding.encoder import (
    BLOCK,
    Blocks,
    Encoder,
    Floats,
    LinearPart,
    Norm,
    NormPart,
)

_OPERATORS = 21
_FORMAT = 10
_OF_THE_RUNTIME = "com.microsoft"


def encoder_graph(encoder: Encoder) -> ModelProto:
    """Return the graph; it takes `input_ids` [1, n] and gives `last_hidden_state` [1, n, width]."""
    return _Writer(encoder).write()


class _Writer:
    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def write(self) -> ModelProto:
        sizes = self._encoder.sizes
        rows = self._embed()
        for layer in range(sizes.layers):
            rows = self._attend(rows, layer)
            rows = self._widen(rows, layer)
        self._add("Identity", [rows], "last_hidden_state")
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
            [
                helper.make_tensor_value_info(
                    "last_hidden_state", TensorProto.FLOAT, [1, "n", sizes.width]
                )
            ],
            self._constants,
        )
        operators = [
            helper.make_opsetid("", _OPERATORS),
            helper.make_opsetid(_OF_THE_RUNTIME, 1),
        ]
        return helper.make_model(graph, opset_imports=operators, ir_version=_FORMAT)

    def _embed(self) -> str:
        """Return the norm of what each token is and of where it stands."""
        words = self._look_up()
        bounds = [self._constant(f"axis.{one}", np.array([one])) for one in (0, 1, 2)]
        shape = self._add("Shape", ["input_ids"], "shape")
        length = self._add("Slice", [shape, bounds[1], bounds[2]], "length")
        places = self._constant("places", self._encoder.places())
        place = self._add("Slice", [places, bounds[0], length, bounds[0]], "place")
        placed = self._add("Add", [words, place], "placed")
        return self._norm(placed, self._encoder.first_norm(), "embedded")

    def _look_up(self) -> str:
        table = self._encoder.words()
        if isinstance(table, Blocks):
            self._constants.append(_in_four_bits("words", table))
            return self._add(
                "GatherBlockQuantized",
                ["words", "input_ids", self._constant("words.scales", table.scales)],
                "word",
                _OF_THE_RUNTIME,
                gather_axis=0,
                quantize_axis=1,
                block_size=BLOCK,
            )
        numbers = self._constant("words", table.numbers)
        scale = self._constant("words.scale", np.array(table.scale))
        zero = self._constant("words.zero", np.array(table.zero))
        rows = self._add("Gather", [numbers, "input_ids"], "word.numbers")
        return self._add("DequantizeLinear", [rows, scale, zero], "word")

    def _attend(self, rows: str, layer: int) -> str:
        joined = self._linear(rows, layer, "query", "key", "value")
        split = [f"{layer}.query", f"{layer}.key", f"{layer}.value"]
        self._nodes.append(helper.make_node("Split", [joined], split, num_outputs=3, axis=-1))
        heads = self._encoder.sizes.heads
        seen = self._add(
            "MultiHeadAttention", split, f"{layer}.seen", _OF_THE_RUNTIME, num_heads=heads
        )
        return self._add_up(rows, self._linear(seen, layer, "attended"), layer, "attended")

    def _widen(self, rows: str, layer: int) -> str:
        bent = self._add("Gelu", [self._linear(rows, layer, "inner")], f"{layer}.bent")
        return self._add_up(rows, self._linear(bent, layer, "outer"), layer, "through")

    def _add_up(self, rows: str, more: str, layer: int, part: NormPart) -> str:
        both = self._add("Add", [rows, more], f"{layer}.{part}.both")
        return self._norm(both, self._encoder.norm(layer, part), f"{layer}.{part}.normed")

    def _linear(self, rows: str, layer: int, *parts: LinearPart) -> str:
        """Multiply by one matrix, or by several side by side, and add what belongs to each column."""
        name = f"{layer}.{parts[0]}.linear"
        linears = [self._encoder.linear(layer, part) for part in parts]
        matrix, scales = _in_eight_bits(np.concatenate([one.weights for one in linears], axis=1))
        outputs = [f"{name}.{part}" for part in ("numbers", "scale", "zero")]
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [rows], outputs))
        numbers, scale, zero = outputs
        weights = self._constant(f"{name}.weights", matrix)
        product = self._add("MatMulInteger", [numbers, weights, zero], f"{name}.product")
        columns = self._constant(f"{name}.columns", scales)
        scaled = self._add("Mul", [scale, columns], f"{name}.scaled")
        whole = self._add("Cast", [product], f"{name}.whole", to=TensorProto.FLOAT)
        weighed = self._add("Mul", [whole, scaled], f"{name}.weighed")
        bias = self._constant(f"{name}.bias", np.concatenate([one.bias for one in linears]))
        return self._add("Add", [weighed, bias], f"{name}.sum")

    def _norm(self, rows: str, norm: Norm, name: str) -> str:
        scale = self._constant(f"{name}.scale", norm.scale)
        shift = self._constant(f"{name}.shift", norm.shift)
        epsilon = self._encoder.sizes.epsilon
        return self._add("LayerNormalization", [rows, scale, shift], name, axis=-1, epsilon=epsilon)

    def _constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _add(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **how: Any
    ) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **how))
        return output


def _in_eight_bits(weights: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return whole numbers from -127 to 127, and by what those of each column are multiplied."""
    scales = np.abs(weights).max(axis=0) / np.float32(127)
    return np.rint(weights / scales).astype(np.int8), scales


def _in_four_bits(name: str, table: Blocks) -> TensorProto:
    low, high = table.numbers[:, 0::2] & 15, table.numbers[:, 1::2] & 15
    packed = (low | high << 4).astype(np.uint8).tobytes()
    return helper.make_tensor(name, TensorProto.INT4, table.numbers.shape, packed, raw=True)
