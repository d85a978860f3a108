"""Tasks on standard input, what was read of each document on standard output, one after the other.

    python -m services.ingest.adapters.document_child CACHE_DIR MEMORY_MIB SECONDS

Started by document_process. It ends with its input; a document that takes too much memory is
refused, and the process with it. So many seconds of the processor are for one document, or for one
part of one that takes long.
"""

import gc
import os
import pickle
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from libs.errors import InvalidInput, TooLarge
from libs.tokens import TokenCounter
from services.ingest.adapters.child_memory import MIB, limit_memory, memory_now
from services.ingest.adapters.child_time import leave_no_core, limit_time
from services.ingest.adapters.document_process import LENGTH, Reply, Task
from services.ingest.model.book import SourceFile
from services.ingest.parsers import heartbeat
from services.ingest.parsers.images import check_image
from services.ingest.ports.reading import TokenCounter as Counter
from services.ingest.read import read_document, read_lines

_MOST_DOCUMENTS = 2000
_MOST_GROWTH = 256 * MIB
_TOO_DEEP = "it is nested too deep to be read"
_SHOWN_CALLS = 20
_FAULT = "its parser has a fault; the log of ingest says which"


def main() -> None:
    cache_dir, memory_mib, time_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    # Whoever asks a question meanwhile goes first.
    os.nice(10)
    # What a library prints must not get between the replies.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, output, TokenCounter(cache_dir), memory_mib, time_s)


def serve(
    tasks: BinaryIO, output: BinaryIO, tokens: Counter, memory_mib: int, time_s: float
) -> None:
    """Answer tasks until there are none, or until the process has grown too old or too large."""
    gc.freeze()
    # Reading makes many small objects that live long and hold no cycles.
    gc.set_threshold(100_000, 20, 20)
    at_start = memory_now()[1]
    limit_memory(memory_mib)
    leave_no_core()
    heartbeat.listen(lambda: _sign(output, time_s))
    output.write(b".")
    output.flush()
    served = 0
    while header := tasks.read(LENGTH.size):
        limit_time(time_s)
        task = pickle.loads(tasks.read(LENGTH.unpack(header)[0]))  # noqa: S301 - our own parent's
        reply = _answer(task, tokens, memory_mib)
        served += 1
        is_last = served >= _MOST_DOCUMENTS or memory_now()[1] - at_start > _MOST_GROWTH
        _send(reply, output, is_last=is_last or bool(reply.failed))
        if is_last or reply.failed:
            return


def _sign(output: BinaryIO, time_s: float) -> None:
    """Say that the document is still being read, an answer without length, and begin its next part."""
    limit_time(time_s)
    output.write(LENGTH.pack(0))
    output.flush()


def _answer(task: Task, tokens: Counter, memory_mib: int) -> Reply:
    try:
        if isinstance(task, bytes):
            return Reply(image=check_image(task))
        if isinstance(task, SourceFile):
            return Reply(lines=read_lines(task))
        return Reply(read_document(task, tokens))
    except (InvalidInput, TooLarge) as error:
        return Reply(refused=error.message)
    except MemoryError:
        failed = f"its parser needed more than {memory_mib} MiB of memory"
        return Reply(failed=failed, is_too_large=True)
    except Exception as error:  # noqa: BLE001 - a parser may fail in any way; it is one document
        traceback.print_exc(limit=_SHOWN_CALLS)
        return Reply(failed=_TOO_DEEP if isinstance(error, RecursionError) else _FAULT)


def _send(reply: Reply, output: BinaryIO, *, is_last: bool) -> None:
    data = pickle.dumps(replace(reply, is_last=is_last), pickle.HIGHEST_PROTOCOL)
    output.write(LENGTH.pack(len(data)))
    output.write(data)
    output.flush()


if __name__ == "__main__":
    main()
