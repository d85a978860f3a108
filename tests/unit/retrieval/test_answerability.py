"""The probability that the passages answer the question, and what it is made from."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from libs.defined_terms import keys_of
from libs.ml import LogisticModel
from libs.question.analyse import QuestionAnalysis, analyse_question
from libs.vectors.packed import pack_rows
from services.retrieval.answerability import (
    assess_answerability,
    assess_selection,
    close_unsaid,
    describe_result,
    describe_selection,
    pass_defined,
    pass_titled,
)
from services.retrieval.defined import keys_asked
from services.retrieval.model import HEADING, Candidate, Gate, Passage, Span
from services.retrieval.question_terms import QuestionTerms
from services.retrieval.state import ASSESSED
from tests.support.retrieval_fakes import PARAGRAPH, make_chunk, open_gate, settings

TERMS = QuestionTerms({"hydraul": 2.0, "pressur": 1.0, "lidar": 1.0}, ["hydraul", "pressur"])


def found(
    *scores: tuple[float, float, int], text: str = "Hydraulic pressure."
) -> tuple[list[Candidate], list[Passage]]:
    candidates = [
        Candidate(
            make_chunk(text, start=place * 100), dense, bm25, dense_rank=place + 1, bm25_rank=rank
        )
        for place, (dense, bm25, rank) in enumerate(scores)
    ]
    return candidates, [Passage(candidate, 1.0) for candidate in candidates]


def test_a_search_that_found_nothing_never_passes() -> None:
    gate = assess_answerability([], [], TERMS, open_gate(), settings(gate_threshold=0.1))
    assert (gate.probability, gate.passed, gate.features) == (0.0, False, {})


def test_near_passages_pass_and_far_ones_do_not() -> None:
    near, far = found((0.8, 5.0, 1)), found((0.05, 0.0, 0))
    assert assess_answerability(*near, TERMS, open_gate(), settings(gate_threshold=0.65)).passed
    assert not assess_answerability(*far, TERMS, open_gate(), settings(gate_threshold=0.65)).passed


COSINES = replace(open_gate(), features=("cosine_best",))
WORDS = replace(open_gate(), features=("coverage_said",))


@pytest.mark.parametrize(
    ("model", "cosine", "text", "kind", "near"),
    [
        # The mean of what this classifier was fitted to is .3, a deviation .1, and vectors are packed
        # in sevenths of their greatest number.
        (COSINES, 2 / 7, "Nothing of it.", PARAGRAPH, True),
        (COSINES, 1 / 7, "Hydraulic pressure.", PARAGRAPH, False),
        (COSINES, 0.9, "Hydraulic pressure.", HEADING, False),
        (WORDS, 0.0, "Pressure.", PARAGRAPH, True),
        (WORDS, 0.9, "Nothing of it.", PARAGRAPH, False),
    ],
)
def test_a_result_with_a_span_on_the_subject_is_near_though_it_does_not_pass(
    model: LogisticModel, cosine: float, text: str, kind: int, near: bool
) -> None:
    candidates, [passage] = found((0.9, 1.0, 1), text=text)
    chunk = structs.replace(
        passage.chunk,
        spans=(Span(0, len(text), kind),),
        span_vectors=pack_rows(np.array([[cosine, 1.0]], np.float32)),
    )
    of_span = Passage(structs.replace(candidates[0], found=chunk), 1.0)
    gate = assess_answerability(
        candidates,
        [of_span],
        TERMS,
        replace(model, intercept=-100.0),
        settings(),
        question=np.array([1.0, 0.0], np.float32),
    )
    assert not gate.passed
    assert gate.near is near


def test_a_result_that_passes_is_near() -> None:
    gate = assess_answerability(
        *found((0.8, 5.0, 1), text="Nothing of it."), TERMS, WORDS, settings(gate="none")
    )
    assert gate.passed
    assert gate.near


@pytest.mark.parametrize(
    ("text", "is_cut", "passes"),
    [
        ("Replace the filter.", True, False),
        ("Hydraulic pressure.", True, True),
        ("Replace the filter.", False, True),
    ],
)
def test_a_part_without_a_word_of_the_question_is_no_answer(
    text: str, is_cut: bool, passes: bool
) -> None:
    candidates, [passage] = found((0.8, 5.0, 1), text=text)
    chunk = passage.chunk
    whole = structs.replace(chunk, end=chunk.end + 500 * is_cut)
    candidates = [structs.replace(candidates[0], found=whole)]
    gate = Gate(0.9, 0.65, describe_result(candidates, [passage], TERMS), passed=True)
    closed = close_unsaid(gate, candidates, [passage])
    assert closed.passed is passes
    assert (closed.probability > 0) is passes


@pytest.mark.parametrize(("asked", "passes"), [("gap", True), ("repeat gap", False)])
def test_an_entry_for_the_thing_passes_in_however_few_words(asked: str, passes: bool) -> None:
    candidates, passages = found((0.05, 0.0, 0))
    refused = assess_answerability(
        candidates, passages, TERMS, open_gate(), settings(gate_threshold=0.65)
    )
    chunk = passages[0].chunk
    entry = structs.replace(chunk, terms=chunk.terms | keys_of("gap <length>"))
    defining = [Passage(structs.replace(candidates[0], found=entry), 1.0)]
    keys = keys_asked(analyse_question(f"What is a {asked}?"))
    assert not pass_defined(refused, passages, [keys]).passed
    gate = pass_defined(refused, defining, [keys])
    assert gate.passed is passes
    assert (gate.probability >= gate.threshold) is passes
    # Of two things both need an entry.
    assert not pass_defined(refused, defining, [keys, frozenset({"other:"})]).passed


@pytest.mark.parametrize(
    ("asked", "passes"), [("employees", True), ("Our employees", False), ("salaries", False)]
)
def test_a_section_passes_whose_title_is_all_that_is_asked(asked: str, passes: bool) -> None:
    """As the topic of a page does: "What page discusses employees?"."""
    candidates, passages = found((0.05, 0.0, 0))
    refused = assess_answerability(
        candidates, passages, TERMS, open_gate(), settings(gate_threshold=0.65)
    )
    titled = structs.replace(passages[0].chunk, section_path=("Report", "Employees"))
    ranked = [Passage(structs.replace(candidates[0], found=titled), 1.0)]
    assert pass_titled(refused, ranked, asked).passed is passes


def test_the_threshold_itself_passes() -> None:
    candidates, passages = found((0.3, 1.0, 1))
    gate = assess_answerability(
        candidates, passages, TERMS, open_gate(), settings(gate_threshold=0.5)
    )
    assert gate.probability == pytest.approx(0.5)
    assert gate.passed


def test_features_say_what_the_passages_cover() -> None:
    features = describe_result(*found((0.8, 6.0, 1), (0.5, 2.0, 0)), TERMS)
    assert features["cosine_first"] == features["cosine_best"] == 0.8
    assert features["coverage_best"] == features["coverage_span"] == 0.75
    assert features["coverage_together"] == features["coverage_anywhere"] == 0.75
    assert features["bm25_margin"] == pytest.approx((6.0 - 8.0 / ASSESSED) / 7.0)


def test_a_term_covered_by_no_passage_lowers_every_coverage() -> None:
    everywhere = QuestionTerms(TERMS.weights, list(TERMS.weights))
    with_lidar = describe_result(
        *found((0.8, 1.0, 1), text="Hydraulic lidar pressure."), everywhere
    )
    without = describe_result(*found((0.8, 1.0, 1)), TERMS)
    for name in ("coverage_span", "coverage_best", "coverage_together", "coverage_anywhere"):
        assert without[name] < with_lidar[name]


def test_titles_count_for_the_sentences_below_them() -> None:
    chunk = make_chunk("It reaches 21 MPa.", path=("Hydraulic", "Pressure"))
    candidate = Candidate(chunk, 0.5, 1.0, 1, 1)
    features = describe_result([candidate], [Passage(candidate, 1.0)], TERMS)
    assert features["coverage_span"] == 0.75


def test_the_asked_for_counts_where_a_sentence_says_it_of_the_thing() -> None:
    asked = analyse_question("How much pressure has a hydraulic pump?", "en")
    saying = make_chunk("A hydraulic pump has 21 MPa of pressure.")
    telling = make_chunk("A hydraulic pump has pressure. 21 MPa.")
    without = make_chunk("A hydraulic pump has pressure.")
    said = [
        describe_result([one], [Passage(one, 1.0)], TERMS, asked)["coverage_said"]
        for one in (Candidate(chunk, 0.5, 1.0, 1, 1) for chunk in (saying, telling, without))
    ]
    assert said == [0.75, 0.75, 0.0]
    features = describe_result(*found((0.8, 6.0, 1)), TERMS)
    assert features["coverage_said"] == features["coverage_span"]


def test_a_reason_that_is_asked_for_counts_where_a_sentence_gives_one() -> None:
    asked = analyse_question("Warum ist die Pumpe im Winter geschlossen?", "de")
    for_what = analyse_question("Wozu dient die Pumpe im Winter?", "de")
    texts = (
        "Die Pumpe ist im Winter geschlossen, weil das Wasser gefriert.",
        "Das Wasser gefriert. Deshalb ist die Pumpe im Winter geschlossen.",
        "Die Pumpe ist im Winter geschlossen. Das Wasser ist kalt.",
    )
    terms = QuestionTerms({"pump": 1.0, "winter": 1.0})
    features = [
        [
            describe_result([one], [Passage(one, 1.0)], terms, question)
            for question in (asked, for_what)
        ]
        for one in (Candidate(make_chunk(text), 0.5, 1.0, 1, 1) for text in texts)
    ]
    assert [of_why["coverage_said"] > 0 for of_why, _ in features] == [True, True, False]
    assert all(of_what["coverage_said"] == of_what["coverage_span"] for _, of_what in features)


def test_passages_below_the_judged_ones_change_only_the_coverage_of_the_whole() -> None:
    candidates, passages = found(*[(0.5, 1.0, 0)] * (ASSESSED + 3))
    shorter = describe_result(candidates, passages[:ASSESSED], TERMS)
    assert describe_result(candidates, passages, TERMS) == shorter


def test_a_chunk_without_spans_is_described_too() -> None:
    chunk = make_chunk("Hydraulic.", spans=())
    candidate = Candidate(chunk, 0.5, 0.0, 1, 0)
    features = describe_result([candidate], [Passage(candidate, 1.0)], QuestionTerms({}))
    assert features["coverage_span"] == 0.0
    assert features["bm25_margin"] == 0.0


def raw(gate: str, threshold: float, low_score: str = "refuse", **scores: Any) -> Gate:
    candidates, passages = found(*scores.get("found", [(0.8, 5.0, 1), (0.6, 1.0, 2)]))
    changed = settings(gate=gate, gate_threshold=threshold, low_score=low_score)
    return assess_answerability(candidates, passages, TERMS, open_gate(), changed)


@pytest.mark.parametrize(
    ("gate", "number"), [("max_dense", 0.8), ("mean_dense", 0.7), ("none", 1.0)]
)
def test_a_raw_gate_reports_the_score_it_judges_by(gate: str, number: float) -> None:
    assert raw(gate, 0.5).probability == pytest.approx(number)


def test_the_greatest_cosine_passes_at_its_threshold_and_not_below() -> None:
    assert raw("max_dense", 0.8).passed
    assert not raw("max_dense", 0.81).passed


def test_the_best_fused_score_has_to_be_above_its_threshold() -> None:
    best = raw("fused", 0.0).probability
    assert not raw("fused", best).passed
    assert raw("fused", best - 0.001).passed


def test_a_low_mean_is_answered_with_a_disclaimer_where_the_profile_says_so() -> None:
    assert not raw("mean_dense", 0.75).passed
    low = raw("mean_dense", 0.75, "disclaim")
    assert (low.passed, low.disclaim) == (True, True)
    enough = raw("mean_dense", 0.65, "disclaim")
    assert (enough.passed, enough.disclaim) == (True, False)


def test_nothing_found_is_refused_whatever_the_profile_says() -> None:
    for gate in ("none", "mean_dense"):
        changed = settings(gate=gate, low_score="disclaim")
        assert not assess_answerability([], [], TERMS, open_gate(), changed).passed


def selected(question: str, text: str, nearest: float = 0.5) -> dict[str, float]:
    chunk = make_chunk(text, path=("Actuators",))
    passage = Passage(Candidate(chunk, 0.5, 1.0, 1, 1), 1.0)
    return describe_selection([passage], QuestionAnalysis(question), nearest)


def test_the_words_of_a_question_count_together_where_selected_text_has_them_near() -> None:
    near = selected("Which oil pressure?", "The oil has a pressure of 21 MPa.\nA.\nB.\nC.")
    apart = selected("Which oil pressure?", "Oil is stiff.\nA.\nB.\nThe pressure is high.")
    assert (near["coverage_near"], apart["coverage_near"]) == (1.0, 0.5)
    assert near["terms_missing"] == apart["terms_missing"] == 0.0


def test_a_word_counts_that_is_in_a_title_or_has_a_synonym_in_selected_text() -> None:
    features = selected("Who repairs an actuator?", "The fitter fixes the valve.")
    assert features["terms_missing"] == 0.0
    assert (
        selected("Who paints an actuator?", "The fitter fixes the valve.")["terms_missing"] == 1.0
    )


def test_a_deictic_question_passes_whatever_the_selected_text_has() -> None:
    features = selected("Zebra?", "The oil has a pressure of 21 MPa.", nearest=0.1)
    _, passages = found((0.1, 0.0, 0))
    never = settings(gate_threshold=0.99)
    gate = replace(open_gate(), features=("cosine_span",))
    assert not assess_selection(passages, features, gate, never, deictic=False).passed
    assert assess_selection(passages, features, gate, never, deictic=True).passed
    assert not assess_selection([], {}, gate, never, deictic=True).passed


@pytest.mark.parametrize(
    ("question", "is_passed"), [("Can I use it on a phone?", False), ("Is the oil hot?", True)]
)
def test_selected_text_without_a_word_of_whether_it_is_so_is_judged(
    question: str, *, is_passed: bool
) -> None:
    features = selected(question, "The oil has a pressure of 21 MPa.", nearest=0.1)
    _, passages = found((0.1, 0.0, 0))
    gate = replace(open_gate(), features=("cosine_span",))
    never = settings(gate_threshold=0.99)
    judged = assess_selection(passages, features, gate, never, deictic=True, yes_no=True)
    assert judged.passed == is_passed


@pytest.mark.parametrize(
    "question",
    [
        "What does option --log-file do?",
        "What does --log-file do?",
        "What does the --log-file flag do?",
        "What does the switch --log-file mean?",
        "What is the log-file argument?",
        "What is the parameter --log-file used for?",
        "What does the command-line option --log-file do?",
        "Explain the --log-file setting.",
    ],
)
def test_an_option_is_asked_for_with_or_without_what_it_is_called(question: str) -> None:
    assert keys_asked(analyse_question(question)) & keys_of("-l <path>, --log-file <path>")


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the --log-file option used for?"),
        ("de", "Was macht die Option --log-file?"),
        ("de", "Wozu dient der Schalter --log-file?"),
        ("fr", "À quoi sert l'option --log-file ?"),
        ("es", "¿Qué hace la opción --log-file?"),
        ("pt", "Para que serve a opção --log-file?"),
        ("ru", "Для чего нужен параметр --log-file?"),
        ("zh", "--log-file选项有什么作用？"),
        ("ja", "--log-file オプションは何をしますか？"),
        ("ko", "--log-file 옵션은 무엇을 합니까?"),
        ("ar", "ماذا يفعل الخيار --log-file؟"),
        ("hi", "--log-file विकल्प क्या करता है?"),
    ],
)
def test_an_option_is_asked_for_in_every_language(language: str, question: str) -> None:
    asked = analyse_question(question, language)
    assert keys_asked(asked) & keys_of("-l <path>, --log-file <path>")
    # Of what else does something no entry of a list need say it.
    plain = question.replace("--log-file", "Gustav")
    assert language in ("en", "zh") or not keys_asked(analyse_question(plain, language))


@pytest.mark.parametrize(
    "question", ["What is --log-file and --drain?", "Why does --log-file fail?", "What is a log?"]
)
def test_an_option_that_is_not_all_that_is_asked_for_is_not_looked_up(question: str) -> None:
    assert not keys_asked(analyse_question(question)) & keys_of("--log-file <path>")


def test_a_word_that_only_asks_is_none_that_selected_text_lacks() -> None:
    text = "Noll matches all that you pay."
    assert selected("How much does the company match?", text)["terms_missing"] == 0.0
    assert selected("How much does the brewer match?", text)["terms_missing"] == 1.0


def test_selected_text_that_has_all_words_of_a_question_together_passes() -> None:
    _, passages = found((0.1, 0.0, 0))
    never = settings(gate_threshold=0.99)
    gate = replace(open_gate(), features=("cosine_span",))

    def passes(question: str, text: str) -> bool:
        features = selected(question, text, nearest=0.1)
        return assess_selection(passages, features, gate, never, deictic=False).passed

    text = "A ceiling allows for more flexibility.\nA.\nB.\nThe pressure is high."
    assert passes("What allows flexibility?", text)
    assert not passes("What allows pressure?", text)
    assert not passes("What is flexibility?", text)
