"""Draw reliability diagrams and histories as small SVG or PNG files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deploy.evaluation.datasets import DataError
from deploy.evaluation.metrics import Bin

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE = (4.6, 3.2)


def draw_reliability(path: Path, series: Mapping[str, Sequence[Bin]], title: str) -> None:
    """Draw what was said against what was so; the line from corner to corner is perfect."""
    figure = open_figure(path.suffix)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.75", linewidth=1)
    for name, bins in series.items():
        axes.plot(
            [item.confidence for item in bins],
            [item.accuracy for item in bins],
            marker="o",
            markersize=4,
            linewidth=1.2,
            label=name,
        )
        for item in bins:
            axes.annotate(
                str(item.count),
                (item.confidence, item.accuracy),
                textcoords="offset points",
                xytext=(4, 4),
                fontsize=6,
                color="0.4",
            )
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="said", ylabel="was so", title=title)
    axes.legend(frameon=False, fontsize=7, loc="upper left")
    _save(figure, path)


def draw_history(
    path: Path, title: str, dates: Sequence[str], figures: Mapping[str, Sequence[float | None]]
) -> None:
    """Draw rates over kept results, oldest first."""
    figure = open_figure(path.suffix)
    axes = figure.subplots()
    for name, values in figures.items():
        places = [place for place, value in enumerate(values) if value is not None]
        axes.plot(
            places,
            [value for value in values if value is not None],
            marker="o",
            markersize=3,
            linewidth=1.2,
            label=name,
        )
    axes.set_xticks(range(len(dates)), dates, rotation=30, ha="right", fontsize=6)
    axes.set(ylim=(0, 1.02), title=title)
    axes.grid(axis="y", linewidth=0.3)
    axes.legend(frameon=False, fontsize=6, loc="best")
    _save(figure, path)


def open_figure(ending: str = ".svg", size: tuple[float, float] = _SIZE) -> "Figure":
    """Return a figure of `size` in inches. Raises DataError for another ending, or no matplotlib."""
    if ending not in (".svg", ".png"):
        raise DataError(f"a diagram is .svg or .png, not {ending or 'without an ending'}")
    try:
        # An optional extra: measuring works without it, drawing does not.
        import matplotlib as mpl  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise DataError("Drawing needs matplotlib: install quoth[eval].") from error
    # The same figures must make the same file, and text must stay text.
    mpl.rcParams["svg.hashsalt"] = "quoth"
    mpl.rcParams["svg.fonttype"] = "none"
    return Figure(figsize=size, layout="constrained")


def _save(figure: "Figure", path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None} if path.suffix == ".svg" else {}
    figure.savefig(path, dpi=120, metadata=metadata)
