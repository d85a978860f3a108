"""The tests name rows of the catalogue that exist, and a row without a test has a long run."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from tests.catalogue import ROWS, long_runs, page, read_results, result_of, shown, table
from tests.conftest import unknown_rows


def test_every_row_has_a_test_or_a_long_run_with_its_figures() -> None:
    runs = long_runs()
    without = {row for row, tests in shown().items() if not tests}
    assert without <= {row for run in runs for row in run.rows}
    assert {row for run in runs for row in run.rows} <= set(shown())
    assert all(date.fromisoformat(run.date) and re.search(r"\d", run.found) for run in runs)


def test_a_marker_names_rows_of_its_own_kind() -> None:
    marks = [
        pytest.mark.fault("P3", "L4"),
        pytest.mark.fault("V5"),
        pytest.mark.control("V99"),
        pytest.mark.invariant(),
        pytest.mark.parametrize("row", ["X1"]),
    ]
    assert unknown_rows([one.mark for one in marks]) == ["fault V5", "control V99", "invariant"]


def test_the_table_names_every_row_and_the_tests_that_show_it() -> None:
    lines = list(table())
    for rows in ROWS.values():
        for row, about in rows.items():
            assert f"  {row:4}{about}" in lines
    killed = "faults/test_replicas.py::test_one_of_two_killed_under_load_is_no_error_for_anybody"
    assert lines.index(f"  P2  {ROWS['fault']['P2']}") + 1 == lines.index(f"        {killed}")


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.faults.test_replicas" name="test_a[x]"/>
<testcase classname="tests.faults.test_replicas" name="test_a[y]"><failure/></testcase>
<testcase classname="tests.faults.test_replicas" name="test_b"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_result_counts_the_cases_of_a_test_and_names_what_was_not_run(tmp_path: Path) -> None:
    path = tmp_path / "results.xml"
    path.write_text(JUNIT, "utf-8")
    results = read_results(path)
    one, two, never = (f"faults/test_replicas.py::test_{name}" for name in "abc")
    assert result_of([one], results) == "1 passed, 1 failed"
    assert result_of([one, two, never], results) == "1 passed, 1 failed, 1 skipped, 1 not run"


def test_no_row_of_the_kept_page_is_without_a_result() -> None:
    everything = {test: Counter({"passed": 1}) for tests in shown().values() for test in tests}
    main, *others = page(everything).split("\n## ")
    rows = [line.split("|")[1:-1] for line in main.splitlines() if line[:3] != "|--"]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) == 4][1:]
    assert [other.partition("\n")[0] for other in others] == ["Long runs", "Planted defects"]
    assert [row[0] for row in cells] == [row for rows in ROWS.values() for row in rows]
    assert all(all(row) for row in cells)
    assert not any("not run" in row[3] or "failed" in row[3] for row in cells)
