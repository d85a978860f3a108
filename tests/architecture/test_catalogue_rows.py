"""The tests name rows of the catalogue that exist, and a row without a test says why."""

import pytest

from tests.catalogue import ROWS, WITHOUT_TEST, shown, table
from tests.conftest import unknown_rows


def test_every_row_has_a_test_or_a_reason() -> None:
    assert {row for row, tests in shown().items() if not tests} == set(WITHOUT_TEST)


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
