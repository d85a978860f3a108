"""Report what happens: lines for a person, or one JSON object a line for a program."""

import json
from typing import Any, Protocol

from rich.console import Console


class Report(Protocol):
    """Where the supervisor tells what happens."""

    def ready(self, name: str, after_s: float) -> None: ...

    def died(self, name: str, how: str) -> None: ...

    def line(self, name: str, text: str) -> None: ...

    def up(self, url: str, home: str) -> None: ...

    def note(self, text: str) -> None: ...


class LastingConsole(Console):
    """A console that falls silent when its reader goes away, where rich would end the process."""

    def on_broken_pipe(self) -> None:
        self.quiet = True


class PlainReport:
    """Lines for a person, in colour on a terminal. A reader that has gone away is no failure."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def ready(self, name: str, after_s: float) -> None:
        self._print(f"✓ {name} ready ({after_s:.1f} s)", style="green")

    def died(self, name: str, how: str) -> None:
        self._print(f"! {name} ended ({how}); starting it again", style="yellow")

    def line(self, name: str, text: str) -> None:
        self._print(f"  {name} | {text}", style="yellow")

    def up(self, url: str, home: str) -> None:
        self._print(f"Quoth is running: {url}  (data in {home}; stop with Ctrl-C)", style="bold")

    def note(self, text: str) -> None:
        self._print(text)

    def _print(self, text: str, style: str = "") -> None:
        try:
            self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)
        except OSError:
            self._console.quiet = True


class JsonReport:
    """One JSON object a line, for programs."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def ready(self, name: str, after_s: float) -> None:
        self._write(event="ready", name=name, after_s=round(after_s, 3))

    def died(self, name: str, how: str) -> None:
        self._write(event="died", name=name, how=how)

    def line(self, name: str, text: str) -> None:
        self._write(event="line", name=name, text=text)

    def up(self, url: str, home: str) -> None:
        self._write(event="up", url=url, home=home)

    def note(self, text: str) -> None:
        self._write(event="note", text=text)

    def _write(self, **members: Any) -> None:
        try:
            self._console.out(json.dumps(members, ensure_ascii=False), highlight=False)
        except OSError:
            self._console.quiet = True
