"""Draw what an operator sees: the dashboards' panels, and one slow answer by stage.

    python -m tests.benchmarks.dashboards [SECONDS [FOLDER [QDRANT]]]

Runs the product on the sample book with a language model that is slow now and then, asks it for
SECONDS (180), lets Prometheus (Debian: prometheus) scrape it and draws the queries of the
dashboards' files as they are. Writes `dashboard-*.webp` of those that are shown, and
`slow-answer.webp`, to docs; to FOLDER those of all dashboards. QDRANT is the REST address, host:port,
of the server that QUOTH_QDRANT_URL names: without one the dashboard of the engines is empty.
"""

import asyncio
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from deploy.evaluation.report.plots import open_figure
from deploy.evaluation.stack import free_ports
from deploy.local.processes import GATEWAY, GENERATION, INGEST, RETRIEVAL
from libs.budget.stages import TOTAL_S
from tests.support.scripted_model import says, says_slowly, scripted_model
from tests.support.stack import SAMPLE, SAMPLE_PATH, running_stack

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs"
BOARDS = ROOT / "deploy" / "monitoring" / "dashboards"
SHOWN = ("overview", "stages", "quality")
STORE = ("QUOTH_QDRANT_URL", "QUOTH_QDRANT_API_KEY")
QUESTIONS = (
    "What is passive compliance?",
    "What benefits does the spring of a series elastic actuator bring?",
    "How does a servo hold its position?",
    "What is the capital of France?",
)
SLOW_EVERY = 6
QUICK = says('Passive compliance is in the book. [Source 1: "compliance"]')
SLOW = says_slowly("Passive compliance ", "is in ", "the book.", pause_s=0.35)
SCRAPED_EVERY_S = 2
WINDOW = "30s"
COLOURS = 48
WRITING = "generation.complete"
USED, ALLOWED = "#2563eb", "#e5e7eb"


@contextmanager
def prometheus(folder: Path, targets: Mapping[str, str]) -> Iterator[str]:
    """Run a Prometheus that scrapes the jobs at `targets`; yields its address."""
    config = {
        "global": {"scrape_interval": f"{SCRAPED_EVERY_S}s"},
        "scrape_configs": [
            {"job_name": job, "static_configs": [{"targets": [target]}]}
            for job, target in targets.items()
        ],
    }
    file = folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(config), "utf-8")
    address = f"127.0.0.1:{free_ports(1)}"
    command = [
        *("prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder / 'data'}"),
        *(f"--web.listen-address={address}", "--log.level=error"),
    ]
    with subprocess.Popen(command) as process:
        try:
            yield f"http://{address}"
        finally:
            process.terminate()


async def ask_for(url: str, seconds: float) -> dict[str, Any]:
    """Ask again and again; returns of the answers that the model wrote the one that took longest."""
    slowest: dict[str, Any] = {"timings": []}
    worst = 0.0
    end = time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        for question in itertools.cycle(QUESTIONS):
            if time.monotonic() > end:
                return slowest
            began = time.monotonic()
            path = f"/v1/books/{SAMPLE}/answers"
            answer = await client.post(path, json={"question": question})
            took = time.monotonic() - began
            if answer.is_success and took > worst and is_written(answer.json()):
                slowest, worst = answer.json(), took
            await asyncio.sleep(0.3)
    return slowest


def is_written(answer: Mapping[str, Any]) -> bool:
    return any(one["stage"] == WRITING for one in answer["timings"])


def series(url: str, query: str, span: tuple[float, float]) -> list[dict[str, Any]]:
    """Ask Prometheus for a query of a panel over a span of time."""
    asked: dict[str, str | float] = {
        "query": query.replace("$__rate_interval", WINDOW),
        "start": span[0],
        "end": span[1],
        "step": SCRAPED_EVERY_S,
    }
    answer = httpx.get(f"{url}/api/v1/query_range", params=asked, timeout=30)
    answer.raise_for_status()
    return list(answer.json()["data"]["result"])


