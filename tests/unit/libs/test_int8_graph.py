"""What the local model's graph is made of gives the same vectors as what it was released with."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from libs.embedding.local import _leave_out_guards
from libs.ml.onnx import ort


def graph_of(*, of_itself: bool) -> onnx.ModelProto:
    """Return a softmax behind which NaN becomes 0, or what is NaN becomes what another path says."""
    row = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 3])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, [None, 3])
    nodes = [
        helper.make_node("Softmax", ["scores"], ["share"], axis=-1),
        helper.make_node("IsNaN", ["share"], ["is_nan"]),
        helper.make_node("Where", ["is_nan", "zero", "share" if of_itself else "scores"], ["sure"]),
        helper.make_node("Mul", ["sure", "two"], ["out"]),
    ]
    numbers = {"zero": 0.0, "two": 2.0}
    held = [
        numpy_helper.from_array(np.array(one, np.float32), name) for name, one in numbers.items()
    ]
    graph = helper.make_graph(nodes, "attention", [row], [out], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def run(model: onnx.ModelProto) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    scores = np.array([[0.5, -2.0, 1.25], [3.0, 3.0, 3.0]], np.float32)
    return np.asarray(session.run(["out"], {"scores": scores})[0])


def test_a_softmax_without_its_guard_gives_the_same_numbers() -> None:
    guarded = graph_of(of_itself=True)
    bare = onnx.ModelProto.FromString(guarded.SerializeToString())
    _leave_out_guards(bare.graph)
    assert [node.op_type for node in bare.graph.node] == ["Softmax", "Mul"]
    assert (run(bare) == run(guarded)).all()


def test_a_choice_between_two_paths_is_no_guard() -> None:
    model = graph_of(of_itself=False)
    before = run(model)
    _leave_out_guards(model.graph)
    assert (run(model) == before).all()
