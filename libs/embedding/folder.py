"""Any sentence-embedding model as ONNX graph and tokenizer in a folder."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from libs.embedding.port import ModelStamp, Vectors
from libs.settings import SettingsError

_GRAPHS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_DEFAULT_MAX_TOKENS = 512


class FolderEmbedder:
    """Embeds one text at a time on one thread, so that a vector depends on its text alone.

    Reads what sentence-transformers writes: `tokenizer.json`, a graph, and where they are there
    `1_Pooling/config.json` (mean, which is the default, or first token) and `max_seq_length` in
    `sentence_bert_config.json`. Raises SettingsError for a folder that can't be used.
    """

    def __init__(self, folder: Path) -> None:
        graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
        if graph is None or not (folder / "tokenizer.json").is_file():
            raise SettingsError("QUOTH_EMBEDDER_DIR needs tokenizer.json and model.onnx")
        limits = _read(folder / "sentence_bert_config.json")
        max_tokens = int(limits.get("max_seq_length") or _DEFAULT_MAX_TOKENS)
        self._first = bool(_read(folder / "1_Pooling/config.json").get("pooling_mode_cls_token"))
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(max_tokens)
            self._session = ort.InferenceSession(
                str(graph), options, providers=["CPUExecutionProvider"]
            )
            self._inputs = {item.name for item in self._session.get_inputs()}
            dimensions = len(self._embed_one("x"))
        except Exception as error:  # both libraries raise their own, of no common kind
            raise SettingsError("QUOTH_EMBEDDER_DIR: the model can't be used") from error
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self.stamp = ModelStamp(
            folder.resolve().name,
            _digest(graph, folder / "tokenizer.json"),
            dimensions,
            max_tokens,
            f"{'first token' if self._first else 'mean-pooled'}/normalised",
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.stamp.dimensions), np.float32)
        loop = asyncio.get_running_loop()
        for row, text in enumerate(texts):  # one by one, so that a cancelled request ends soon
            vectors[row] = await loop.run_in_executor(self._thread, self._embed_one, text)
        return vectors

    def _embed_one(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        asked = {name: value for name, value in given.items() if name in self._inputs}
        hidden = np.asarray(self._session.run(None, asked)[0][0], np.float32)
        pooled: Vectors = hidden
        if hidden.ndim > 1:
            pooled = hidden[0] if self._first else hidden.mean(axis=0)
        return pooled / np.linalg.norm(pooled)


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
