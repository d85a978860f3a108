"""Lay what rules say of an element over one another: the lightest first, what is important last."""

from collections.abc import Mapping
from typing import NamedTuple

from services.ingest.parsers.css.rules import Rule
from services.ingest.parsers.css.selectors import Holds
from services.ingest.parsers.css.shorthands import expand
from services.ingest.parsers.css.tokens import Said


class Laid(NamedTuple):
    """What is said of an element on one screen, and whether the rules that hold may cease to."""

    said: dict[str, str]
    holds: dict[str, Holds]


def lay_all(sheets: tuple[Laid, Laid], base: Mapping[str, Said], style: Mapping[str, Said]) -> Laid:
    """Return what is said of an element: by its page, by sheets, by itself, what is important last."""
    laid = Laid({}, {})
    _put(laid, base, Holds.ALWAYS, is_important=False)
    for one, is_important in zip(sheets, (False, True), strict=True):
        laid.said.update(one.said)
        laid.holds.update(one.holds)
        _put(laid, style, Holds.ALWAYS, is_important=is_important)
    return laid


def lay_sheets(rules: list[tuple[Holds, Rule]]) -> tuple[Laid, Laid]:
    """Return what rules say that is not important, the lightest first, and what is."""
    holding = [(holds, rule) for holds, rule in rules if holds >= Holds.NOW]
    normal, important = Laid({}, {}), Laid({}, {})
    for holds, rule in holding:
        _put(normal, rule.said, holds, is_important=False)
    holding.sort(key=lambda pair: ([-one for one in pair[1].weight[0]], pair[1].weight[1:]))
    for holds, rule in holding:
        _put(important, rule.said, holds, is_important=True)
    return normal, important


def _put(laid: Laid, more: Mapping[str, Said], holds: Holds, *, is_important: bool) -> None:
    for name, said in more.items():
        if said.is_important is is_important:
            for one, part in expand(name, said):
                if part.value == "revert-layer":
                    continue  # what lighter layers say holds on
                laid.said[one] = part.value
                laid.holds[one] = holds
