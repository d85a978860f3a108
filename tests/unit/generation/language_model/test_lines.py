"""A model's text is read line by line, whatever pieces it comes in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generation.language_model.lines import DraftParser, parse_line
from services.generation.model import Claim, DraftSentence


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ('It turns. [Source 2: "it turns"]', [("It turns.", [(2, "it turns")])]),
        ('It turns [Source 2: "it turns"].', [("It turns.", [(2, "it turns")])]),
        ("It turns. [Source 12]", [("It turns.", [(12, "")])]),
        ("It turns. [Source 1, 2 and 3]", [("It turns.", [(1, ""), (2, ""), (3, "")])]),
        ("It turns. [Sources 1, Source 2]", [("It turns.", [(1, ""), (2, "")])]),
        (
            'It turns. [Source 1: "a b"][Source 2: "c"]',
            [("It turns.", [(1, "a b"), (2, "c")])],
        ),
        (
            "It turns. [source 1] It stops. [Source 2]",
            [("It turns.", [(1, "")]), ("It stops.", [(2, "")])],
        ),
        ("It turns. It stops. [Source 2]", [("It turns.", []), ("It stops.", [(2, "")])]),
        ("It turns. [Source 1] It sings.", [("It turns.", [(1, "")]), ("It sings.", [])]),
        ("- **It** turns. [Source 1: “it turns”]", [("It turns.", [(1, "it turns")])]),
        ("2. It turns. [Source 1]", [("It turns.", [(1, "")])]),
        (
            'It says "no [x]". [Source 1: "says "no [x]" here"]',
            [('It says "no [x]".', [(1, 'says "no [x]" here')])],
        ),
        ("It turns. [Source 99999]", [("It turns.", []), ("[Source 99999]", [])]),
        ("[Source 1]", [("", [(1, "")])]),
        ("  ", []),
    ],
)
def test_a_line_is_parsed_into_sentences_with_their_claims(
    line: str, sentences: list[tuple[str, list[tuple[int, str]]]]
) -> None:
    expected = [
        DraftSentence(text, tuple(Claim(*claim) for claim in claims)) for text, claims in sentences
    ]
    assert parse_line(line) == expected


def test_a_sentence_comes_when_its_line_is_complete() -> None:
    parser = DraftParser()
    assert parser.feed('It turns. [Source 1: "it ') == []
    (sentence,) = parser.feed('turns"]\nIt st')
    assert sentence.text == "It turns."
    assert [left.text for left in parser.finish()] == ["It st"]
    assert parser.finish() == []


@given(text=st.text(max_size=120), cuts=st.lists(st.integers(0, 120)))
def test_how_the_text_is_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    whole = DraftParser()
    expected = whole.feed(text) + whole.finish()
    parser, found, start = DraftParser(), [], 0
    for cut in sorted(cuts):
        found += parser.feed(text[start:cut])
        start = max(start, cut)
    found += parser.feed(text[start:]) + parser.finish()
    assert found == expected
