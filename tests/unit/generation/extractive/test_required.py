"""A question for a quantity, a date or a name is led by what says one, or not answered at all."""

from libs.ml import LogisticModel
from libs.question.analyse import analyse_question
from services.generation.coverage.check import check_coverage
from services.generation.extractive.answerer import choose_places
from services.generation.model import (
    BlockKind,
    Gate,
    Locator,
    Passage,
    PassageScores,
    Question,
    SearchResult,
    Span,
)
from tests.support.generation_fakes import prompt

HEAVY = "The arm is heavy, since it is cast of iron."
WEIGHS = "All in all the arm weighs 4 kg."
ELSEWHERE = "A bag of flour has 1 kg."

BY_SIMILARITY = LogisticModel("", ("similarity",), (0.0,), (1.0,), (10.0,), -5.0)
"""A ranking by how near a span is found to the question, and by nothing else."""


def passage(*sentences: tuple[float, str]) -> Passage:
    text = "\n".join(sentence for _, sentence in sentences)
    spans = tuple(
        Span(text.index(sentence), text.index(sentence) + len(sentence), BlockKind.PARAGRAPH, score)
        for score, sentence in sentences
    )
    place = Locator("a.md", 0, len(text), ("Chapter", "Arm"))
    return Passage("a", place, text, spans, PassageScores(fused=0.5))


def lead(question: str, *sentences: tuple[float, str]) -> str:
    held = passage(*sentences)
    places = choose_places(prompt((held,), question), BY_SIMILARITY)
    return held.text_of(places[0].span) if places else ""


def test_a_sentence_with_the_quantity_leads_though_another_is_nearer() -> None:
    assert lead("How heavy is the arm?", (0.7, HEAVY), (0.6, WEIGHS)) == WEIGHS
    assert lead("What of the heavy arm?", (0.7, HEAVY), (0.6, WEIGHS)) == HEAVY


def test_there_is_no_answer_when_no_sentence_about_the_thing_says_one() -> None:
    assert lead("How heavy is the arm?", (0.9, HEAVY)) == ""
    assert lead("How heavy is the arm of iron?", (0.9, HEAVY), (0.5, ELSEWHERE)) == ""
    assert lead("Why is the arm heavy?", (0.9, HEAVY)) == HEAVY


def reason(question: str, said: str, *, unsaid: bool = False) -> str:
    found = SearchResult((passage((0.5, said)),), Gate(0.9, 0.5, passed=True))
    [check] = check_coverage(
        found, Question("book", 1, question), analyse_question(question), unsaid=unsaid
    )
    return "" if check.passed else check.reason


def test_the_reason_tells_what_is_missing() -> None:
    assert reason("How much does it cost?", HEAVY) == "asks for a price that no passage says"
    assert reason("How heavy is the arm?", HEAVY) == "asks for a quantity that no passage says"
    assert reason("When was it cast?", HEAVY) == "asks for a date that no passage says"
    assert reason("Who invented it?", HEAVY) == "asks for a name that no passage says"
    assert reason("What is an XQ99?", HEAVY) == "asks about a name that no passage has"
    assert reason("What changed in 1971?", HEAVY) == "asks about a year that no passage has"
    of_it = reason("How heavy is the arm?", ELSEWHERE, unsaid=True)
    assert of_it == "asks for a quantity that no passage says of it"
    assert reason("How heavy is the arm?", WEIGHS) == ""
