"""Draw what an operator sees: the dashboards' panels, and one slow answer by stage.

    python -m tests.benchmarks.dashboards [SECONDS [FOLDER [QDRANT]]]

Runs the product on the sample book with a language model that is slow now and then and fails now and
then, asks it for SECONDS (180) while more books come in than are read at once and one that can't be
read, lets Prometheus (Debian: prometheus) scrape it and draws the queries of the dashboards' files as
they are. Writes `dashboard-*.webp`, and `slow-answer.webp`, of the answer whose trace took longest, to
FOLDER (docs). QDRANT is the REST address, host:port, of the server that QUOTH_QDRANT_URL names: without
one the dashboard of the engines is not drawn.
"""

import asyncio
import io
import itertools
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from PIL import Image

from deploy.evaluation.report.plots import open_figure
from deploy.evaluation.stack import free_ports
from deploy.local.processes import GATEWAY, GENERATION, INGEST, RETRIEVAL
from libs.budget.stages import TOTAL_S
from tests.support.aside import collector
from tests.support.prometheus import Prometheus, prometheus
from tests.support.scripted_model import (
    Script,
    fails,
    says_slowly,
    scripted_model,
    sends_choices,
)
from tests.support.stack import SAMPLE, SAMPLE_PATH, RunningStack, running_stack

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs"
BOARDS = ROOT / "deploy" / "monitoring" / "dashboards"
ENGINES = "engines"
STORE = ("QUOTH_QDRANT_URL", "QUOTH_QDRANT_API_KEY")
QUESTIONS = (
    "What is passive compliance?",
    "What benefits does the spring of a series elastic actuator bring?",
    "How does a servo hold its position?",
    "What is the capital of France?",
)
SLOW_EVERY, FAILED_EVERY = 6, 10
QUICK = sends_choices(
    {"delta": {"content": 'Passive compliance is in the book. [Source 1: "compliance"]'}},
    {"delta": {}, "finish_reason": "stop"},
    usage={"prompt_tokens": 1_800, "completion_tokens": 20},
)
SLOW = says_slowly("Passive compliance ", "is in ", "the book.", pause_s=0.35)
FAILED = fails("503 Service Unavailable")
MODEL = "gpt-4o-mini"
"""What the scripted model is called: one whose price is known."""
COMING = 6
"""Books that come in meanwhile, of which three are read at once."""
SCRAPED_EVERY_S = 2
WINDOW = "30s"
COLOURS = 48
WRITING = "generation.complete"
USED, ALLOWED, CALL = "#2563eb", "#e5e7eb", "#c4b5fd"


def scraping(targets: Mapping[str, str]) -> dict[str, Any]:
    """What tells a Prometheus to scrape the jobs at `targets`."""
    jobs = [
        {"job_name": job, "static_configs": [{"targets": [target]}]}
        for job, target in targets.items()
    ]
    return {"global": {"scrape_interval": f"{SCRAPED_EVERY_S}s"}, "scrape_configs": jobs}


async def ask_for(url: str, seconds: float) -> None:
    """Ask again and again."""
    end = time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        for question in itertools.cycle(QUESTIONS):
            if time.monotonic() > end:
                return
            await client.post(f"/v1/books/{SAMPLE}/answers", json={"question": question})
            await asyncio.sleep(0.3)


