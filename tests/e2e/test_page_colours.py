"""The colours of the page: text stands out from every ground it is set on, by day and by night."""

import re
from itertools import product

import pytest

from services.gateway.routes.page import WEB

LEAST = 4.5
"""WCAG 2.2, 1.4.3: contrast of text in ordinary size."""
TEXTS = ("ink", "ink-soft", "ink-faint", "accent", "warn")
GROUNDS = ("paper", "panel", "raised")
OTHERS = (("ink", "mark"), ("accent-ink", "accent"), ("paper", "ink"), ("ink", "warn-wash"))


def themes() -> list[dict[str, str]]:
    style = (WEB / "style/theme.css").read_text("utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", style)
    return [{name: pair[theme] for name, *pair in pairs} for theme in (0, 1)]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["day", "night"])
@pytest.mark.parametrize(("text", "ground"), [*product(TEXTS, GROUNDS), *OTHERS])
def test_text_stands_out_from_its_ground(theme: int, text: str, ground: str) -> None:
    colours = themes()[theme]
    low, high = sorted((luminance(colours[text]), luminance(colours[ground])))
    assert (high + 0.05) / (low + 0.05) >= LEAST
