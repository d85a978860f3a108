"""Sizes of ranges: put together from parts, the same as counted whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from libs.tokens import TokenCounter
from services.ingest.splitters.measure import ABSENT, Measure

# What cl100k_base's pieces are told apart by, and what Python and Rust call space differently.
CHARACTERS = "aZé9٣漢的क्🤖'’.,!(\"-_#*|\n\r\t  \u00a0\u2028\u0085\x1c\x0b\u3000\u200b½Ⅷ"
RUNS = ("'s", "'ll", "\r\n", "\n\n", "  ", "word", " the", "1234", "...", "<|endoftext|>")
# No text of a book has the sign for what is absent.
ANY = st.characters(exclude_categories=["Cs"], exclude_characters=ABSENT)
TEXTS = st.lists(st.sampled_from([*CHARACTERS, *RUNS]), max_size=60).map("".join) | st.text(
    ANY, max_size=60
)


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.mktemp("tokens"))


@given(text=TEXTS, data=st.data())
def test_a_range_has_as_many_tokens_as_its_text_alone(
    tokens: TokenCounter, text: str, data: DataObject
) -> None:
    measure = Measure(text, tokens)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    alone = len(tokens._encoding.encode(text[start:end], disallowed_special=()))
    assert measure.count(start, end) == alone


def test_signs_that_are_absent_from_other_formats_are_not_counted(tokens: TokenCounter) -> None:
    text = 'See the "arm" (https://arms.example) below.'
    shared = text.replace('"', ABSENT).replace("(https://arms.example)", ABSENT * 22)
    measure = Measure(text, tokens, shared)
    assert measure.count_shared(0, len(text)) == tokens.count("See the arm below.")
    assert measure.count(0, len(text)) == tokens.count(text)
    assert measure.fits_shared(0, len(text), 5, 30)
    assert not measure.fits_shared(0, len(text), 4, 30)
    assert not measure.fits_shared(0, len(text), 5, 8)
