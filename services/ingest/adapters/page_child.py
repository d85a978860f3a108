"""One page of a PDF from standard input: its picture, or places on it, on standard output.

    python -m services.ingest.adapters.page_child MEMORY_MIB

Started by page_process. The input is a line of JSON, then the file; the exit status says what went
wrong.
"""

import json
import os
import sys

from libs.errors import InvalidInput, NotFound
from services.ingest.adapters.child_memory import limit_memory
from services.ingest.adapters.page_process import NO_SUCH_PAGE, UNREADABLE
from services.ingest.parsers.pdf.drawing import Wanted, draw_page, find_on_page


def main() -> None:
    # What a library prints must not get into the reply.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    task = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    try:
        if "text" in task:
            wanted = Wanted(task["text"], task["before"])
            reply = json.dumps(find_on_page(data, task["page"], wanted)).encode()
        else:
            reply = draw_page(data, task["page"])
    except NotFound:
        sys.exit(NO_SUCH_PAGE)
    except (InvalidInput, MemoryError):
        sys.exit(UNREADABLE)
    output.write(reply)
    output.flush()


if __name__ == "__main__":
    main()