def bring_in(stack: RunningStack, folder: Path) -> None:
    """Let some books come in at once, and one that can't be read."""
    broken = folder / "broken"
    broken.mkdir()
    (broken / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    sources = [(f"book-{number}", SAMPLE_PATH) for number in range(COMING)]
    with ThreadPoolExecutor(COMING + 1) as pool:
        for slug, source in [*sources, ("broken", broken)]:
            pool.submit(stack.quoth, "ingest", str(source), "--book", slug)


def script_of(number: int) -> Script:
    if number % FAILED_EVERY == FAILED_EVERY - 1:
        return FAILED
    return SLOW if number % SLOW_EVERY == SLOW_EVERY - 1 else QUICK


def series(figures: Prometheus, query: str, span: tuple[float, float]) -> list[dict[str, Any]]:
    """Ask for a query of a panel over a span of time."""
    return figures.ask_over(query.replace("$__rate_interval", WINDOW), *span, SCRAPED_EVERY_S)


def draw_board(figures: Prometheus, name: str, span: tuple[float, float], folder: Path) -> Path:
    """Draw a dashboard's panels, each from its own queries."""
    board = json.loads((BOARDS / f"{name}.json").read_text("utf-8"))
    panels = board["panels"]
    figure = open_figure(".png", (11, 2.3 * ((len(panels) + 1) // 2)))
    figure.suptitle(board["title"])
    for axes, panel in itertools.zip_longest(
        figure.subplots((len(panels) + 1) // 2, 2).flat, panels
    ):
        if panel:
            draw_panel(axes, figures, panel, span)
        else:
            axes.set_axis_off()
    return save(figure, folder / f"dashboard-{name}.webp")


def draw_panel(
    axes: Axes, figures: Prometheus, panel: Mapping[str, Any], span: tuple[float, float]
) -> None:
    unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "")
    axes.set_title(f"{panel['title']} [{unit}]", fontsize=8)
    axes.tick_params(labelsize=6)
    axes.set_prop_cycle(color=[colormaps["tab20"](n) for n in (*range(0, 20, 2), *range(1, 20, 2))])
    drawn = False
    for target in panel["targets"]:
        for one in series(figures, target["expr"], span):
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


def find_slowest(spans: Sequence[Span]) -> list[Span]:
    """Return the spans of the answer that took longest of those that a model wrote."""
    traces: dict[bytes, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    written = [
        trace
        for trace in traces.values()
        if any(span.name == WRITING for span in trace) and any(is_whole(span) for span in trace)
    ]
    return max(written, key=lambda trace: max(map(length_ms, filter(is_whole, trace))))


def is_whole(span: Span) -> bool:
    return span.name.startswith("POST ") and not span.parent_span_id


def length_ms(span: Span) -> float:
    return (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6


def draw_answer(spans: Sequence[Span], folder: Path) -> Path:
    """Draw the spans of a traced answer from where each began, with what a stage was allowed."""
    [whole] = [span for span in spans if is_whole(span)]
    ordered = sorted(spans, key=lambda span: (span.start_time_unix_nano, -length_ms(span)))
    names = list(dict.fromkeys(span.name for span in ordered))
    figure = open_figure(".png", (11, 0.28 * len(names) + 1))
    axes = figure.subplots()
    shares = {name: [span for span in ordered if span.name == name] for name in names}
    for row, parts in enumerate(shares.values()):
        for span in parts:
            start = (span.start_time_unix_nano - whole.start_time_unix_nano) / 1e6
            allowed = budget_of(span).get("allowed", 0.0)
            axes.barh(row, allowed, left=start, color=ALLOWED)
            axes.barh(row, length_ms(span), left=start, color=USED if allowed else CALL)
        axes.text(start + length_ms(span), row, note_of(parts), va="center", fontsize=7)
    axes.set_yticks(range(len(names)), [name.rpartition(".v1.")[2] for name in names], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(-10, 1e3 * TOTAL_S)
    axes.set_xlabel(
        "milliseconds of the five seconds; blue: a stage; grey: what it was allowed; "
        "violet: a request or call as a whole",
        fontsize=8,
    )
    return save(figure, folder / "slow-answer.webp")


def budget_of(span: Span) -> dict[str, float]:
    """What the stage was allowed, used and left, in milliseconds; nothing for a call."""
    found = re.compile(r"quoth\.budget\.(\w+)_ms")
    return {
        key[1]: one.value.double_value
        for one in span.attributes
        if (key := found.fullmatch(one.key))
    }


def note_of(parts: Sequence[Span]) -> str:
    """Say what the parts of a stage, or calls of a name, took; of a stage what it left the request."""
    times = f" ×{len(parts)}" if len(parts) > 1 else ""
    budgets = [budget for span in parts if (budget := budget_of(span))]
    if not budgets:
        return f" {sum(map(length_ms, parts)):.0f} ms{times}"
    used, allowed = sum(one["used"] for one in budgets), budgets[0]["allowed"]
    return f" {used:.0f} of {allowed:.0f} ms{times}, left {budgets[-1]['left']:.0f}"


def between_ms(spans: Sequence[Span]) -> float:
    """Return how long an answer was in no stage but those that wait for another service."""
    [whole] = [span for span in spans if is_whole(span)]
    parents = {span.parent_span_id for span in spans}
    at, found = whole.start_time_unix_nano, 0
    leaves = [span for span in spans if span.span_id not in parents and budget_of(span)]
    for span in sorted(leaves, key=lambda span: span.start_time_unix_nano):
        found += max(0, span.start_time_unix_nano - at)
        at = max(at, span.end_time_unix_nano)
    return (found + max(0, whole.end_time_unix_nano - at)) / 1e6


def save(figure: Figure, path: Path) -> Path:
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=80)
    picture = Image.open(drawn).convert("RGB").quantize(COLOURS).convert("RGB")
    picture.save(path, lossless=True, method=6)
    return path


async def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    first = free_ports(4)
    services = enumerate((GATEWAY, INGEST, RETRIEVAL, GENERATION))
    targets = {f"quoth-{name}": f"127.0.0.1:{first + n}" for n, name in services}
    targets |= {"qdrant": sys.argv[3]} if len(sys.argv) > 3 else {}
    async with scripted_model(*map(script_of, range(4_000))) as model:
        environment = {
            "OTEL_METRICS_EXPORTER": "prometheus",
            "OTEL_EXPORTER_PROMETHEUS_PORT": str(first),
            "GENERATION_ANSWERER": "openai",
            "GENERATION_MODEL": MODEL,
            "GENERATION_MODEL_URL": model.url,
            "GENERATION_MODEL_KEY": "none",
            **{name: os.environ[name] for name in STORE if name in os.environ},
        }
        await asyncio.to_thread(watch, environment, targets, seconds, folder)


def watch(
    environment: Mapping[str, str], targets: Mapping[str, str], seconds: float, folder: Path
) -> None:
    names = sorted(path.stem for path in BOARDS.glob("*.json"))
    if "qdrant" not in targets:
        names.remove(ENGINES)
    with (
        tempfile.TemporaryDirectory() as home,
        collector() as collected,
        running_stack(
            Path(home) / "home",
            books={SAMPLE: SAMPLE_PATH},
            environment={
                **environment,
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collected.address,
                "OTEL_EXPORTER_OTLP_INSECURE": "true",
                "OTEL_BSP_SCHEDULE_DELAY": "500",
            },
        ) as stack,
        prometheus(Path(home), scraping(targets)) as figures,
    ):
        began = time.time()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(bring_in, stack, Path(home))
            asyncio.run(ask_for(stack.url, seconds))
        time.sleep(2 * SCRAPED_EVERY_S)
        span = (began, time.time())
        written = [draw_board(figures, name, span, folder) for name in names]
        slowest = find_slowest(collected.spans)
    written.append(draw_answer(slowest, folder))
    print(f"the slow answer: {between_ms(slowest):.0f} ms of it in no stage")
    for path in written:
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    asyncio.run(main())
