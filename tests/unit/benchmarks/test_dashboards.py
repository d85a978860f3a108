"""The picture of a slow answer is of its trace: what began when, and what lay between."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.benchmarks import dashboards
from tests.benchmarks.dashboards import between_ms, draw_answer, find_slowest, note_of


def span(name: str, start: int, end: int, parent: str = "", *, trace: str = "t") -> Span:
    """A span from `start` to `end` in milliseconds; one of a stage was allowed 500."""
    made = Span(name=name, trace_id=trace.encode(), span_id=f"{name} {start}".encode())
    made.parent_span_id = parent.encode()
    made.start_time_unix_nano, made.end_time_unix_nano = start * 10**6, end * 10**6
    budget = {"allowed": 500.0, "used": float(end - start), "left": 4000.0}
    for key, value in budget.items() if name[0] == "g" else ():
        made.attributes.add(key=f"quoth.budget.{key}_ms").value.double_value = value
    return made


def answer(trace: str, took: int) -> list[Span]:
    return [
        span("generation.complete", 130, 100 + took, "gateway.answer 105", trace=trace),
        span("POST /answers", 100, 120 + took, trace=trace),
        span("gateway.answer", 105, 110 + took, "POST /answers 100", trace=trace),
        span("generation.prompt", 115, 118, "gateway.answer 105", trace=trace),
    ]


def test_the_slowest_answer_that_a_model_wrote_is_drawn() -> None:
    unwritten = [span("POST /answers", 0, 9000, trace="other")]
    unended = [span("generation.complete", 0, 9500, "lost", trace="unended")]
    spans = [*answer("quick", 50), *unwritten, *answer("slow", 700), *unended]
    assert {one.trace_id for one in find_slowest(spans)} == {b"slow"}


def test_a_bar_begins_where_its_span_began(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bars: list[tuple[int, float, float, str]] = []

    def keep(_: Axes, row: int, width: float, *, left: float, color: str) -> None:
        bars.append((row, left, width, color))

    def nothing(*_: Any) -> Path:
        return tmp_path

    monkeypatch.setattr(Axes, "barh", keep)
    monkeypatch.setattr(dashboards, "save", nothing)
    draw_answer(answer("t", 700), tmp_path)
    taken = [(row, left, width) for row, left, width, color in bars if color != dashboards.ALLOWED]
    assert taken == [(0, 0, 720), (1, 5, 705), (2, 15, 3), (3, 30, 670)]
    allowed = [(left, width) for _, left, width, color in bars if color == dashboards.ALLOWED]
    assert allowed == [(0, 0), (5, 500), (15, 500), (30, 500)]


def test_time_in_no_stage_is_what_lies_between_and_around_them() -> None:
    assert between_ms(answer("t", 700)) == 15 + 12 + 20


def test_parts_of_a_stage_are_added_and_a_call_has_no_budget() -> None:
    parts = [span("generation.prompt", 0, 3), span("generation.prompt", 10, 14)]
    assert note_of(parts) == " 7 of 500 ms ×2, left 4000"
    assert note_of([span("RPC", 0, 5)]) == " 5 ms"
