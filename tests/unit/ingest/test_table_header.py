"""Which rows of a table are the header that its rows are searched by."""

import pytest

from services.ingest.splitters.table_header import count_header_rows, named_once, shortened

ROWS = ["Brent | 41 | 12 | 29.3%", "Ealing | 39 | 6 | 15.4%"]


@pytest.mark.parametrize(
    "header",
    [
        ["Name | Cases | Solved | Rate"],
        ["Area | June | June | June", "Name | Cases | Solved | Rate"],
        ["Site | Percentile |  | ", " | 10 | 20 | 30"],
        [" | Region of the north |  | ", "Train | 224 | 228 | 232"],
        ["All trains | All trains | All trains | All trains", "Train | 224 | 228 | 232"],
        ["2020 and before |  |  | ", "Name | Cases | Solved | Rate"],
    ],
    ids=["one", "repeated", "beside", "title", "title in all", "label"],
)
def test_the_names_of_several_columns_and_of_each_are_the_header(header: list[str]) -> None:
    assert count_header_rows([*header, *ROWS]) == len(header)


def test_rows_of_values_are_no_header() -> None:
    assert count_header_rows(["Kind | Force | Force", "Motor | 3 N | 4 N", *ROWS]) == 1
    assert count_header_rows(["Name | Cases", *ROWS]) == 1
    assert count_header_rows(["one cell alone"]) == 1


def test_a_name_of_several_columns_is_said_once_over_their_rows() -> None:
    assert named_once(" | North | North | North | Sea | Sea") == "North | Sea"


def test_a_header_that_is_too_long_says_what_several_columns_are_called_once() -> None:
    row = "In millions | May 2016 Assets gross | May 2016 Assets net | May 2016 Debts net | Net"
    assert shortened(row, len(row)) == row
    once = "In millions | May 2016 Assets gross | Assets net | Debts net | Net"
    assert shortened(row, len(row) - 1) == shortened(row, len(once)) == once
    assert shortened(row, len(once) - 1) == once.replace("| Assets net", "| net")
    assert shortened(row, 30) == once[:30]
    assert shortened("A | A | " + "b" * 30, 20) == "A | A | " + "b" * 12
