"""Texts that PostgreSQL refuses are written so that it takes them, and no other is changed."""

from typing import Any

import pytest

from libs.storable import storable
from services.generation.adapters.records.postgres_audit import _json


@pytest.mark.fault("L6")
@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("a\0b", r"a\u0000b"),
        ("a\ud800b", r"a\ud800b"),
        ("plain, größer, 👍", "plain, größer, 👍"),
        (r"only looks like \u0000", r"only looks like \u0000"),
        (["a\0", {"deep": "\udfff"}], [r"a\u0000", {"deep": r"\udfff"}]),
        (7, 7),
    ],
    ids=ascii,
)
def test_a_value_is_stored_with_what_postgresql_cannot_hold_written_out(
    given: Any, written: Any
) -> None:
    assert storable(given) == written


@pytest.mark.fault("L6")
@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=ascii)
def test_json_that_postgresql_cannot_hold_is_written_out(text: str) -> None:
    written = _json({"text": text})

    written.encode()
    assert "\\u0000" not in written.replace("\\\\", "")


def test_other_json_is_left_as_it_is() -> None:
    assert _json({"text": "größer 👍"}) == '{"text": "größer 👍"}'
