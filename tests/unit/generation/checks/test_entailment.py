"""Support is a probability that falls with every word the cited text does not have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.ml import load_model
from services.generation.checks.entailment import (
    COEFFICIENTS,
    FEATURES,
    read_features,
    support,
    support_of_claim,
)

CITED = (
    "A hydraulic actuator turns the pressure of a fluid into force. It holds 21 MPa.\n"
    "An electric motor is cleaner."
)


def test_sentences_of_the_evidence_are_supported_and_others_are_not() -> None:
    assert support("A hydraulic actuator turns pressure into force.", CITED) > 0.5
    assert support("Penguins live in Antarctica and swim well.", CITED) < 0.1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("An electric motor is cleaner.", "An electric motor is quieter."),
        ("It holds 21 MPa.", "It holds 35 MPa."),
        ("An electric motor is cleaner.", "I think an electric motor is cleaner."),
        ("An electric motor is cleaner.", "Cleaner is a motor that electric."),
        ("A hydraulic actuator holds 21 MPa.", "A Bosch actuator holds 21 MPa."),
    ],
)
def test_each_difference_from_the_evidence_lowers_the_entailment_score(
    better: str, worse: str
) -> None:
    assert support(better, CITED) > support(worse, CITED)


def test_a_claim_is_supported_as_far_as_all_its_sentences_are() -> None:
    true, false = "It holds 21 MPa.", "Penguins swim in cold water."
    assert support_of_claim(f"{true} {false}", CITED) <= support_of_claim(false, CITED)


@given(sentence=st.text(max_size=60), cited=st.text(max_size=60))
def test_any_text_has_a_support_between_0_and_1(sentence: str, cited: str) -> None:
    assert 0.0 <= support(sentence, cited) <= 1.0
    assert read_features(sentence, cited).keys() == set(FEATURES)


@pytest.mark.parametrize("answer", ["Yes!", "Sure, absolutely.", "It does."])
def test_a_sentence_that_only_answers_or_greets_needs_no_support(answer: str) -> None:
    true = "An electric motor is cleaner."
    assert support_of_claim(f"{answer} {true}", CITED) == support(true, CITED)


@pytest.mark.parametrize("said", ["I know an electric motor", "You know an electric motor"])
def test_the_writer_speaking_is_told_from_the_book_speaking(said: str) -> None:
    sentence = f"{said} is cleaner."
    assert support(sentence, sentence) > support(sentence, CITED)
    assert not read_features(sentence, sentence)["speaks_of_self"]
    assert not read_features(sentence, sentence)["speaks_to_reader"]


@pytest.mark.parametrize("text", ["Over 235,000 saw it.", "Over 235, 000 saw it."])
def test_a_number_is_known_wherever_the_text_has_it_and_however_it_is_cut(text: str) -> None:
    cited = f"{text}\nNothing here.\nNor here."
    assert read_features("235,000 saw it.", cited)["numbers_missing"] == 0.0
    assert read_features("235,100 saw it.", cited)["numbers_missing"] == 0.5


@pytest.mark.parametrize("way", ["unseen", "unseen_file"])
@pytest.mark.parametrize("figure", ["auc", "f1"])
def test_the_coefficients_beat_the_coverage_of_terms_and_of_words_on_every_set(
    way: str, figure: str
) -> None:
    shipped = load_model(COEFFICIENTS)
    assert shipped.features == FEATURES
    measured = shipped.measured
    start = f"coverage_of_terms_{figure}_"
    sets = [name.removeprefix(start) for name in measured if name.startswith(start)]
    assert len(sets) >= 4
    for name in sets:
        for plain in ("coverage_of_terms", "coverage_of_words"):
            assert measured[f"{way}_{figure}_{name}"] > measured[f"{plain}_{figure}_{name}"]
    assert measured[f"{way}_auc"] >= 0.85
