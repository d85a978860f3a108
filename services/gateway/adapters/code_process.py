"""Highlight code in a child process; results are cached, and slow work is given up."""

import sys
from collections.abc import Sequence
from functools import partial

from services.gateway.adapters.kept_work import KeptWork
from services.gateway.adapters.line_child import LineChild
from services.gateway.model.code import Code, CodePart

_CHILD = "services.gateway.adapters.code_child"
_TOTAL_S = 2.0
"""For one request, waiting for others included: what is not read by then stays in one colour."""
_BYTES_EACH, _BYTES_A_PART = 200, 150


class CodeProcess:
    """Tells parts of code apart: the port CodeReader. The child is started when the first comes."""

    def __init__(self, child: str = _CHILD, total_s: float = _TOTAL_S) -> None:
        self._child = LineChild(child)
        self._total_s = total_s
        # Of the child alone: who is held by its own work would outlive its owner.
        self._work = KeptWork(partial(_read, self._child), _size_of)

    async def read(self, pieces: Sequence[Code]) -> list[list[CodePart]]:
        """Return the parts of each; none of what is not understood, or not in time."""
        return [parts or [] for parts in await self._work.do(pieces, self._total_s)]


def _size_of(piece: Code, parts: Sequence[CodePart]) -> int:
    return _BYTES_EACH + sys.getsizeof(piece.text) + _BYTES_A_PART * len(parts)


def _read(child: LineChild, piece: Code) -> list[CodePart]:
    answered = child.ask([piece.language, piece.text]) or []
    return [CodePart(start, end, kind) for start, end, kind in answered]
