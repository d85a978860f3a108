"""Sentences, terms, folded text and anchors."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from libs.text import (
    _KNOWN,
    content_terms,
    fold,
    heading_anchor,
    is_question,
    read_roman,
    sentence_ranges,
    terms,
    words,
)

TEXT = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), max_size=200
)


@given(TEXT)
def test_sentences_are_ranges_of_the_text_in_order_and_leave_only_space(text: str) -> None:
    ranges = sentence_ranges(text)
    rest, position = [], 0
    for start, end in ranges:
        assert position <= start < end
        assert text[start:end] == text[start:end].strip()
        rest.append(text[position:start])
        position = end
    assert not "".join([*rest, text[position:]]).strip()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Smith paid $3.50 at 5 p.m. to the clerk. Then he left.", 2),
        ("See Fig. 3.2 for the joint, e.g. the knee. It bends.", 2),
        ("Is it so? Yes! Good.", 3),
        ("", 0),
    ],
)
def test_abbreviations_and_decimals_do_not_end_a_sentence(text: str, count: int) -> None:
    assert len(sentence_ranges(text)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Say when you call stop! and when you return. The rest follows.", 2),
        ("A line is made by print! or by write! alone. It ends. Stop! Now go on.", 4),
        ("The ? sign hands an error on. Is it so? Yes.", 3),
        ("It is untrue that .NET programs are safe. Never run .EXE files! Go on.", 3),
        ("The .LCK and .##LNK files stay. Text goes through java.lang.String alone. Done.", 3),
        ("“Do not believe that .NET is safe to run here. Never run it as root.” So he said.", 3),
        ("It makes links to ../stow/bin/perl and ../stow/bin/a2p. Then cd ../lib. Go on.", 3),
        ("Was it so?不是。It was.", 3),
        ("Write to desk .at. example .dot. org. Then wait.", 2),
    ],
)
def test_a_sign_that_belongs_to_a_name_does_not_end_a_sentence(text: str, count: int) -> None:
    assert len(sentence_ranges(text)) == count


def test_a_sentence_begins_with_no_sign_that_goes_on() -> None:
    assert len(sentence_ranges("R.: Sí. Es así.", "es")) == 2


@given(
    st.text(st.characters(max_codepoint=127), max_size=80) | st.text("aZ0_'’é \x1c-", max_size=20)
)
def test_words_are_runs_of_letters_and_digits_with_apostrophes_inside(text: str) -> None:
    text = re.sub(r"[\u0900-\u0dff]", "", text)  # see the next test
    assert words(text) == re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())


def test_vowel_signs_of_indian_scripts_stand_inside_of_words() -> None:
    assert words("धन्यवाद, पैकेज क्या है? தமிழ்।") == ["धन्यवाद", "पैकेज", "क्या", "है", "தமிழ்"]


def test_the_terms_of_words_are_the_same_when_too_many_were_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _KNOWN.clear()
    monkeypatch.setattr("libs.text._MOST_KNOWN", 2)
    text = "motors of robots and motors of valves turn motors"
    assert content_terms(text) == ["motor", "robot", "motor", "valv", "turn", "motor"]
    assert content_terms(text) == content_terms(text)
    assert len(_KNOWN) <= 2


def test_terms_are_stems_of_the_words_that_carry_meaning() -> None:
    assert terms("What are the hydraulic actuators?") == ["hydraul", "actuat"]
    assert words("The robot's arm") == ["the", "robot's", "arm"]


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("He said “stop  now” twice.", '"stop now"', "“stop  now”"),
        ("a long—dash", "long-dash", "long—dash"),
        ("ﬁrst things\n\nlast", "first things last", "ﬁrst things\n\nlast"),
        ("sof\u00adtly", "softly", "sof\u00adtly"),
        ("¼ or 1 of them", "1", "1"),
        ("the sign ´ alone", "´ alone", "´ alone"),
        ("Only this.", "only this.", None),
        ("anything", "", None),
    ],
)
def test_a_folded_quotation_is_found_in_the_original_characters(
    text: str, needle: str, found: str | None
) -> None:
    place = fold(text).find(fold(needle))
    assert (text[slice(*place)] if place else None) == found


@given(TEXT, st.data())
def test_every_part_of_a_text_is_found_again(text: str, data: DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    needle = fold(text[start:end])
    if needle.text:
        place = fold(text).find(needle)
        assert place is not None
        assert fold(text[slice(*place)]).text == needle.text


def test_equal_headings_get_different_anchors() -> None:
    taken: set[str] = set()
    titles = ["What is ROS 2?", "What is ROS 2?", "Überblick & mehr"]
    assert [heading_anchor(title, taken) for title in titles] == [
        "what-is-ros-2",
        "what-is-ros-2-1",
        "überblick--mehr",
    ]


@pytest.mark.parametrize(
    ("letters", "number"),
    [("i", 1), ("IV", 4), ("xix", 19), ("XCIX", 99), ("", None), ("im", None), ("3", None)],
)
def test_a_roman_number_is_read_and_other_letters_are_none(
    letters: str, number: int | None
) -> None:
    assert read_roman(letters) == number


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Who is it?", True),
        ('"Who is it?"', True),
        ("“Who is it?” she asked.", True),
        ("「誰ですか？」と彼は言った。", True),
        ("«Qui est-ce ?» demanda la baronne.", True),
        ('He asked "why?" of all that he saw in the years of the long war.', False),
        ('"Who is it?" he said. "It is I."', False),
        ("The count rose. “Who is it?” he asked.", True),
        ("It is in the pool, see section 6.3, “What is in the pool?”.", False),
        ("Of that “What is in the pool?” tells more.", False),
        ("Is it so? No.", False),
    ],
)
def test_a_sentence_asks_though_it_tells_who_does(text: str, asks: bool) -> None:
    assert is_question(text) is asks
