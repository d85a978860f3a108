"""Cursors of lists: what was given is taken, anything else is refused in one sentence."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.errors import InvalidInput
from libs.paging import MOST_OF_PAGE, cut, one_more, read_cursor, read_page_size, write_cursor


def forged(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    st.integers(0, 2**31 - 1),
)
def test_a_cursor_names_what_it_was_made_of(name: str, number: int) -> None:
    cursor = write_cursor("documents", name, number)
    assert cursor.isascii()
    assert read_cursor(cursor, "documents", str, int) == [name, number]


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "!!!!",
        "é",
        forged("2026"),
        forged('["books"]'),
        forged('["books","a","b"]'),
        forged('["books",1]'),
        forged('{"books":"a"}'),
        forged('["books","\\u0000"]'),
        forged('["books","\\ud800"]'),
        forged("[" * 100_000),
        write_cursor("editions", "a"),
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    ],
    ids=lambda cursor: cursor[:20],
)
def test_a_cursor_of_another_list_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="Begin with the first page"):
        read_cursor(cursor, "books", str)


@pytest.mark.parametrize("number", ["true", "-1", "2147483648", "1.0", "null"])
def test_a_number_is_one_that_a_column_can_hold(number: str) -> None:
    with pytest.raises(InvalidInput, match="Begin with the first page"):
        read_cursor(forged(f'["editions",{number}]'), "editions", int)


def test_a_page_is_as_large_as_wanted_and_no_larger_than_it_may_be() -> None:
    assert [read_page_size(size) for size in (0, 1, MOST_OF_PAGE)] == [None, 1, MOST_OF_PAGE]
    for size in (-1, MOST_OF_PAGE + 1):
        with pytest.raises(InvalidInput, match="1 to 1000"):
            read_page_size(size)


def test_one_row_more_shows_that_there_is_a_next_page() -> None:
    assert [one_more(most) for most in (None, 2)] == [None, 3]
    assert cut([1, 2, 3], 2) == ([1, 2], 2)
    assert cut([1, 2], 2) == ([1, 2], None)
    assert cut([1, 2, 3], None) == ([1, 2, 3], None)
    assert cut([], 2) == ([], None)
