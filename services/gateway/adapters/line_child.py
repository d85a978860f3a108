"""A child process that answers a line of JSON by a line of JSON, and may die of it."""

import json
import os
import select
import subprocess
import sys
import weakref
from contextlib import suppress
from typing import Any

_SILENT_S = 5.0
_PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "HOME")
"""Of the environment; no key is among it."""


class LineChild:
    """A module of ours in a process of its own, started when it is first asked, by one at a time."""

    def __init__(self, module: str) -> None:
        self._command = [sys.executable, "-m", module]
        self._children: list[subprocess.Popen[str]] = []
        weakref.finalize(self, _end, self._children)

    def ask(self, question: object) -> Any:
        """Return the answer; None where the child dies of the question, or is silent for long."""
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps(question) + "\n")
            child.stdin.flush()
            ready, _, _ = select.select([child.stdout], [], [], _SILENT_S)
            answer = child.stdout.readline() if ready else ""
        except OSError:
            answer = ""
        if not answer:
            _end(self._children)
            return None
        return json.loads(answer)

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


def _end(children: "list[subprocess.Popen[str]]") -> None:
    while children:
        child = children.pop()
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with suppress(OSError):  # what was not written yet has nowhere to go
                    stream.close()
