"""Draw pages in processes of their own, which may die of one."""

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress

from libs.errors import NotFound, Unavailable
from services.ingest.adapters.child_environment import child_environment
from services.ingest.model.views import PageBox

NO_SUCH_PAGE = 3
UNREADABLE = 4
_AT_ONCE = 2
_MOST_REPLY = 16 << 20

_FAILED = "The page can't be drawn."


class PageProcess:
    """Draws each page in a process that ends with it: the port PageDrawer."""

    def __init__(self, *, timeout_s: float, memory_mib: int) -> None:
        self._command = [
            *(sys.executable, "-m", "services.ingest.adapters.page_child"),
            str(memory_mib),
        ]
        self._timeout_s = timeout_s
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def draw(self, data: bytes, page: int) -> bytes:
        return await self._ask({"page": page}, data)

    async def find(self, data: bytes, page: int, text: str, before: str) -> list[PageBox]:
        reply = await self._ask({"page": page, "text": text, "before": before}, data)
        return [PageBox(*map(float, box)) for box in json.loads(reply)]

    async def _ask(self, task: Mapping[str, object], data: bytes) -> bytes:
        async with self._places:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=child_environment(),
            )
            try:
                async with asyncio.timeout(self._timeout_s):
                    reply, _ = await process.communicate(json.dumps(task).encode() + b"\n" + data)
            except TimeoutError as error:
                raise Unavailable("The page takes too long to be drawn.") from error
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        process.kill()
                    await process.wait()
        if process.returncode == NO_SUCH_PAGE:
            raise NotFound("The document has no such page.")
        if process.returncode != 0 or not reply or len(reply) > _MOST_REPLY:
            raise NotFound(_FAILED)
        return reply
