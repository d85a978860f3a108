"""Rows of numbers in; small SVG drawings that need neither script nor font out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 720
_TEXT = "font-family='system-ui,sans-serif' font-size='12' fill='#374151'"
Place = Callable[[tuple[float, float]], tuple[float, float]]
OURS, OTHERS, SECOND, FAINT = "#2563eb", "#9ca3af", "#dc2626", "#e5e7eb"


@dataclass(frozen=True)
class Bar:
    """One bar; `reach` draws a thin line on to a further value, such as a p95."""

    label: str
    value: float
    colour: str = OURS
    reach: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Line:
    """One line of points; its name is written at its end."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str = OURS
    dashed: bool = False


def draw_bars(title: str, unit: str, bars: Sequence[Bar]) -> str:
    """Draw horizontal bars from zero, in the order given."""
    left, right, top, step = 190, 120, 34, 22
    most = max([max(bar.value, bar.reach or 0.0) for bar in bars], default=1.0) or 1.0
    scale = (WIDTH - left - right) / most
    parts = [_text(8, 18, title, "600")]
    for row, bar in enumerate(bars):
        y = top + row * step
        end = left + bar.value * scale
        parts.append(_text(left - 8, y + 12, bar.label, anchor="end"))
        parts.append(
            f"<rect x='{left}' y='{y}' width='{max(1.0, bar.value * scale):.1f}' height='15' "
            f"rx='2' fill='{bar.colour}'/>"
        )
        if bar.reach is not None:
            reach = left + bar.reach * scale
            parts.append(_path([(end, y + 7.5), (reach, y + 7.5)], bar.colour))
            end = max(end, reach)
        parts.append(_text(end + 6, y + 12, bar.note or f"{_short(bar.value)} {unit}"))
    return _svg(top + len(bars) * step + 8, parts)


def draw_lines(title: str, x_name: str, y_name: str, lines: Sequence[Line]) -> str:
    """Draw lines over a common scale that begins at zero."""
    left, right, top, bottom, height = 60, 130, 34, 44, 300
    points = [point for line in lines for point in line.points]
    most_x = max([x for x, _ in points], default=1.0) or 1.0
    most_y = max([y for _, y in points], default=1.0) or 1.0
    wide, high = WIDTH - left - right, height - top - bottom

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return left + point[0] / most_x * wide, height - bottom - point[1] / most_y * high

    parts = [_text(8, 18, title, "600")]
    for tick in ticks(most_y):
        x, y = place((0.0, tick))
        parts.append(_path([(x, y), (left + wide, y)], FAINT))
        parts.append(_text(x - 6, y + 4, _short(tick), anchor="end"))
    for tick in ticks(most_x):
        x, y = place((tick, 0.0))
        parts.append(_text(x, y + 16, _short(tick), anchor="middle"))
    parts.append(_text(left + wide / 2, height - 8, x_name, anchor="middle"))
    parts.append(_text(left, 32, y_name))
    parts += _drawn(lines, place)
    return _svg(height, parts)


def _drawn(lines: Sequence[Line], place: Place) -> list[str]:
    parts: list[str] = []
    taken: list[float] = []
    for line in lines:
        placed = [place(point) for point in line.points]
        if not placed:
            continue
        parts.append(_path(placed, line.colour, "5 4" if line.dashed else ""))
        if not line.dashed:
            parts += [
                f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{line.colour}'/>" for x, y in placed
            ]
        x, y = placed[-1]
        while any(abs(y - other) < 13 for other in taken):  # names never cover each other
            y += 13
        taken.append(y)
        parts.append(_text(x + 8, y + 4, line.name, colour=line.colour))
    return parts


def ticks(most: float) -> list[float]:
    """Return about five round numbers from 0 up to `most`."""
    rough = most / 5
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
    return [step * number for number in range(int(most / step + 1e-9) + 1)]


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _text(
    x: float, y: float, text: str, weight: str = "", anchor: str = "start", colour: str = ""
) -> str:
    style = f" font-weight='{weight}'" if weight else ""
    fill = f" style='fill:{colour}'" if colour else ""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {_TEXT} text-anchor='{anchor}'{style}{fill}>"
        f"{escape(text)}</text>"
    )


def _path(points: Sequence[tuple[float, float]], colour: str, dashes: str = "") -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
    return f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2'{dashed}/>"


def _svg(height: float, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:.0f}' "
        f"width='{WIDTH}' height='{height:.0f}' role='img'>\n"
        f"<rect width='100%' height='100%' fill='#ffffff'/>\n{body}\n</svg>\n"
    )
