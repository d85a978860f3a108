"""Embed texts and their parts by a token-wise model, one text at a time on one thread."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np

from libs.embedding.port import ModelStamp, PartedText, PartedVectors, Vectors
from libs.embedding.windows import Window, WindowReader, mean_of, means_of_parts

T = TypeVar("T")
R = TypeVar("R")

_NICENESS = 10

POOLED = "windows mean-pooled, parts too"
"""How the vectors of a TokenwiseEmbedder are made, for its stamp."""


_TOKENS = ("last_hidden_state", "token_embeddings")
_WHOLE = ("sentence_embedding",)
"""What those who export models call the vectors of tokens, and the one of the text."""


class NoVectors(Exception):
    """No output of a graph, or more than one, can be its embeddings."""


class TokenModel:
    """An ONNX graph that takes the ids of tokens. Raises NoVectors for what gives none."""

    def __init__(self, graph: Path) -> None:
        # Loading it takes 0.1 s of a start, and a model may be opened long after that.
        from libs.ml.onnx import ort  # noqa: PLC0415 - as above

        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = ort.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._output = _choose_output(
            {item.name: len(item.shape) for item in self._session.get_outputs()}
        )

    def run(self, ids: Sequence[int]) -> Vectors:
        """Return a row a token; of a graph that pools by itself, the one vector of all."""
        batch = np.array([ids], np.int64)
        given = {
            "input_ids": batch,
            "attention_mask": np.ones_like(batch),
            "token_type_ids": np.zeros_like(batch),
        }
        asked = {name: value for name, value in given.items() if name in self._inputs}
        return np.asarray(self._session.run([self._output], asked)[0][0], np.float32)


def _choose_output(ranks: Mapping[str, int]) -> str:
    """Return the output of tokens, [1, tokens, numbers], else that of the text, [1, numbers]."""
    for rank, names in ((3, _TOKENS), (2, _WHOLE)):
        fitting = [name for name in ranks if ranks[name] == rank]
        known = [name for name in names if name in fitting]
        if known or len(fitting) == 1:
            return (known or fitting)[0]
    listed = ", ".join(f"{name} of {rank} dimensions" for name, rank in ranks.items())
    raise NoVectors(f"its graph gives {listed}, none of which is called {_TOKENS[0]}")


class OneThread:
    """Runs one thing after the other beside the event loop.

    With `gives_way` the thread gets the processor when others leave it (Linux only: elsewhere
    threads have no priority of their own).
    """

    def __init__(self, *, gives_way: bool = False) -> None:
        self._thread = ThreadPoolExecutor(
            1, thread_name_prefix="embedder", initializer=_give_way if gives_way else None
        )

    async def map(self, function: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Apply `function` to each item; item by item, so that a cancelled request ends soon."""
        loop = asyncio.get_running_loop()
        return [await loop.run_in_executor(self._thread, function, item) for item in items]


def _give_way() -> None:
    if sys.platform == "linux":
        thread = threading.get_native_id()
        usual = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, usual + _NICENESS)


class WindowEmbedder:
    """Embeds a text by what `pool` makes of its windows."""

    def __init__(
        self,
        stamp: ModelStamp,
        reader: WindowReader,
        pool: Callable[[Sequence[Window]], Vectors],
        *,
        gives_way: bool = False,
    ) -> None:
        self.stamp = stamp
        self._reader = reader
        self._pool = pool
        self._thread = OneThread(gives_way=gives_way)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = await self._thread.map(lambda text: self._pool(self._reader.read(text)), texts)
        return np.array(rows, np.float32).reshape(len(texts), self.stamp.dimensions)


class TokenwiseEmbedder(WindowEmbedder):
    """Embeds a text, and parts of it, by the means of their tokens: a PartEmbedder."""

    def __init__(self, stamp: ModelStamp, reader: WindowReader, *, gives_way: bool = False) -> None:
        super().__init__(stamp, reader, mean_of, gives_way=gives_way)

    async def embed_parts(self, texts: Sequence[PartedText]) -> list[PartedVectors]:
        return await self._thread.map(self._embed_parts, texts)

    def _embed_parts(self, parted: PartedText) -> PartedVectors:
        windows = self._reader.read(parted.text)
        return PartedVectors(mean_of(windows), means_of_parts(windows, parted.parts))
