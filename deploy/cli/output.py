"""What commands say, and how they fail: text for a person, raw objects with --json."""

import asyncio
import json
import os
import sys
import unicodedata
from collections.abc import Coroutine, Sequence
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from deploy.rest_client.client import BrokenStreamError, Gateway, NotRunningError, ProblemError
from deploy.rest_client.packing import PackingError

FAILED, WRONG_USE, NOT_RUNNING = 1, 2, 3
"""Exit statuses besides 0."""
MOST_ROWS = 50
"""Rows of a table, and lines of a list, that a person is shown: a book may have 10,000 documents."""


class CommandError(Exception):
    """A command that can't go on: what to tell the operator, and the exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def printable(text: str) -> str:
    """Drop control characters: a book's text must not steer the terminal."""
    return "".join(
        character
        for character in text
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
    )


class _Piped(Console):
    """A console whose reader may leave: rich would end the process in the middle of a request."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        raise BrokenPipeError


class Output:
    """Standard output for results, standard error for everything else."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        # Words of readers and books are no markup of rich, nor emoji: "[/b]" would end the command.
        self._out = _Piped(highlight=False, soft_wrap=True, markup=False, emoji=False)
        self.errors = Console(
            stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False
        )

    def say(self, text: str = "", *, style: str = "", end: str = "\n") -> None:
        """Print text for a person; silent with --json."""
        if not self.as_json:
            self._out.print(printable(text), style=style, end=end, markup=False)

    def show(self, renderable: Any) -> None:
        """Print a table for a person; silent with --json."""
        if not self.as_json:
            self._out.print(renderable, soft_wrap=False)

    def show_rows(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table for a person: its first rows, and how many there are more."""
        table = Table(*headings, box=None)
        for row in rows[:MOST_ROWS]:
            table.add_row(*map(printable, row))
        self.show(table)
        self._say_more(len(rows))

    def say_lines(self, lines: Sequence[str], *, style: str = "") -> None:
        """Print the first lines for a person, and how many there are more."""
        for line in lines[:MOST_ROWS]:
            self.say(line, style=style)
        self._say_more(len(lines))

    def _say_more(self, count: int) -> None:
        if count > MOST_ROWS:
            self.say(f"and {count - MOST_ROWS} more; --json gives all")

    def say_next(self, page: dict[str, Any]) -> None:
        """Say to a person how to see what follows a page of a list."""
        if page.get("next_cursor"):
            self.say(f"There are more: --cursor {page['next_cursor']}")

    def give(self, thing: dict[str, Any]) -> None:
        """Print an object of the API; only with --json."""
        if self.as_json:
            typer.echo(json.dumps(thing, ensure_ascii=False))

    def fail(self, message: str, status: int) -> NoReturn:
        """Say what went wrong and end with `status`."""
        self.errors.print(printable(message), style="red", markup=False)
        raise typer.Exit(status)


def run(work: Coroutine[Any, Any, None], gateway: Gateway, output: Output) -> None:
    """Run a command's work and turn its failures into a message and an exit status."""
    try:
        asyncio.run(_closing(work, gateway))
    except BrokenPipeError as error:
        # Who reads has enough, as `head` does. What is still to be flushed goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from error
    except NotRunningError as error:
        output.fail(str(error), NOT_RUNNING)
    except PackingError as error:
        output.fail(str(error), WRONG_USE)
    except CommandError as error:
        output.fail(str(error), error.status)
    except BrokenStreamError as error:
        output.fail(str(error), FAILED)
    except ProblemError as error:
        output.give(error.problem)
        request = f" (request {error.request_id})" if error.request_id else ""
        output.fail(f"{error}{request}", FAILED)


async def _closing(work: Coroutine[Any, Any, None], gateway: Gateway) -> None:
    async with gateway:
        await work
