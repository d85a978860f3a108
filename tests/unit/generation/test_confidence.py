"""The two plain formulas of confidence, and how a model's own estimate is read."""

from dataclasses import replace

import pytest

from libs.ml import LogisticModel
from libs.question.analyse import analyse_question
from services.generation.confidence import (
    describe_answer,
    mean_similarity,
    most_of_asked,
    most_of_reason,
    name_level,
    rate_answer,
    read_estimate,
    two_part,
)
from services.generation.model import (
    Citation,
    Gate,
    PassageScores,
    SearchResult,
    Sentence,
    SentenceRole,
    Verdict,
)
from tests.support.generation_fakes import PASSAGES, search_result

CITED = (Citation(1, "It turns.", PASSAGES[0].locator, "c", "It turns.", Verdict.EXACT),)


def found(*scores: float) -> SearchResult:
    return search_result(
        tuple(replace(PASSAGES[0], scores=PassageScores(fused=one, dense=one)) for one in scores)
    )


@pytest.mark.parametrize(
    ("response", "estimate"),
    [
        ("It turns. [Source 1]\nConfidence: 0.93", 0.93),
        ("confidence: 0.92", 0.92),
        ("**Confidence:** 0.5.", 0.5),
        ("Confidence: 7", 1.0),
        ("Confidence: -1", 0.0),
        ("Confidence: NaN", 0.80),
        ("Confidence: 0.1\nand one more line", 0.80),
        ('The book says "Confidence: 0.1"', 0.80),
        ("", 0.80),
    ],
)
def test_a_models_estimate_is_read_strictly(response: str, estimate: float) -> None:
    assert read_estimate(response) == estimate


def test_two_parts_are_weighted_six_to_four() -> None:
    assert two_part(found(0.9), "Confidence: 0.5") == pytest.approx(0.6 * 0.9 + 0.4 * 0.5)
    assert two_part(found(0.2), "") == pytest.approx(0.6 * 0.6 + 0.4 * 0.8)
    assert two_part(found(1.7), "Confidence: 9") == 1.0


def test_mean_similarity_is_that_of_the_first_five() -> None:
    assert mean_similarity(found(0.9, 0.7)) == pytest.approx(0.8)
    assert mean_similarity(found(*[0.5] * 5, 0.0)) == 0.5
    assert mean_similarity(found(-0.5)) == 0.0
    assert mean_similarity(found(float("nan"))) == 0.0
    assert mean_similarity(search_result(())) == 0.0


@pytest.mark.parametrize(
    ("response", "estimate"),
    [
        ('{"sentences": [], "confidence": 0.9}', 0.9),
        ('```json\n{"sentences": [],\n"confidence": 0.25\n}\n```', 0.25),
        ('{"sentences": [], "confidence": 7}', 1.0),
        ('{"sentences": [{"text": "\\"confidence\\": 0.1}", "citations": []}]}', 0.80),
        ('{"confidence": 0.1, "sentences": []}', 0.80),
    ],
)
def test_structured_output_states_it_as_its_last_property(response: str, estimate: float) -> None:
    assert read_estimate(response) == estimate


def test_the_lead_of_a_passage_does_not_count_when_text_is_selected() -> None:
    search, places = found(1.0, 0.2), [PASSAGES[0].locator]
    assert describe_answer(search, places)["passage_margin"] == pytest.approx(0.8)
    assert describe_answer(search, places, of_selection=True)["passage_margin"] == 0.0


def test_an_answer_without_what_is_asked_for_is_less_sure() -> None:
    search, asked = found(1.0), analyse_question("How many degrees does it turn?")
    place = search.passages[0].locator
    says = replace(search.passages[0], text="It turns 90 degrees.".ljust(place.end - place.start))
    rated = [
        describe_answer(one, [place], asked)["says_asked"]
        for one in (search, SearchResult((says,), search.gate))
    ]
    assert rated == [0.0, 1.0]
    untyped = analyse_question("Tell me of the actuator.")
    assert (
        describe_answer(SearchResult((says,), search.gate), [place], untyped)["says_asked"] == 0.0
    )


def test_the_surer_the_gate_the_surer_the_answer_where_the_gate_is_calibrated() -> None:
    asked = analyse_question("What is printed?")

    def rate(probability: float, gate: str) -> float:
        search = replace(found(1.0), gate=Gate(probability, 0.5, passed=True))
        return rate_answer(
            "calibrated", search, analysis=asked, response="", cited=CITED, gate=gate
        )

    assert rate(0.6, "calibrated") < rate(0.9, "calibrated") < rate(0.999, "calibrated")
    assert rate(0.3, "max_dense") == rate(0.9, "max_dense")
    # Nobody judged: a profile without a gate lets everything pass.
    assert rate(1.0, "calibrated") == rate(0.3, "none") < rate(0.9999, "calibrated")


