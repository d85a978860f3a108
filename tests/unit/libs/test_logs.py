"""Logs in both forms, and what a line says of the trace that it belongs to."""

import json
import logging
import subprocess
import sys
from typing import Any

from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from libs.telemetry.logs import JsonLines
from libs.telemetry.tracing import stage_span

_PROGRAM = """
import logging, sys
from libs.telemetry.logs import LogSettings, set_up_logs
set_up_logs("retrieval", LogSettings(log_format=sys.argv[1]))
logging.getLogger("libs.circuit").warning("the vector store failed %d times", 5)
logging.getLogger("libs.circuit").debug("more than is wanted")
logging.getLogger("asyncpg.pool").warning("retrying", exc_info=ValueError("a server is away"))
"""


def written(log_format: str) -> str:
    """Return what a service writes to standard error."""
    command = [sys.executable, "-c", _PROGRAM, log_format]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


def line_of(*, failing: bool = False) -> dict[str, Any]:
    """Return the line of a record that is logged now."""
    error = (ValueError, ValueError("two\nlines"), None) if failing else None
    record = logging.LogRecord("quoth", logging.ERROR, __file__, 1, "%s", ("broken",), error)
    line = JsonLines("ingest").format(record)
    assert "\n" not in line
    return dict(json.loads(line))


def test_a_line_of_text_is_read_by_people() -> None:
    [line] = written("text").splitlines()
    assert line.endswith("WARNING retrieval the vector store failed 5 times")


def test_a_line_of_json_is_read_by_programs() -> None:
    [line] = written("json").splitlines()
    told = json.loads(line)
    assert told.pop("time").endswith("+00:00")
    assert told == {
        "level": "WARNING",
        "service": "retrieval",
        "logger": "libs.circuit",
        "message": "the vector store failed 5 times",
    }


def test_a_line_names_the_trace_and_the_span_that_it_is_logged_in(
    exporter: InMemorySpanExporter,
) -> None:
    assert "trace_id" not in line_of()
    with stage_span("retrieval.search"):
        told = line_of()
    (span,) = exporter.get_finished_spans()
    assert int(told["trace_id"], 16) == span.context.trace_id
    assert int(told["span_id"], 16) == span.context.span_id


def test_an_exception_stays_in_its_line() -> None:
    assert line_of(failing=True)["exception"] == "ValueError: two\nlines"
