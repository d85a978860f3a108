"""Write a packed encoder as an ONNX graph in int8: tokens in, a row a token out.

Attention, the bend between two layers and the norm are single operators, which ONNX Runtime computes
several times as fast as what exporters spell out. Weights are in int8 by the greatest of each
column; activations are quantised on the fly, by the range of the text at hand. The vocabulary stays
in 4 bits.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from libs.embedding.packed_encoder import BLOCK, Matrix, PackedEncoder

_OPERATORS = 21
_FORMAT = 10
_OF_THE_RUNTIME = "com.microsoft"


def encoder_graph(packed: PackedEncoder) -> ModelProto:
    """Return the graph; it takes `input_ids` [1, n] and gives `last_hidden_state` [1, n, width]."""
    return _Writer(packed).write()


class _Writer:
    def __init__(self, packed: PackedEncoder) -> None:
        self._packed = packed
        self._sizes = packed.sizes
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def write(self) -> ModelProto:
        rows = self._embed()
        for layer in range(self._sizes.layers):
            rows = self._attend(rows, f"l{layer}.")
            rows = self._widen(rows, f"l{layer}.")
        self._add("Identity", [rows], "last_hidden_state")
        width = self._sizes.width
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
            [
                helper.make_tensor_value_info(
                    "last_hidden_state", TensorProto.FLOAT, [1, "n", width]
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
        matrix = self._packed.matrix("emb.word", len(self._packed.pieces), self._sizes.width)
        self._constants.append(_in_four_bits("words", matrix))
        words = self._add(
            "GatherBlockQuantized",
            ["words", "input_ids", self._constant("words.scales", matrix.scales)],
            "word",
            _OF_THE_RUNTIME,
            gather_axis=0,
            quantize_axis=1,
            block_size=BLOCK,
        )
        bounds = [self._constant(f"axis.{one}", np.array([one])) for one in (0, 1, 2)]
        shape = self._add("Shape", ["input_ids"], "shape")
        length = self._add("Slice", [shape, bounds[1], bounds[2]], "length")
        places = self._constant("places", self._packed.positions())
        place = self._add("Slice", [places, bounds[0], length, bounds[0]], "place")
        return self._norm(self._add("Add", [words, place], "placed"), "emb.ln.w", "emb.ln.b")

    def _attend(self, rows: str, layer: str) -> str:
        parts = [f"{layer}{part}" for part in "qkv"]
        joined = self._linear(rows, parts, self._sizes.width)
        split = [f"{part}.row" for part in parts]
        self._nodes.append(helper.make_node("Split", [joined], split, num_outputs=3, axis=-1))
        seen = self._add(
            "MultiHeadAttention",
            split,
            f"{layer}seen",
            _OF_THE_RUNTIME,
            num_heads=self._sizes.heads,
        )
        out = self._linear(seen, [f"{layer}ao"], self._sizes.width)
        beside = self._add("Add", [rows, out], f"{layer}beside")
        return self._norm(beside, f"{layer}aln.w", f"{layer}aln.b")

    def _widen(self, rows: str, layer: str) -> str:
        wide = self._linear(rows, [f"{layer}fi"], self._sizes.inner)
        bent = self._add("Gelu", [wide], f"{layer}bent")
        out = self._linear(bent, [f"{layer}fo"], self._sizes.width, self._sizes.inner)
        beside = self._add("Add", [rows, out], f"{layer}through")
        return self._norm(beside, f"{layer}oln.w", f"{layer}oln.b")

    def _linear(self, rows: str, names: Sequence[str], out: int, columns: int | None = None) -> str:
        """Multiply by one matrix, or by several side by side, and add what belongs to each column."""
        columns = columns or self._sizes.width
        name = names[0]
        weights = [self._packed.matrix(f"{part}.w", out, columns).weights() for part in names]
        matrix, scales = _in_eight_bits(np.concatenate(weights).T)
        outputs = [f"{name}.{part}" for part in ("numbers", "scale", "zero")]
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [rows], outputs))
        numbers, scale, zero = outputs
        product = self._add(
            "MatMulInteger",
            [numbers, self._constant(f"{name}.w", matrix), zero],
            f"{name}.product",
        )
        scaled = self._add("Mul", [scale, self._constant(f"{name}.w.scale", scales)], f"{name}.by")
        whole = self._add("Cast", [product], f"{name}.whole", to=TensorProto.FLOAT)
        weighed = self._add("Mul", [whole, scaled], f"{name}.weighed")
        added = [self._packed.vector(f"{part}.b", out) for part in names]
        bias = self._constant(f"{name}.b", np.concatenate(added))
        return self._add("Add", [weighed, bias], f"{name}.sum")

    def _norm(self, rows: str, scale: str, shift: str) -> str:
        constants = [
            self._constant(name, self._packed.vector(name, self._sizes.width))
            for name in (scale, shift)
        ]
        return self._add(
            "LayerNormalization",
            [rows, *constants],
            f"{scale}.normed",
            axis=-1,
            epsilon=self._sizes.epsilon,
        )

    def _constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _add(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **how: Any
    ) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **how))
        return output


def _in_eight_bits(
    matrix: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Return whole numbers from -127 to 127, and by what those of each column are multiplied."""
    scales = np.abs(matrix).max(axis=0) / np.float32(127)
    return np.rint(matrix / scales).astype(np.int8), scales


def _in_four_bits(name: str, matrix: Matrix) -> TensorProto:
    low, high = matrix.numbers[:, 0::2] & 15, matrix.numbers[:, 1::2] & 15
    packed = (low | high << 4).astype(np.uint8).tobytes()
    return helper.make_tensor(name, TensorProto.INT4, matrix.numbers.shape, packed, raw=True)
