"""Render formulas in a child process; results are cached, and slow work is given up."""

import sys
from collections.abc import Sequence
from functools import partial

from services.gateway.adapters.kept_work import KeptWork
from services.gateway.adapters.line_child import LineChild
from services.gateway.model.formulas import Formula

_CHILD = "services.gateway.adapters.formula_child"
_TOTAL_S = 2.0
"""For one request, waiting for others included: what is not drawn by then is shown as its source."""
_BYTES_EACH = 200
_MOST_NESTING = 40
_MOST_OPEN = 10
"""Brackets without an end: the converter tries each of them both ways."""
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class FormulaProcess:
    """Draws formulas: the port FormulaDrawer. The child is started when the first one comes."""

    def __init__(self, child: str = _CHILD, total_s: float = _TOTAL_S) -> None:
        self._child = LineChild(child)
        self._total_s = total_s
        # Of the child alone: who is held by its own work would outlive its owner.
        self._work = KeptWork(partial(_draw, self._child), _size_of)

    async def draw(self, formulas: Sequence[Formula]) -> list[str]:
        """Return the MathML of each; "" for what is not understood, or not in time."""
        return [mathml or "" for mathml in await self._work.do(formulas, self._total_s)]


def _size_of(formula: Formula, mathml: str) -> int:
    return _BYTES_EACH + sys.getsizeof(formula.tex) + sys.getsizeof(mathml)


def _draw(child: LineChild, formula: Formula) -> str:
    """Return what the child makes of a formula; "" where it dies of it."""
    if _is_too_nested(formula.tex):
        return ""
    return str(child.ask([formula.tex, formula.display]) or "")


def _is_too_nested(tex: str) -> bool:
    """Whether brackets are deeper in one another, or more of them left open, than in any book."""
    depth = deepest = 0
    for character in tex:
        if character in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif character in _CLOSING:
            depth = max(0, depth - 1)
    return deepest > _MOST_NESTING or depth > _MOST_OPEN
