"""What is said of a body or a query that is wrong: no word of Python, and what would be right."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from libs.errors import InvalidInput
from services.gateway.routes.bodies import convert_query, decode_body


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of what is sent."""

    name: Annotated[str, Meta(min_length=1, max_length=3, pattern="^[a-z]*$")]
    ratio: Annotated[float, Meta(gt=0)] = 1.0


class Sent(Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent."""

    session: str = ""
    ratings: list[Literal["up", "down"]] = []
    limit: Annotated[int, Meta(ge=1, le=5)] | None = None
    parts: list[Part] | None = None
    content: str | list[Part] | None = None
    since: datetime | None = None
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    deep: bool = False


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[]", "Send an object, not a list."),
        ('{"session": 5}', "session: Send text, not a whole number."),
        (
            '{"session_id": "s"}',
            (
                "“session_id” is not known here. Do you mean “session”? Known are session, "
                "ratings, limit, parts, content, since, counts, deep."
            ),
        ),
        ('{"parts": [{}]}', "parts[0]: “name” is missing."),
        (
            '{"parts": [{"name": "a", "zz": 1}]}',
            "parts[0]: “zz” is not known here. Known are name, ratio.",
        ),
        ('{"parts": [{"name": ""}]}', "parts[0].name: Send at least 1 character."),
        ('{"parts": [{"name": "abcd"}]}', "parts[0].name: Send at most 3 characters."),
        ('{"parts": [{"name": "A"}]}', "parts[0].name: Send text that matches ^[a-z]*$"),
        (
            '{"parts": [{"name": "a", "ratio": 0}]}',
            "parts[0].ratio: Send a number of more than 0.0.",
        ),
        ('{"ratings": ["meh"]}', "ratings[0]: Send one of down, up."),
        ('{"ratings": [1]}', "ratings[0]: Send one of down, up."),
        ('{"limit": 9}', "limit: Send a number of at most 5."),
        ('{"limit": 1.5}', "limit: Send a whole number, not a fraction."),
        ('{"content": 5}', "content: Send text or a list, not a whole number."),
        ('{"content": [{"name": 1}]}', "content[0].name: Send text, not a whole number."),
        ('{"since": "soon"}', "since: Send a time such as 2026-11-24T12:00:00Z."),
        ('{"counts": {"a": "b"}}', "counts[...]: Send a whole number, not text."),
    ],
)
def test_a_wrong_body_is_told_what_would_be_right(body: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode_body(body.encode(), Sent)
    assert refused.value.message == said


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"limit": "x"}, "limit: Send a whole number, not text."),
        ({"deep": "maybe"}, "deep: Send true or false, not text."),
    ],
)
def test_a_wrong_query_is_told_what_would_be_right(query: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        convert_query(query, Sent)
    assert refused.value.message == said
