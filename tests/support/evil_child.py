"""The process that reads documents, with parsers of plain text that do harm when the text says so.

python -m tests.support.evil_child CACHE_DIR MEMORY_MIB SECONDS
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from services.ingest import parse
from services.ingest.adapters import document_child
from services.ingest.model.book import PlacedFile
from services.ingest.parsers import heartbeat
from services.ingest.parsers.formats import Format


class Tokens:
    """Counts as LetterTokens does, whose module takes long to load."""

    def count(self, text: str) -> int:
        return sum((len(word) + 3) // 4 for word in text.split())

    def count_each(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


_PARSE = parse._PARSERS[Format.PLAIN]


def _parse(placed: PlacedFile) -> Any:
    text = placed.file.data.decode()
    if "hang" in text:
        while True:
            pass
    if "work" in text:
        for _ in range(text.count("page")):
            end = time.process_time() + 0.7
            while time.process_time() < end:
                pass
            heartbeat.beat()
    if "slow" in text:
        for _ in range(text.count("page")):
            time.sleep(0.5)
            heartbeat.beat()
    if "doze" in text:
        time.sleep(3.0)
    if "sleep" in text:
        time.sleep(3600)
    if "explode" in text:
        return bytearray(1 << 40)
    if "grow" in text:
        kept = []
        while True:
            kept.append(bytearray(1 << 20))
    if "crash" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "leave" in text:
        os._exit(3)
    if "raise" in text:
        raise KeyError("a bug")
    if "nest" in text:
        _parse(placed)
    if "print" in text:
        print("to standard output")
    if "worn" in text and Path(text.split()[1]).exists() is False:
        Path(text.split()[1]).touch()
        os._exit(4)
    return _PARSE(placed)


if __name__ == "__main__":
    parse._PARSERS[Format.PLAIN] = _parse
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    document_child.serve(sys.stdin.buffer, answers, Tokens(), int(sys.argv[2]), float(sys.argv[3]))
