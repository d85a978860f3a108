"""Highlight code in a child process; results are cached, and slow work is given up."""

from collections.abc import Sequence
from functools import partial

from services.gateway.adapters.kept_work import KeptWork
from services.gateway.adapters.line_child import LineChild
from services.gateway.code_model import Code, CodePart

_CHILD = "services.gateway.adapters.code_child"
_TOTAL_S = 2.0
"""For one request, waiting for others included: what is not read by then stays in one colour."""
_MOST_KEPT = 1024
_MOST_PARTS = 2000


class CodeProcess:
    """Tells parts of code apart: the port CodeReader. The child is started when the first comes."""

    def __init__(self, child: str = _CHILD, total_s: float = _TOTAL_S) -> None:
        self._child = LineChild(child)
        self._total_s = total_s
        # Of the child alone: who is held by its own work would outlive its owner.
        self._work = KeptWork(
            partial(_read, self._child), lambda parts: len(parts) <= _MOST_PARTS, _MOST_KEPT
        )

    async def read(self, pieces: Sequence[Code]) -> list[list[CodePart]]:
        """Return the parts of each; none of what is not understood, or not in time."""
        return [parts or [] for parts in await self._work.do(pieces, self._total_s)]


def _read(child: LineChild, piece: Code) -> list[CodePart]:
    answered = child.ask([piece.language, piece.text]) or []
    return [CodePart(start, end, kind) for start, end, kind in answered]
