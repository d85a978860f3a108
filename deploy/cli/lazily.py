"""A group of commands that is loaded when one of them is looked for."""

from collections.abc import Callable, MutableMapping
from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup


def loaded_late(load: Callable[[], typer.Typer], help_: str) -> typer.Typer:
    """Return an app that stands for the one that `load` imports, with this line of help."""

    @cache
    def commands_of_it() -> dict[str, Any]:
        return dict(typer.main.get_group(load()).commands)

    class Late(TyperGroup):
        @property
        def commands(self) -> MutableMapping[str, Any]:
            return commands_of_it()

        @commands.setter
        def commands(self, none_yet: MutableMapping[str, Any]) -> None:
            """Whoever makes the group gives it none."""

    late = typer.Typer(cls=Late, help=help_, no_args_is_help=True)
    late.callback()(_nothing)
    return late


def _nothing() -> None:
    """A group without commands of its own needs it."""