def test_a_page_that_is_named_is_told_for_sure_and_what_is_asked_of_it_as_any_answer() -> None:
    rated = [
        rate_answer(
            "calibrated", found(0.1), analysis=analyse_question(asked), response="", cited=CITED
        )
        for asked in ("What is on page 4?", "What is printed on page 4?")
    ]
    assert rated[0] == 1.0 > rated[1]


def test_a_question_that_holds_a_program_is_answered_with_half_the_confidence() -> None:
    plain = analyse_question("What is printed?")
    listing = analyse_question("What is printed?\n```rust\nfn main() {}\n```")
    rated = [
        rate_answer("calibrated", found(1.0), analysis=asked, response="", cited=CITED)
        for asked in (plain, listing)
    ]
    assert rated[1] == pytest.approx(rated[0] / 2)
    assert rated[0] > 0.0


@pytest.mark.parametrize(
    ("language", "question", "lead", "level"),
    [
        ("en", "Why is the bell cracked?", "The bell is cracked because of a frost.", "high"),
        ("en", "Why is the bell cracked?", "The bell is cracked and hangs in the tower.", "low"),
        ("en", "Why is the bell cracked?", "It was moved because of a frost.", "low"),
        ("de", "Warum hat die Glocke einen Sprung?", "Die Glocke hat einen Sprung.", "low"),
        (
            "de",
            "Warum hat die Glocke einen Sprung?",
            "Die Glocke hat einen Sprung, weil es fror.",
            "high",
        ),
        ("en", "Where is the cracked bell?", "The bell is cracked.", "high"),
    ],
)
def test_a_lead_that_gives_no_reason_for_just_that_is_no_sure_answer_to_why(
    language: str, question: str, lead: str, level: str
) -> None:
    most = most_of_reason(analyse_question(question, language), lead)
    assert name_level(most).value == level


@pytest.mark.parametrize(
    ("language", "question", "quotes", "level"),
    [
        ("en", "When does the mill close?", ["The mill closes in 1931."], "high"),
        ("en", "When does the mill close?", ["When it closes, the miller goes home."], "medium"),
        ("de", "Wann schließt die Mühle?", ["Die Mühle schließt ein Tor ein."], "medium"),
        ("en", "How many gates has the mill?", ["The mill has three gates."], "high"),
        ("en", "How many gates has the mill?", ["The mill has gates of oak."], "medium"),
        ("en", "What are the four gates?", ["The upper, lower, east and west gate."], "high"),
        ("en", "What are the four gates?", ["Four gates, all of oak."], "medium"),
        ("en", "What are the four gates?", ["Gates:", "upper", "lower", "east", "west"], "high"),
        ("de", "Welche vier Tore gibt es?", ["Die Mühle hat vier Tore."], "medium"),
        ("en", "What is a gate?", ["A gate is of oak."], "high"),
        ("en", "Why has the mill four gates?", ["It has four gates."], "high"),
    ],
)
def test_a_lead_without_the_value_or_as_many_things_as_are_asked_for_is_no_sure_answer(
    language: str, question: str, quotes: list[str], level: str
) -> None:
    lead = [replace(CITED[0], quote=quote) for quote in quotes]
    assert name_level(most_of_asked(analyse_question(question, language), lead)).value == level


SURE = LogisticModel("", ("best_span_score",), (0.0,), (1.0,), (0.0,), 4.0)


@pytest.mark.parametrize(("role", "level"), [("LEAD", "high"), ("SUPPORT", "medium")])
def test_things_are_counted_in_all_that_leads_and_in_nothing_beside_it(
    role: str, level: str
) -> None:
    cited = tuple(replace(CITED[0], number=at, quote=f"Gate {at}") for at in (1, 2, 3, 4))
    roles = (SentenceRole.LEAD, *[SentenceRole[role]] * 3)
    sentences = tuple(
        Sentence(one.quote, (one.number,), role=its) for one, its in zip(cited, roles, strict=True)
    )
    rated = rate_answer(
        "calibrated",
        found(0.9),
        analysis=analyse_question("What are the four gates?"),
        response="",
        cited=cited,
        sentences=sentences,
        model=SURE,
    )
    assert name_level(rated).value == level
