"""Write RESULTS.md and its drawings from kept results, and a summary for the terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from libs.budget.stages import PIPELINES
from tests.benchmarks import plots
from tests.benchmarks.gateway_overhead import NAMES as GATEWAY
from tests.benchmarks.peers.side_by_side import OURS
from tests.benchmarks.plots import Bar, Line
from tests.benchmarks.result import Result

HERE = Path(__file__).parent
PROCESSES = (
    "gateway",
    "generation",
    "retrieval",
    "ingest",
    "qdrant",
    "postgres",
    "supervisor",
    "total",
)
KINDS = {
    "search": "search (5 passages)",
    "answer": "answer (JSON)",
    "stream": "answer (SSE)",
}
HEADLINES = (
    ("answer.cpu.total", "CPU of one answer, all processes"),
    ("answer.wall.p50", "answer, median"),
    ("answer.wall.p95", "answer, 95 %"),
    ("answer.wall.p99", "answer, 99 %"),
    ("stream.first_event.p50", "first event of a stream, median"),
    ("search.cpu.total", "CPU of one search, all processes"),
    ("throughput.1.rate", "throughput, 1 client"),
    ("throughput.8.rate", "throughput, 8 clients"),
    ("throughput.32.rate", "throughput, 32 clients"),
    ("overload.4.goodput", "answered in time at 4 × capacity"),
    ("memory.idle.shared.total", "memory of an idle product (PSS)"),
    ("memory.idle.resident.total", "the same as sum of RSS"),
    ("start.cold.wall", "first start, to the last part ready"),
    ("start.warm.wall", "later start"),
)
HISTORY = (
    ("answer.cpu.total", "CPU of an answer"),
    ("search.cpu.total", "CPU of a search"),
    ("throughput.8.cpu", "CPU of an answer, 8 clients"),
    ("memory.idle.shared.total", "idle memory"),
    ("start.warm.cpu", "CPU of a warm start"),
)
LAST = 12


def write_report(results: Sequence[Result], folder: Path = HERE) -> None:
    """Draw RESULTS.md and its plots: the newest full result, and the history of its kind."""
    if not results:
        return
    newest = _newest(results)
    history = [result for result in results if result.is_comparable_with(newest)][-LAST:]
    drawings = draw(newest, history)
    (folder / "plots").mkdir(exist_ok=True)
    for name, drawing in drawings.items():
        (folder / "plots" / f"{name}.svg").write_text(drawing, encoding="utf-8")
    text = "\n\n".join(part for part in _parts(newest, history, set(drawings)) if part)
    (folder / "RESULTS.md").write_text(text + "\n", encoding="utf-8")


def _newest(results: Sequence[Result]) -> Result:
    """Return the newest full result that has our own figures, with peers measured alone since."""
    full = [result for result in results if result.setup["mode"] == "full"] or list(results)
    whole = [result for result in full if result.value(HEADLINES[0][0]) is not None] or full
    beside = [result for result in full if result.peers and result.date > whole[-1].date]
    if not beside:
        return whole[-1]
    note = f"Side by side is from a run of its own, `results/{beside[-1].name}.json`."
    return replace(whole[-1], peers=beside[-1].peers, notes=[*whole[-1].notes, note])


def summarise(result: Result) -> str:
    """Return the headlines as plain lines."""
    lines = [f"{label:<38} {_value(result, name)}" for name, label in HEADLINES]
    for book in books(result):
        ratio = _value(result, f"ingest.{book}.cpu_over_floor")
        lines.append(f"{f'ingest of {book}, CPU ÷ floor':<38} {ratio}")
    lines += [
        f"{row['times_capacity']:>4g} × capacity: {row['offered_per_s']:.3g}/s offered, "
        f"{row['goodput_per_s']:.3g}/s answered in time, p99 {_ms(row['p99_ms'])}"
        for row in result.overload
    ]
    lines += [
        f"{peer['system']:<38} {peer['ask_cpu_ms']:.3g} ms CPU a question, "
        f"ingest {peer['ingest_cpu_s']:.3g} s CPU, gold in its 5: {peer['gold_in_top']:.0%}"
        for peer in result.peers
    ]
    return "\n".join(lines)


def books(result: Result) -> list[str]:
    return list(result.setup["books"])


def draw(result: Result, history: Sequence[Result]) -> dict[str, str]:
    """Return the drawings of a report by name; what was not measured is not drawn."""
    drawings = {}
    stages = [
        Bar(stage, p50, reach=result.value(f"stage.{stage}.p95"))
        for stage in stage_names(result)
        if (p50 := result.value(f"stage.{stage}.p50")) is not None
    ]
    if stages:
        title = "One answer by stage: median, and on to the 95th percentile"
        drawings["stages"] = plots.draw_bars(title, "ms", stages)
    if result.overload:
        drawings["overload"] = _draw_overload(result)
    if len(result.peers) > 1:
        drawings["peers"] = plots.draw_bars(
            "CPU of one question", "ms", [_peer_bar(name, cpu) for name, cpu in peer_cpu(result)]
        )
    memory = [
        Bar(name, megabytes)
        for name in PROCESSES[:-1]
        if (megabytes := result.value(f"memory.idle.shared.{name}")) is not None
    ]
    if memory:
        drawings["memory"] = plots.draw_bars("Idle memory, shared pages once", "MB", memory)
    if len(history) > 1:
        drawings["history"] = _draw_history(history)
    return drawings


def stage_names(result: Result) -> list[str]:
    """Return the stages that were timed, in the order of the table of stages."""
    known = [stage.name for pipeline in PIPELINES for stage in pipeline]
    timed = {name.split(".", 1)[1].rpartition(".")[0] for name in result.figures if _is_stage(name)}
    return [name for name in known if name in timed] + sorted(timed.difference(known))


def peer_cpu(result: Result) -> list[tuple[str, float]]:
    """Return CPU milliseconds of a question: the product's over REST first, then each system's."""
    ours = [
        ("Quoth: answer over REST", result.value("answer.cpu.total")),
        ("Quoth: search over REST", result.value("search.cpu.total")),
    ]
    rows = [(name, value) for name, value in ours if value is not None]
    return rows + [(peer["system"], peer["ask_cpu_ms"]) for peer in result.peers]


def _parts(newest: Result, history: Sequence[Result], drawn: set[str]) -> Iterable[str]:
    yield _heading(newest)
    yield "## In short\n\n" + _table(
        ("", "median", "spread of the repeats"),
        [(label, _value(newest, name), _spread(newest, name)) for name, label in HEADLINES],
    )
    yield _ingest(newest)
    yield _reading(newest)
    yield _gateway(newest)
    yield _checks(newest)
    yield _questions(newest)
    yield _stages(newest) + _image("stages", drawn)
    yield _sizes(newest)
    yield _throughput(newest)
    yield _overload(newest) + _image("overload", drawn)
    yield _replicas(newest)
    yield _memory(newest) + _image("memory", drawn)
    yield _peers(newest) + _image("peers", drawn)
    yield _history(history) + _image("history", drawn)
    if newest.notes:
        yield "## Notes of the run\n\n" + "\n".join(f"- {note}" for note in newest.notes)
    yield _METHOD


def _heading(result: Result) -> str:
    environment = result.environment
    packages = ", ".join(f"{name} {found}" for name, found in environment["packages"].items())
    changed = " with uncommitted changes" if result.dirty else ""
    quick = "\n\n**A quick run**: orders of magnitude only." if _is_quick(result) else ""
    return (
        "# Benchmarks\n\n"
        f"Drawn by `make bench` from [`results/{result.name}.json`](results/{result.name}.json); "
        f"commit `{result.commit}`{changed}, {result.date}.\n\n"
        f"{environment['cores']} cores ({environment['cpu']}), {environment['memory_gb']:g} GB, "
        f"{environment['system']}, Python {environment['python']}; {packages}. "
        f"Load average {environment['load_1m']} before, {environment['load_1m_at_end']} after."
        f"{quick}"
    )


def _ingest(result: Result) -> str:
    rows = []
    for book in books(result):
        name = f"ingest.{book}"
        if f"{name}.wall" not in result.figures:
            continue
        size = result.setup["books"][book]
        rows.append(
            (
                f"{book} ({size['documents']} documents, {size['megabytes']:.3g} MB)",
                *(
                    _value(result, f"{name}.{last}")
                    for last in (
                        "chunks",
                        "wall",
                        "wall_over_floor",
                        "cpu_over_floor",
                        "rate",
                        "chunk_rate",
                        "unchanged.wall",
                        "one_changed.wall",
                    )
                ),
            )
        )
    if not rows:
        return ""
    head = (
        "book",
        "chunks",
        "wall",
        "wall ÷ floor",
        "CPU ÷ floor",
        "source",
        "rate",
        "again, unchanged",
        "again, one document changed",
    )
    return (
        "## Ingest\n\nThe floor is embedding the same chunk texts and nothing else, in the same "
        "run.\n\n" + _table(head, rows)
    )


_READING = {
    "reading.": "parse and split on one core",
    "alone.": "made-up book, embedding switched off",
    "reindexing.": "questions beside an ingest",
}


def _reading(result: Result) -> str:
    """Everything of an ingest but the embedding, and what it does to those who ask."""
    wanted = {*_READING, "ingest."}
    rows = [
        (
            name,
            _value(result, name),
            next((_READING[p] for p in _READING if name.startswith(p)), ""),
        )
        for name in sorted(result.figures)
        if name.startswith(tuple(_READING)) or name.endswith(("cpu_share", "per_100_documents"))
        if any(name.startswith(prefix) for prefix in wanted)
    ]
    if not rows:
        return ""
    return (
        "## Ingest without embedding, and again\n\n`grown` is the peak of the worker above what it "
        "held before; `cpu_share` is against the first ingest.\n\n"
        + _table(("figure", "value", "of"), rows)
    )


def _gateway(result: Result) -> str:
    rows = [
        (way, _value(result, f"gateway.{name}.cpu"), _spread(result, f"gateway.{name}.cpu"))
        for way, name in GATEWAY.items()
        if f"gateway.{name}.cpu" in result.figures
    ]
    if not rows:
        return ""
    return (
        "## The gateway alone\n\nAn ask before services that answer at once, in ten turns; at most "
        "1.5 ms are wanted with a key.\n\n" + _table(("", "median", "spread of the turns"), rows)
    )


def _checks(result: Result) -> str:
    rows = [
        (name, _value(result, name))
        for name in sorted(result.figures)
        if name.startswith("checks.")
    ]
    if not rows:
        return ""
    return (
        "## Checks of a sentence\n\n600 sentences of drafts, the book's and bent, each against five "
        "passages of 800 tokens that it meets first; at most 15 ms are wanted.\n\n"
        + _table(("figure", "value"), rows)
    )


def _questions(result: Result) -> str:
    rows = [
        (label, *(_value(result, f"{kind}.cpu.{process}", bare=True) for process in PROCESSES))
        for kind, label in KINDS.items()
        if f"{kind}.cpu.total" in result.figures
    ]
    if not rows:
        return ""
    walls = [
        (label, *(_value(result, f"{kind}.wall.p{share}", bare=True) for share in (50, 95, 99)))
        for kind, label in KINDS.items()
    ]
    walls.append(
        (
            "first event of a stream",
            *(_value(result, f"stream.first_event.p{share}", bare=True) for share in (50, 95, 99)),
        )
    )
    return (
        "## One question after the other\n\n"
        "Every question in words that were not used before. CPU milliseconds by process:\n\n"
        + _table(("", *PROCESSES), rows)
        + "\n\nWall milliseconds:\n\n"
        + _table(("", "p50", "p95", "p99"), walls)
        + f"\n\nA gold quote stands in the 5 passages of {_value(result, 'search.gold_in_top')}; "
        f"answered, not refused: {_value(result, 'answer.answered')}."
    )


def _stages(result: Result) -> str:
    rows = [
        (f"`{stage}`", *(_value(result, f"stage.{stage}.p{p}", bare=True) for p in (50, 95, 99)))
        for stage in stage_names(result)
    ]
    if not rows:
        return ""
    return (
        "## An answer by stage\n\nWall milliseconds, from the answers' own `timings`. "
        "`generation.retrieve` holds the stages of retrieval.\n\n"
        + _table(("stage", "p50", "p95", "p99"), rows)
    )


def _sizes(result: Result) -> str:
    columns = ("cpu", "cpu.retrieval", "cpu.store", "cpu.embedding", "wall.p50", "wall.p95")
    rows = [
        (
            f"{size:,}",
            what,
            *(_value(result, f"{name}.{last}", bare=True) for last in columns),
            *(_value(result, f"{name}.{last}", bare=True) for last in _KEPT),
        )
        for size in result.setup["scale"]
        for what, name in (("one book", f"scale.{size}"), ("a library", f"scale.library.{size}"))
        if f"{name}.cpu.store" in result.figures
    ]
    if not rows:
        return ""
    head = (
        *("chunks", "in", "CPU ms", "retrieval", "store", "embedding alone", "p50 ms", "p95 ms"),
        *("search p50", "RSS of the store, MB", "of it anonymous"),
        *("bytes a chunk on disk", "graphs, CPU s", "most anonymous meanwhile, MB"),
    )
    return (
        "## A question among many chunks\n\nOver gRPC to the retrieval service and its store. A "
        "library is of books of 1,000 chunks. The chunks are the sample's, copied and altered.\n\n"
        + _table(head, rows)
    )


_KEPT = (
    *("stage.retrieval.search.p50", "resident", "anonymous"),
    *("disk", "graphs", "graphs.anonymous"),
)


def _throughput(result: Result) -> str:
    counts = [name.split(".")[1] for name in result.figures if name.startswith("throughput.")]
    rows = [
        (
            clients,
            *(
                _value(result, f"throughput.{clients}.{last}", bare=last != "rate")
                for last in ("rate", "p50", "p95", "p99", "cpu", "refused", "generator_cpu")
            ),
        )
        for clients in sorted(set(counts), key=int)
    ]
    if not rows:
        return ""
    head = (
        "clients",
        "answers",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "CPU ms an answer",
        "not answered",
        "CPU ms of the generator",
    )
    return (
        "## Throughput\n\nClosed loop: each client asks again when it was answered. The generator "
        "runs on the same cores.\n\n" + _table(head, rows)
    )


def _overload(result: Result) -> str:
    if not result.overload:
        return ""
    rows = [
        (
            f"{row['times_capacity']:g} ×",
            f"{row['offered_per_s']:.3g}",
            f"{row['goodput_per_s']:.3g}",
            _bare(row.get("share_of_peak")),
            *(row["rejected"][status] for status in row["rejected"]),
            sum(row["other"].values()) or "–",
            *(_ms(row[f"p{share}_ms"]) for share in (50, 95, 99)),
            *(_ms(row.get(f"refused_p{share}_ms")) for share in (50, 99)),
            _bare(row.get("quiet_after_s")),
            _ms(row["generator_late_p99_ms"]),
            _bare(row.get("cpu_per_answer_ms")),
            _bare(row.get("generator_cpu_ms")),
        )
        for row in result.overload
    ]
    head = (
        "capacity",
        "offered /s",
        "goodput /s",
        "of the peak",
        *result.overload[0]["rejected"],
        "other",
        "p50",
        "p95",
        "p99",
        "refused, p50",
        "p99",
        "quiet after, s",
        "generator late, p99",
        "CPU ms an answer",
        "CPU ms of the generator, a request",
    )
    return (
        "## Overload\n\nOpen loop: visitors come at random moments that were fixed beforehand, "
        "whatever has become of those before; a latency counts from the intended moment. Goodput: "
        "answers within the deadline of 5 s; its peak is what 32 clients in a closed loop got right "
        "before. Quiet: when all had their answer, after the last had come. The generator runs on the "
        "same cores.\n\n" + _table(head, rows)
    )


_EVENTS = {
    "one": "one replica, 8 clients",
    "six": "six replicas, 8 clients",
    "killed": "one of six killed, and started again",
    "frozen": "one of six frozen for a third of the time",
    "drained": "one of six drained",
    "added": "a sixth added",
}


def _replicas(result: Result) -> str:
    rows = [
        (
            words,
            *(
                _value(result, f"replicas.{event}.{part}")
                for part in ("requests", "rate", "p50", "p99", "errors", "wrong", "first_call")
            ),
        )
        for event, words in _EVENTS.items()
        if f"replicas.{event}.rate" in result.figures
    ]
    if not rows:
        return ""
    lost = _value(result, "replicas.lost_rows")
    return (
        "## Replicas of retrieval\n\nProcesses of one machine behind one name; while one is lost "
        "or joins, an open load of 0.3 of what they carry at most. "
        f"Answers without a row on record: {lost}.\n\n"
        + _table(
            ("", "questions", "answers", "p50", "p99", "errors", "wrong", "first call after"), rows
        )
    )


def _memory(result: Result) -> str:
    moments = {
        "idle": "idle, no book",
        "asked_book": "with the book",
        "after_load": "after the load",
        **{f"with.{book}": f"with {book} too" for book in books(result)[1:]},
    }
    rows = []
    for moment, label in moments.items():
        for kind, name in (("resident", "RSS"), ("shared", "PSS")):
            if f"memory.{moment}.{kind}.total" in result.figures:
                values = (
                    _value(result, f"memory.{moment}.{kind}.{process}", bare=True)
                    for process in PROCESSES
                )
                rows.append((f"{label}, {name}", *values))
    if not rows:
        return ""
    starts = [
        (word, _value(result, f"start.{word}.wall"), _value(result, f"start.{word}.cpu"))
        for word in ("cold", "warm")
    ]
    return (
        "## Memory and start\n\nMB by process (PSS counts a page of several processes in "
        f"parts).{_growth(result)}\n\n"
        + _table(("", *PROCESSES), rows)
        + "\n\n"
        + _table(("start", "wall", "CPU"), starts)
    )


def _growth(result: Result) -> str:
    grown = [
        f"{book} {_value(result, f'memory.grown.{book}')}"
        for book in books(result)
        if f"memory.grown.{book}" in result.figures
    ]
    return f" Grown by each book, in this order: {', '.join(grown)}." if grown else ""


def _peers(result: Result) -> str:
    if not result.peers:
        return ""
    by_name = {peer["system"]: peer for peer in result.peers}
    same_terms = by_name.get(OURS)
    rows = [_product_row(result, same_terms)]
    rows += [_peer_row(result, peer, same_terms) for peer in result.peers]
    head = (
        "system",
        "chunks",
        "ingest, CPU s",
        "CPU ÷ its floor",
        "question, CPU ms",
        "÷ Quoth over REST",
        "÷ Quoth in one process",
        "question, p50 / p95 ms",
        "÷ Quoth over REST",
        "RSS MB",
        "gold in the 5",
    )
    return (
        "## Side by side\n\nThe same book, questions and embedder, a model that answers at once. "
        "*Over REST* is the whole product: search of 5 passages through gateway, retrieval and "
        "store, each a process. *In one process* are the same stages on the same store, called as "
        "a library, as the peers are. Every peer embeds its own chunks, so ingest compares by its "
        "own floor.\n\n" + _table(head, rows)
    )


def _product_row(result: Result, same_terms: "dict[str, object] | None") -> tuple[object, ...]:
    book = f"ingest.{books(result)[0]}"
    search = result.value("search.cpu.total")
    return (
        "**Quoth over REST**",
        _value(result, f"{book}.chunks", bare=True),
        _value(result, f"{book}.cpu", bare=True),
        _value(result, f"{book}.cpu_over_floor", bare=True),
        _value(result, "search.cpu.total", bare=True),
        "1" if search else "–",
        _ratio(search, same_terms and same_terms["ask_cpu_ms"]),
        " / ".join(_value(result, f"search.wall.{share}", bare=True) for share in ("p50", "p95")),
        "1" if search else "–",
        _value(result, "memory.asked_book.resident.total", bare=True),
        _value(result, "search.gold_in_top", bare=True),
    )


def _peer_row(
    result: Result, peer: dict[str, object], same_terms: "dict[str, object] | None"
) -> tuple[object, ...]:
    name = (
        f"**{peer['system']}**" if peer["system"] == OURS else f"{peer['system']} {peer['version']}"
    )
    return (
        name,
        peer["chunks"],
        f"{peer['ingest_cpu_s']:.3g}",
        _ratio(peer["ingest_cpu_s"], peer["floor_cpu_s"]),
        f"{peer['ask_cpu_ms']:.3g}",
        _ratio(peer["ask_cpu_ms"], result.value("search.cpu.total")),
        _ratio(peer["ask_cpu_ms"], same_terms and same_terms["ask_cpu_ms"]),
        f"{peer['ask_wall_ms']:.3g} / {peer['ask_wall_p95_ms']:.3g}",
        _ratio(peer["ask_wall_ms"], result.value("search.wall.p50")),
        f"{peer['resident_mb']:.0f}",
        f"{peer['gold_in_top']:.2f}",
    )


def _history(history: Sequence[Result]) -> str:
    if len(history) < 2:
        return ""
    rows = [(result.name, *(_value(result, name) for name, _ in HISTORY)) for result in history]
    return "## History\n\n" + _table(("result", *(label for _, label in HISTORY)), rows)


def _draw_overload(result: Result) -> str:
    offered = [(row["offered_per_s"], row["offered_per_s"]) for row in result.overload]
    good = [(row["offered_per_s"], row["goodput_per_s"]) for row in result.overload]
    turned_away = [
        (
            row["offered_per_s"],
            sum(row["rejected"].values()) / row["requests"] * row["offered_per_s"],
        )
        for row in result.overload
    ]
    return plots.draw_lines(
        "Overload",
        "offered, requests a second",
        "a second",
        [
            Line("offered", offered, plots.OTHERS, dashed=True),
            Line("answered in time", good),
            Line("429, 503, 504", turned_away, plots.SECOND),
        ],
    )


def _draw_history(history: Sequence[Result]) -> str:
    colours = (plots.OURS, plots.SECOND, "#059669", "#d97706", "#7c3aed")
    lines = []
    for (name, label), colour in zip(HISTORY, colours, strict=True):
        values = [(place, result.value(name)) for place, result in enumerate(history)]
        known = [(float(place), value) for place, value in values if value]
        if known:
            points = [(place, value / known[0][1]) for place, value in known]
            lines.append(Line(label, points, colour))
    return plots.draw_lines("Relative to the first result kept", "result", "×", lines)


def _peer_bar(name: str, cpu_ms: float) -> Bar:
    return Bar(name, cpu_ms, plots.OURS if name.startswith("Quoth") else plots.OTHERS)


def _is_stage(name: str) -> bool:
    return name.startswith("stage.")


def _is_quick(result: Result) -> bool:
    return bool(result.setup["mode"] == "quick")


def _value(result: Result, name: str, *, bare: bool = False) -> str:
    figure = result.figures.get(name)
    if figure is None:
        return "–"
    value = figure.median
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return text if bare or not figure.unit else f"{text} {figure.unit}"


def _spread(result: Result, name: str) -> str:
    figure = result.figures.get(name)
    if figure is None or len(figure.repeats) < 2:
        return "–"
    return f"{figure.low:.3g} to {figure.high:.3g} in {len(figure.repeats)}"


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f} ms"


def _bare(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _ratio(part: object, whole: object) -> str:
    if not isinstance(part, float | int) or not isinstance(whole, float | int) or not whole:
        return "–"
    return f"{part / whole:.2f}"


def _image(name: str, drawn: set[str]) -> str:
    return f"\n\n![{name}](plots/{name}.svg)" if name in drawn else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


_METHOD = """## How it is measured

- Each round begins in an empty home with a cold start; figures are medians over the rounds.
- CPU time is read from `/proc` before and after, for each process and all it has started, so a
  busy machine changes it far less than wall time. The guard watches CPU time, memory and ratios.
- Questions are labelled ones of the sample book; later turns ask in other words, so that no cache
  of questions helps. A few are asked before anything is timed.
- The guard names a figure when every repeat is worse than every one of the last kept result of the
  same kind and machine, and the medians differ by 5 % (25 % for what was measured once).

`tests/benchmarks/README.md` says how to run it."""
