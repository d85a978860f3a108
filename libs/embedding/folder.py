"""Any sentence-embedding model as ONNX graph and tokenizer in a folder."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from libs.embedding.port import Embedder, ModelStamp, Vectors
from libs.embedding.tokenwise import (
    POOLED,
    NoVectors,
    TokenModel,
    TokenwiseEmbedder,
    WindowEmbedder,
)
from libs.embedding.windows import Window, WindowReader, unit_length
from libs.settings import SettingsError

_GRAPHS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_DEFAULT_MAX_TOKENS = 512


def open_folder(folder: Path, *, gives_way: bool = False) -> Embedder:
    """Open the model in a folder, one text at a time, so that a vector depends on its text alone.

    Reads what sentence-transformers writes: `tokenizer.json`, a graph, and where they are there
    `1_Pooling/config.json` (mean, which is the default, or first token) and `max_seq_length` in
    `sentence_bert_config.json`. A model that is pooled by the mean gives vectors of parts.

    Raises SettingsError for a folder that can't be used.
    """
    graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if graph is None or not (folder / "tokenizer.json").is_file():
        raise SettingsError("QUOTH_EMBEDDER_DIR needs tokenizer.json and model.onnx")
    limits = _read(folder / "sentence_bert_config.json")
    max_tokens = int(limits.get("max_seq_length") or _DEFAULT_MAX_TOKENS)
    takes_first = bool(_read(folder / "1_Pooling/config.json").get("pooling_mode_cls_token"))
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        reader = WindowReader(tokenizer, max_tokens, TokenModel(graph).run)
        [window] = reader.read("x")
        dimensions = window.rows.shape[-1]
    except NoVectors as error:
        raise SettingsError(f"QUOTH_EMBEDDER_DIR: {error}") from error
    except Exception as error:  # both libraries raise their own, of no common kind
        raise SettingsError("QUOTH_EMBEDDER_DIR: the model can't be used") from error
    recipe, pool = POOLED, None
    if window.rows.ndim == 1:
        recipe, pool = "windows averaged", _mean_of_windows
    elif takes_first:
        recipe, pool = "first tokens of windows averaged", _mean_of_first
    stamp = ModelStamp(
        folder.resolve().name,
        _digest(graph, folder / "tokenizer.json"),
        dimensions,
        max_tokens,
        f"{recipe}/normalised",
    )
    if pool is None:
        return TokenwiseEmbedder(stamp, reader, gives_way=gives_way)
    return WindowEmbedder(stamp, reader, pool, gives_way=gives_way)


def _mean_of_windows(windows: Sequence[Window]) -> Vectors:
    return unit_length(np.mean([window.rows for window in windows], axis=0))


def _mean_of_first(windows: Sequence[Window]) -> Vectors:
    return unit_length(np.mean([window.rows[0] for window in windows], axis=0))


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except ValueError as error:
        raise SettingsError(f"QUOTH_EMBEDDER_DIR: {path.name} is not JSON") from error


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]
