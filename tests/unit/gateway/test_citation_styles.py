"""An answer has its citations as its profile writes them, and a warning where it is in doubt."""

import pytest
from msgspec.structs import replace
from quoth.common.v1 import locator_pb2
from quoth.generation.v1 import answer_pb2

from services.gateway.model.answers import Answer, Citation
from services.gateway.wire.answers import from_answer
from services.gateway.wire.citation_styles import (
    cut_excerpt,
    style_of,
    write_marker,
)

RECORD = Citation(
    n=3,
    quote="It holds 21 MPa.",
    document="a.mdx",
    start=0,
    end=16,
    section_path=["Module 1", "Actuators", "Hydraulic Systems"],
    page=42,
    url="/actuators#hydraulic-systems",
    chunk_id="c",
    snippet="It holds 21 MPa.",
    verdict="exact",
)


def answered(
    profile: str, level: answer_pb2.ConfidenceLevel = answer_pb2.CONFIDENCE_LEVEL_LOW
) -> Answer:
    cited = answer_pb2.Citation(
        number=1,
        quote="It holds.",
        locator=locator_pb2.Locator(document="a.mdx", section_path=["Arm"]),
        verdict=answer_pb2.VERDICT_EXACT,
    )
    sentence = answer_pb2.Sentence(text="It holds.", citations=[1])
    return from_answer(
        answer_pb2.Answer(
            profile=profile, sentences=[sentence], citations=[cited], confidence_level=level
        )
    )


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("integrated", "[Source 3]"),
        ("textbook", "[Source 3]"),
        ("academic", '[Source: Hydraulic Systems (Page 42) - "It holds 21 MPa."]'),
        (
            "course",
            "[Section: Module 1 > Actuators > Hydraulic Systems](/actuators#hydraulic-systems)",
        ),
        ("only-the-server-knows", "[Source 3]"),
    ],
)
def test_the_profile_chooses_the_renderer(profile: str, text: str) -> None:
    assert write_marker(RECORD, style_of(profile)) == text


def test_a_page_is_called_as_its_source_calls_it() -> None:
    labelled = replace(RECORD, page_label="iv")
    assert "(Page iv)" in write_marker(labelled, "excerpt")


def test_parts_that_a_source_lacks_are_left_out_of_its_citation() -> None:
    bare = replace(RECORD, page=None, url=None, section_path=[])
    assert write_marker(bare, "excerpt") == '[Source: a.mdx - "It holds 21 MPa."]'
    assert write_marker(bare, "section") == "[Section: a.mdx]"


@pytest.mark.parametrize(
    ("profile", "marker"),
    [
        ("default", "[Source 1]"),
        ("course", "[Section: Arm]"),
        ("academic", '[Source: Arm - "It holds."]'),
    ],
)
def test_an_answer_over_rest_has_the_markers_of_its_profile(profile: str, marker: str) -> None:
    assert [citation.marker for citation in answered(profile).citations] == [marker]


def test_an_answer_over_rest_warns_where_its_confidence_is_low_and_nowhere_else() -> None:
    assert answered("course").notice.startswith("The book may not answer this well.")
    assert answered("course", answer_pb2.CONFIDENCE_LEVEL_MEDIUM).notice == ""
    refused = answer_pb2.Answer(
        refusal=answer_pb2.Refusal(code=answer_pb2.REFUSAL_CODE_NOTHING_FOUND, message="No."),
        confidence_level=answer_pb2.CONFIDENCE_LEVEL_LOW,
    )
    assert from_answer(refused).notice == ""


def test_an_excerpt_ends_with_a_sentence_within_fifty_words() -> None:
    sentence = " ".join(["word"] * 19) + " end."
    assert cut_excerpt(" ".join([sentence] * 4)) == " ".join([sentence] * 2)
    assert len(cut_excerpt("word " * 80).split()) == 50


def test_an_excerpt_has_thirty_words_of_a_quote_that_has_more_than_fifty() -> None:
    short, long = "It moves.", " ".join(["word"] * 60) + "."
    assert len(cut_excerpt(f"{short} {long}").split()) == 50
    thirty = " ".join(["word"] * 29) + " end."
    assert cut_excerpt(f"{thirty} {long}") == thirty


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What does it hold?", "The book may not"),
        ("Wie viel kostet die Fahrt nach Oran?", "Das Buch beantwortet dies"),
        ("¿Cuánto cuesta la entrada?", "Es posible que el libro"),
        ("門票多少錢？", "这本书可能"),
        ("Jaki jest koszt?", "The book may not"),
    ],
)
def test_the_warning_is_in_the_language_of_the_question(question: str, begins: str) -> None:
    low = answer_pb2.Answer(question=question, confidence_level=answer_pb2.CONFIDENCE_LEVEL_LOW)
    assert from_answer(low).notice.startswith(begins)


@pytest.mark.parametrize(
    ("question", "shown", "begins"),
    [
        ("Por que a prensa pesa tanto?", "A prensa não cabe na sala e é de ferro.", "O livro"),
        ("Por que la prensa pesa tanto?", "La prensa no cabe en la sala y es de hierro.", "Es"),
        ("What does it weigh?", "Die Presse ist aus Eisen und sehr schwer.", "The book may not"),
    ],
)
def test_the_warning_tells_like_languages_apart_by_what_is_shown(
    question: str, shown: str, begins: str
) -> None:
    low = answer_pb2.Answer(
        question=question,
        confidence_level=answer_pb2.CONFIDENCE_LEVEL_LOW,
        sentences=[answer_pb2.Sentence(text=shown)],
    )
    assert from_answer(low).notice.startswith(begins)
