"""Draw the figures of a report as small SVG files, the same file for the same figures."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from deploy.evaluation.report.plots import open_figure

OURS, OTHERS, SECOND, FAINT = "#2563eb", "#9ca3af", "#dc2626", "#e5e7eb"
_WIDTH, _BAR = 7.5, 0.23
"""In inches: of a drawing, and of one bar with its gap."""


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
    """One line of points; its name is written in the legend."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str = OURS
    dashed: bool = False


def draw_bars(title: str, unit: str, bars: Sequence[Bar]) -> str:
    """Draw horizontal bars from zero, in the order given."""
    return _to_svg(bar_figure(title, unit, bars))


def draw_lines(title: str, x_name: str, y_name: str, lines: Sequence[Line]) -> str:
    """Draw lines over a common scale that begins at zero."""
    return _to_svg(line_figure(title, x_name, y_name, lines))


def bar_figure(title: str, unit: str, bars: Sequence[Bar]) -> Figure:
    figure = open_figure(size=(_WIDTH, 0.5 + _BAR * len(bars)))
    axes = figure.subplots()
    labels, values = [bar.label for bar in bars], [bar.value for bar in bars]
    axes.barh(range(len(bars)), values, height=0.7, color=[bar.colour for bar in bars])
    axes.set_yticks(range(len(bars)), labels)
    for row, bar in enumerate(bars):
        end = max(bar.value, bar.reach or 0.0)
        axes.hlines(row, bar.value, end, colors=bar.colour, linewidth=1.5)
        note = bar.note or f"{_short(bar.value)} {unit}"
        axes.annotate(note, (end, row), (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.margins(x=0.18)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    _clean(axes, title)
    return figure


def line_figure(title: str, x_name: str, y_name: str, lines: Sequence[Line]) -> Figure:
    figure = open_figure(size=(_WIDTH, 3.2))
    axes = figure.subplots()
    for line in lines:
        axes.plot(
            [x for x, _ in line.points],
            [y for _, y in line.points],
            color=line.colour,
            linestyle="--" if line.dashed else "-",
            marker="" if line.dashed else "o",
            markersize=4,
            label=line.name,
        )
    axes.set(xlabel=x_name, ylabel=y_name, xlim=(0, None), ylim=(0, None))
    axes.grid(axis="y", color=FAINT)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    if lines:
        axes.legend(frameon=False, fontsize=8)
    _clean(axes, title)
    return figure


def _clean(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _to_svg(figure: Figure) -> str:
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()
