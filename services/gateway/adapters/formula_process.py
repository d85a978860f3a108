"""Formulas drawn by a child process, remembered, and given up when they take too long."""

import asyncio
import json
import os
import select
import subprocess
import sys
import time
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from services.gateway.model import Formula

_CHILD = "services.gateway.adapters.formula_child"
_TOTAL_S = 2.0
"""For one request, waiting for others included: what is not drawn by then is shown as its source."""
_SILENT_S = 5.0
_MOST_KEPT = 4096
_LARGEST_KEPT = 64 * 1024
_MOST_NESTING = 40
_MOST_OPEN = 10
"""Brackets without an end: the converter tries each of them both ways."""
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "HOME")
"""Of the environment; no key is among it."""


class FormulaProcess:
    """Draws formulas: the port FormulaDrawer. The child is started when the first one comes."""

    def __init__(self, child: str = _CHILD, total_s: float = _TOTAL_S) -> None:
        self._command = [sys.executable, "-m", child]
        self._total_s = total_s
        self._children: list[subprocess.Popen[str]] = []
        self._kept: OrderedDict[Formula, str] = OrderedDict()
        # One at a time: the pool's threads wait, the process works.
        self._turns = ThreadPoolExecutor(1, "formulas")
        weakref.finalize(self, _end, self._children)

    async def draw(self, formulas: Sequence[Formula]) -> list[str]:
        """Return the MathML of each; "" for what is not understood, or not in time."""
        new = [one for one in dict.fromkeys(formulas) if one not in self._kept]
        drawn: dict[Formula, str] = {}
        if new:
            ends_s = time.monotonic() + self._total_s
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(self._turns, self._draw_new, new, ends_s, drawn)
            await asyncio.wait((work,), timeout=self._total_s)
        found = {**drawn, **{one: self._kept[one] for one in formulas if one in self._kept}}
        return [found.get(one, "") for one in formulas]

    def _draw_new(
        self, formulas: Sequence[Formula], ends_s: float, drawn: dict[Formula, str]
    ) -> None:
        for formula in formulas:
            if time.monotonic() >= ends_s:
                return
            mathml = "" if _is_too_nested(formula.tex) else self._ask(formula)
            drawn[formula] = mathml
            if len(mathml) <= _LARGEST_KEPT:
                self._kept[formula] = mathml
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    def _ask(self, formula: Formula) -> str:
        """Return what the child makes of a formula; "" where it dies of it."""
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps([formula.tex, formula.display]) + "\n")
            child.stdin.flush()
            ready, _, _ = select.select([child.stdout], [], [], _SILENT_S)
            answer = child.stdout.readline() if ready else ""
        except OSError:
            answer = ""
        if not answer:
            _end(self._children)
            return ""
        return str(json.loads(answer))

    def _started(self) -> "subprocess.Popen[str]":
        if not self._children:
            passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            child = subprocess.Popen(  # noqa: S603 - our own module
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=passed_on,
            )
            self._children.append(child)
        return self._children[0]


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


def _end(children: "list[subprocess.Popen[str]]") -> None:
    while children:
        child = children.pop()
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with suppress(OSError):  # what was not written yet has nowhere to go
                    stream.close()
