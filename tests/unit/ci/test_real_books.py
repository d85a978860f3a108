"""What the first of a run's workers read of a real book is what all others get."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.support import real_books
from tests.support.real_books import parse_book, read_once


def test_a_book_is_parsed_once_for_all_that_share_a_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse = Mock(side_effect=parse_book)
    monkeypatch.setattr(real_books, "parse_book", parse)
    for name in ("mills", "gears"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# The {name}\n\n- They *turn*.\n", "utf-8")
    mills, again, gears = (
        read_once(tmp_path, tmp_path / name) for name in ("mills", "mills", "gears")
    )
    assert parse.call_count == 2
    assert mills == again == parse_book(tmp_path / "mills")
    assert [document.title for document, *_ in (*mills, *gears)] == ["The mills", "The gears"]
