"""Find the figures that break a limit such as `correct=0.8`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from deploy.evaluation.report.result import Result


class LimitError(Exception):
    """A limit that can't be read, or names no figure."""


@dataclass(frozen=True)
class Limit:
    """A figure and the value that it must not go under, or over."""

    name: str
    value: float
    side: Literal["under", "over"]


def read_limit(text: str, side: Literal["under", "over"]) -> Limit:
    """Read "name=value". Raises LimitError for anything else."""
    name, _, value = text.partition("=")
    try:
        return Limit(name.strip(), float(value), side)
    except ValueError as error:
        raise LimitError(f"--fail-{side} wants name=value, not {text!r}") from error


def broken(result: Result, limits: Sequence[Limit]) -> list[str]:
    """Return one line for each limit that the result breaks.

    A figure without cases breaks its limit. Raises LimitError for a name that is no figure.
    """
    lines = []
    for limit in limits:
        value = _number(result, limit.name)
        if value is None:
            lines.append(f"{limit.name} has no cases; the limit is {limit.value:g}")
        elif limit.side == "under" and value < limit.value:
            lines.append(f"{limit.name} is {value:.4g}, under {limit.value:g}")
        elif limit.side == "over" and value > limit.value:
            lines.append(f"{limit.name} is {value:.4g}, over {limit.value:g}")
    return lines


def _number(result: Result, name: str) -> float | None:
    try:
        value = result.figure(name)
    except (KeyError, TypeError) as error:
        known = ", ".join(numbers(result.figures))
        raise LimitError(f"{result.benchmark} has no figure {name!r}. Known: {known}.") from error
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LimitError(f"{name} is not a number")
    return float(value)


def numbers(figures: dict[str, object], before: str = "") -> dict[str, float]:
    """Return every number of nested figures by its dotted name."""
    found: dict[str, float] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            found |= numbers(value, f"{before}{name}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[before + name] = value
    return found
