"""Reports and drawings of made-up results: complete ones, and ones with parts missing."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.patches import Rectangle

from tests.benchmarks.earlier import fold_earlier
from tests.benchmarks.figures import Figures
from tests.benchmarks.load import OK, Load, Sample
from tests.benchmarks.measure_load import median_row, overload_row
from tests.benchmarks.peers.side_by_side import OURS
from tests.benchmarks.plots import Bar, Line, bar_figure, draw_bars, draw_lines, line_figure
from tests.benchmarks.report import draw, stage_names, summarise, write_report
from tests.benchmarks.result import Result, read_results, write_result


def peer(system: str, ask_cpu_ms: float) -> dict[str, Any]:
    return {
        "system": system,
        "version": "1.0",
        "chunks": 90,
        "import_s": 1.0,
        "ingest_wall_s": 2.0,
        "ingest_cpu_s": 2.0,
        "floor_cpu_s": 1.0,
        "ask_cpu_ms": ask_cpu_ms,
        "ask_cpu_ms_repeats": [ask_cpu_ms],
        "ask_wall_ms": 12.0,
        "ask_wall_p95_ms": 20.0,
        "resident_mb": 300.0,
        "gold_in_top": 0.9,
    }


@pytest.fixture
def result() -> Result:
    figures = Figures()
    for name, value, span in (
        ("answer.cpu.total", 40.0, "ms CPU"),
        ("search.cpu.total", 20.0, "ms CPU"),
        ("search.wall.p50", 24.0, "ms"),
        ("stage.retrieval.search.p50", 5.0, "ms"),
        ("stage.retrieval.search.p95", 9.0, "ms"),
        ("stage.generation.record.p50", 4.0, "ms"),
        ("stage.gateway.resolve.p50", 1.0, "ms"),
        ("throughput.8.rate", 30.0, "answers/s"),
        ("throughput.32.rate", 31.0, "answers/s"),
        ("ingest.my-book.wall", 9.0, "s"),
        ("ingest.my-book.cpu_over_floor", 1.25, "×"),
        ("memory.idle.shared.qdrant", 30.0, "MB"),
        ("memory.idle.shared.total", 500.0, "MB"),
        ("scale.3000.cpu", 12.0, "ms CPU"),
        ("scale.3000.cpu.store", 3.5, "ms CPU"),
    ):
        figures.add(name, value, span)
    setup = {
        "mode": "full",
        "scale": [3000],
        "books": {"my-book": {"documents": 3, "megabytes": 0.1, "digest": "d"}},
    }
    environment = {
        "cores": 2,
        "cpu": "x",
        "system": "Linux",
        "python": "3.11",
        "memory_gb": 8.0,
        "load_1m": 0.1,
        "load_1m_at_end": 1.0,
        "packages": {"grpcio": "1"},
    }
    load = Load([Sample(OK, 0.2), Sample(OK, 6.0), Sample("429", 0.01)], 1.0, 2.0)
    return Result(
        "2026-11-21T10:00:00+00:00",
        "abcd1234",
        False,
        setup,
        environment,
        figures.all(),
        [overload_row(2.0, load, 0.1, 0.01, 1.0)],
        [peer(OURS, 10.0), peer("LangChain", 15.0)],
        ["a note"],
    )


def test_a_whole_result_becomes_a_page_with_drawings(result: Result, tmp_path: Path) -> None:
    write_report([result], tmp_path)
    page = (tmp_path / "RESULTS.md").read_text()
    assert "results/2026-11-21-abcd1234.json" in page
    assert "| CPU of one answer, all processes | 40 ms CPU |" in page
    assert "| my-book (3 documents, 0.1 MB) |" in page
    for name in ("stages", "overload", "peers", "memory"):
        assert f"](plots/{name}.svg)" in page
        ET.parse(tmp_path / "plots" / f"{name}.svg")
    assert "History" not in page  # one result is none


def test_a_peer_is_shown_by_its_ratio_to_both_of_ours(result: Result, tmp_path: Path) -> None:
    write_report([result], tmp_path)
    page = (tmp_path / "RESULTS.md").read_text().splitlines()
    [row] = [line for line in page if line.startswith("| LangChain 1.0")]
    assert [cell.strip() for cell in row.split("|")][3:8] == ["2", "2.00", "15", "0.75", "1.50"]


def test_the_history_is_of_the_same_kind_and_machine(result: Result, tmp_path: Path) -> None:
    older = replace(result, date="2026-10-01T10:00:00+00:00", commit="older")
    quick = replace(older, setup={**result.setup, "mode": "quick"}, commit="quick")
    write_report([older, quick, result], tmp_path)
    page = (tmp_path / "RESULTS.md").read_text()
    history = page[page.index("## History") :]
    assert "2026-10-01-older" in history
    assert "quick" not in history.split("##")[1]


def test_a_result_without_parts_becomes_a_page_without_them(result: Result, tmp_path: Path) -> None:
    bare = replace(result, figures={}, overload=[], peers=[], notes=[])
    write_report([bare], tmp_path)
    page = (tmp_path / "RESULTS.md").read_text()
    assert "## In short" in page
    assert "Side by side" not in page
    assert draw(bare, [bare]) == {}


def test_the_summary_names_loads_and_peers(result: Result) -> None:
    text = summarise(result)
    assert "2 × capacity: 3/s offered, 0.5/s answered in time" in text
    assert "LangChain" in text


def test_stages_stand_in_the_order_of_the_table_of_stages(result: Result) -> None:
    assert stage_names(result) == ["gateway.resolve", "generation.record", "retrieval.search"]


def test_a_kept_result_is_read_with_the_stages_named_as_today(
    result: Result, tmp_path: Path
) -> None:
    path = write_result(result, tmp_path)
    kept = json.loads(path.read_text("utf-8"))
    kept["form"] = kept.pop("schema")
    kept["figures"] = {"stage.retrieval.gate.p50": kept["figures"]["stage.retrieval.search.p50"]}
    path.write_text(json.dumps(kept), "utf-8")
    [read] = read_results(tmp_path)
    assert stage_names(read) == ["retrieval.answerability"]


def test_rejections_and_what_came_too_late_are_told_apart() -> None:
    samples = [Sample(OK, 0.2), Sample(OK, 6.0), Sample("503", 0.1), Sample("timeout", 15.0)]
    samples = [*samples, *(Sample("429", 0.002 * n) for n in range(3))]
    row = overload_row(4.0, Load(samples, 1.0, 1.0), 0.1, 0.014, 2.0)
    assert row["quiet_after_s"] == 0.0
    assert overload_row(4.0, Load(samples, 1.0, 2.5), 0.1, 0.014, 2.0)["quiet_after_s"] == 1.5
    assert (row["refused_p50_ms"], row["refused_p99_ms"]) == (2.0, 3.96)
    assert row["answered"] == 2
    assert row["goodput_per_s"] == 1.0
    assert row["rejected"] == {"429": 3, "503": 1, "504": 0}
    assert row["other"] == {"timeout": 1}
    assert (row["share_of_peak"], row["cpu_per_answer_ms"], row["generator_cpu_ms"]) == (0.5, 50, 2)


def test_repeats_of_a_load_become_their_medians_and_the_sums_of_their_counts() -> None:
    repeats = [
        overload_row(4.0, Load([Sample(OK, 0.1)] * good + worse, 1.0, 1.0), 0.1, 0.01, 2.0)
        for good, worse in ((1, [Sample("429", 0.1)]), (2, []), (4, [Sample("broken", 0.1)]))
    ]
    row = median_row(repeats)
    assert (row["goodput_per_s"], row["share_of_peak"], row["times_capacity"]) == (2, 1, 4)
    assert (row["requests"], row["answered"]) == (9, 7)
    assert row["rejected"] == {"429": 1, "503": 0, "504": 0}
    assert row["other"] == {"broken": 1}
    assert row["refused_p50_ms"] == 100
    assert median_row(repeats[1:2])["refused_p50_ms"] is None


def test_a_load_without_answers_has_no_latency() -> None:
    row = overload_row(4.0, Load([Sample("503", 0.1)], 1.0, 1.0), 0.1, 0.01, 2.0)
    assert row["p99_ms"] is None
    assert row["goodput_per_s"] == 0.0


def test_a_bar_is_as_long_as_its_value_and_a_thin_line_reaches_further() -> None:
    [axes] = bar_figure("t", "ms", [Bar("a & b", 10.0), Bar("c", 5.0, reach=20.0)]).axes
    assert [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)] == [10.0, 5.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a & b", "c"]
    assert [text.get_text() for text in axes.texts] == ["10 ms", "5 ms"]
    assert (axes.get_xlim()[0], axes.get_xlim()[1] > 20) == (0, True)


def test_lines_share_one_scale_from_zero() -> None:
    lines = [Line("one", [(2, 3), (10, 10)]), Line("two", [(2, 5), (10, 5)], dashed=True)]
    [axes] = line_figure("t", "x", "y", lines).axes
    assert (axes.get_xlim()[0], axes.get_ylim()[0]) == (0, 0)
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]


def test_the_same_figures_make_the_same_drawing() -> None:
    bars, lines = [Bar("a & b", 1.0)], [Line("one", [(0, 1), (1, 2)])]
    for draw_once in (lambda: draw_bars("t", "ms", bars), lambda: draw_lines("t", "x", "y", lines)):
        assert draw_once() == draw_once()
        ET.fromstring(draw_once())


def test_peers_measured_alone_later_stand_in_the_report_of_the_whole(
    result: Result, tmp_path: Path
) -> None:
    alone = replace(
        result,
        date="2027-01-01T00:00:00+00:00",
        commit="feed",
        figures={},
        peers=[peer("Later", 9.0)],
    )
    write_report([result, alone], tmp_path)
    text = (tmp_path / "RESULTS.md").read_text()
    assert result.name in text.splitlines()[2]
    assert "Later" in text
    assert f"results/{alone.name}.json" in text


def test_a_result_that_a_newer_one_covers_becomes_a_line_with_its_headlines(
    result: Result, tmp_path: Path
) -> None:
    older = replace(result, date="2026-01-01T10:00:00+00:00", commit="old")
    alone = replace(older, commit="peers", figures={}, peers=[peer("Chroma", 3.0)])
    newer = replace(result, date="2026-02-01T10:00:00+00:00", commit="new", peers=[])
    for one in (older, alone, newer):
        write_result(one, tmp_path)
    fold_earlier(replace(newer, peers=alone.peers), tmp_path)

    assert [path.name for path in tmp_path.glob("*.json")] == [f"{newer.name}.json"]
    first, second, last = read_results(tmp_path)
    assert {first.commit, second.commit} == {"old", "peers"}
    assert first.value("answer.cpu.total") == result.value("answer.cpu.total")
    assert first.value("scale.3000.cpu") is None
    assert second.peers == alone.peers
    assert last == newer


@pytest.mark.parametrize("lack", ["another machine", "a headline", "peers"])
def test_a_result_that_has_what_the_newer_one_lacks_stays_whole(
    result: Result, tmp_path: Path, lack: str
) -> None:
    older = replace(result, date="2026-01-01T10:00:00+00:00", commit="old", peers=[peer("A", 1.0)])
    write_result(older, tmp_path)
    newer = replace(result, date="2026-02-01T10:00:00+00:00", peers=older.peers)
    changed = {
        "another machine": replace(newer, environment={**newer.environment, "cpu": "other"}),
        "a headline": replace(
            newer, figures={"search.cpu.total": newer.figures["search.cpu.total"]}
        ),
        "peers": replace(newer, peers=[]),
    }[lack]
    fold_earlier(changed, tmp_path)
    assert read_results(tmp_path) == [older]