def draw_board(url: str, name: str, span: tuple[float, float], folder: Path) -> Path:
    """Draw a dashboard's panels, each from its own queries."""
    board = json.loads((BOARDS / f"{name}.json").read_text("utf-8"))
    panels = board["panels"]
    figure = open_figure(".png", (11, 2.3 * ((len(panels) + 1) // 2)))
    figure.suptitle(board["title"])
    for axes, panel in itertools.zip_longest(
        figure.subplots((len(panels) + 1) // 2, 2).flat, panels
    ):
        if panel:
            draw_panel(axes, url, panel, span)
        else:
            axes.set_axis_off()
    return save(figure, folder / f"dashboard-{name}.webp")


def draw_panel(axes: Axes, url: str, panel: Mapping[str, Any], span: tuple[float, float]) -> None:
    unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "")
    axes.set_title(f"{panel['title']} [{unit}]", fontsize=8)
    axes.tick_params(labelsize=6)
    axes.set_prop_cycle(color=[colormaps["tab20"](n) for n in (*range(0, 20, 2), *range(1, 20, 2))])
    drawn = False
    for target in panel["targets"]:
        for one in series(url, target["expr"], span):
            legend = legend_of(target["legendFormat"], one["metric"])
            points = [(at - span[0], float(value)) for at, value in one["values"]]
            axes.plot(*zip(*points, strict=True), linewidth=1, label=legend)
            drawn = True
    if drawn:
        # Below zero, or a line at zero would lie on the frame.
        axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
        axes.legend(fontsize=5, loc="center left", bbox_to_anchor=(1.0, 0.5))
    else:
        axes.text(0.5, 0.5, "nothing of this kind happened", ha="center", fontsize=7)
        axes.set_axis_off()


def legend_of(text: str, labels: Mapping[str, str]) -> str:
    """Put a series' labels into the legend that a panel has for it; of a call its method alone."""
    whole = re.sub(r"{{(\w+)}}", lambda found: labels.get(found[1], ""), text)
    return re.sub(r"\S+/(?=[A-Z])", "", whole)


def draw_answer(timings: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Draw the stages of an answer: what each was allowed, and what it took, from where it began."""
    figure = open_figure(".png", (9, 0.32 * len(timings) + 1))
    axes = figure.subplots()
    starts: dict[str, float] = {"gateway": 0.0}
    nested = {"gateway.answer": "generation", "generation.retrieve": "retrieval"}
    ordered = sorted(
        timings, key=lambda one: ("gateway", "generation", "retrieval").index(service(one))
    )
    for row, one in enumerate(ordered):
        start = starts.setdefault(service(one), 0.0)
        if one["stage"] in nested:
            starts[nested[one["stage"]]] = start
        axes.barh(row, one["allowed_ms"], left=start, color=ALLOWED)
        axes.barh(row, one["used_ms"], left=start, color=USED)
        axes.text(start + one["used_ms"], row, f" {one['used_ms']:.0f} ms", va="center", fontsize=7)
        starts[service(one)] = start + one["used_ms"]
    axes.set_yticks(range(len(ordered)), [one["stage"] for one in ordered], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(0, 1e3 * TOTAL_S)
    axes.set_xlabel(
        "milliseconds of the five seconds; grey: what the stage was allowed", fontsize=8
    )
    return save(figure, folder / "slow-answer.webp")


def service(timing: Mapping[str, Any]) -> str:
    return str(timing["stage"]).partition(".")[0]


def save(figure: Figure, path: Path) -> Path:
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=80)
    picture = Image.open(drawn).convert("RGB").quantize(COLOURS).convert("RGB")
    picture.save(path, lossless=True, method=6)
    return path


async def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    first = free_ports(4)
    services = enumerate((GATEWAY, INGEST, RETRIEVAL, GENERATION))
    targets = {f"quoth-{name}": f"127.0.0.1:{first + n}" for n, name in services}
    targets |= {"qdrant": sys.argv[3]} if len(sys.argv) > 3 else {}
    scripts = [SLOW if n % SLOW_EVERY == SLOW_EVERY - 1 else QUICK for n in range(4_000)]
    async with scripted_model(*scripts) as model:
        environment = {
            "OTEL_METRICS_EXPORTER": "prometheus",
            "OTEL_EXPORTER_PROMETHEUS_PORT": str(first),
            "GENERATION_ANSWERER": "openai",
            "GENERATION_MODEL": "scripted",
            "GENERATION_MODEL_URL": model.url,
            "GENERATION_MODEL_KEY": "none",
            **{name: os.environ[name] for name in STORE if name in os.environ},
        }
        await asyncio.to_thread(watch, environment, targets, seconds, folder)


def watch(
    environment: Mapping[str, str], targets: Mapping[str, str], seconds: float, folder: Path | None
) -> None:
    names = sorted(path.stem for path in BOARDS.glob("*.json")) if folder else SHOWN
    place = folder or FOLDER
    with (
        tempfile.TemporaryDirectory() as home,
        running_stack(
            Path(home) / "home", books={SAMPLE: SAMPLE_PATH}, environment=environment
        ) as stack,
        prometheus(Path(home), targets) as url,
    ):
        began = time.time()
        slowest = asyncio.run(ask_for(stack.url, seconds))
        time.sleep(2 * SCRAPED_EVERY_S)
        span = (began, time.time())
        written = [draw_board(url, name, span, place) for name in names]
    written.append(draw_answer(slowest["timings"], place))
    for path in written:
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    asyncio.run(main())
