"""A folder with a tiny entailment network: it counts the hypothesis' words that the premise lacks."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = """[UNK] [CLS] [SEP] the The It it actuator holds pressure penguins swim . 21 MPa without a
    gearbox""".split()  # noqa: SIM905


def write_tiny_entailment(folder: Path, labels: dict[str, str], row: Sequence[float]) -> Path:
    """Write a network whose logits are `row` times the share of known words of the whole input.

    `labels` is config.json's id2label; a word that is not of WORDS counts against.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"id2label": labels}))
    table = np.ones((len(WORDS), 1), np.float32)
    table[0] = -4.0
    weights: dict[str, Any] = {
        "table": table,
        "row": np.array([row], np.float32),
        "axis": np.array([1], np.int64),
    }
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["scores"]),
        helper.make_node("ReduceMean", ["scores", "axis"], ["mean"], keepdims=0),
        helper.make_node("MatMul", ["mean", "row"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, len(row)])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    return folder


LAYOUTS = {
    "deberta": ({"0": "contradiction", "1": "neutral", "2": "entailment"}, [-3.0, 0.0, 3.0]),
    "entailment first": ({"0": "entailment", "1": "not_entailment"}, [3.0, -3.0]),
    "minicheck": ({"0": "LABEL_0", "1": "LABEL_1"}, [-3.0, 3.0]),
    "hhem": ({"0": "LABEL_0"}, [3.0]),
}
