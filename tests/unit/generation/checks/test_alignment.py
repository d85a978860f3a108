"""Each way in which words stand otherwise than in the proof shows in its feature."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.ml import load_model
from services.generation.checks.alignment import FEATURES, read_alignment
from services.generation.checks.words_verifier import COEFFICIENTS
from services.generation.model import Statement

QUOTE = "Launch arguments configure the launch process, node parameters configure the nodes."
PASSAGE = f"{QUOTE} Both stand in a file. Nothing else does not matter to the Zephyr."


def read(text: str, *quotes: str, question: str = "") -> dict[str, float]:
    quotes = quotes or (QUOTE,)
    return read_alignment(Statement(text, quotes, (PASSAGE,), ("Starting",), question))


@pytest.mark.parametrize(
    ("feature", "better", "worse"),
    [
        ("known", QUOTE, "Penguins configure the launch process."),
        ("known_near", "Node parameters configure nodes.", "Node parameters stand in a file."),
        ("known_in_one", QUOTE, "The process has arguments for launching it."),
        ("bound", "Node parameters exist.", "Node arguments exist."),
        ("clause_least", "Node parameters configure nodes.", "Launch parameters configure nodes."),
        (
            "in_order",
            "Node parameters configure the nodes.",
            "The nodes configure node parameters.",
        ),
    ],
)
def test_a_feature_that_speaks_for_a_sentence_is_lower_for_a_worse_one(
    feature: str, better: str, worse: str
) -> None:
    assert read(better)[feature] > read(worse)[feature]


@pytest.mark.parametrize(
    ("feature", "better", "worse"),
    [
        ("rare_missing", QUOTE, "Launch arguments configure the penguin."),
        ("longest_gap", QUOTE, "Launch arguments feed hungry penguins."),
        ("turned", "Arguments configure the process.", "The process configures arguments."),
        ("names_far", "The launch has arguments.", "The Zephyr has arguments."),
        ("names_missing", "The launch has arguments.", "The Bosch has arguments."),
        ("negation", QUOTE, "Launch arguments do not configure the launch process."),
        ("poles", "The nodes are configured.", "The larger nodes are configured."),
    ],
)
def test_a_feature_that_speaks_against_a_sentence_is_higher_for_a_worse_one(
    feature: str, better: str, worse: str
) -> None:
    assert read(worse)[feature] > read(better)[feature]


def test_words_that_changed_places_between_clauses_are_crossed() -> None:
    quote = "The saw is red, the axe is blue."
    assert read("The axe is blue, the saw red.", quote)["crossed"] == 0
    assert read("The saw is blue, the axe red.", quote)["crossed"] > 0


def test_a_negation_that_the_sentence_drops_counts() -> None:
    quote = "The pump does not tolerate dirt."
    assert read("The pump tolerates dirt.", quote)["affirmed_denied"] > 0
    assert read("The pump does not tolerate dirt.", quote)["affirmed_denied"] == 0


def test_a_cell_belongs_to_its_row_and_its_column() -> None:
    table = "Tool | Price | Mass\nSaw | 20 | 3\nAxe | 30 | 4"
    assert read("The axe has a price of 30.", table)["bound"] > 0.9
    assert read("The axe: 30.", table)["bound"] > read("The axe: 20.", table)["bound"]


def test_words_of_one_meaning_are_one_word() -> None:
    near = read("They purchased the pump.", "They bought the pump.")
    assert near["known_near"] == 1.0
    assert all(len(line) > 1 for line in load_lexicon("").checks.support.synonyms)


def test_a_name_that_the_reader_said_is_not_held_against_a_sentence() -> None:
    assert read("The Bosch has nodes.", question="And the Bosch?")["names_missing"] == 0


def test_the_coefficients_are_of_these_features_and_count_the_way_they_mean() -> None:
    model = load_model(COEFFICIENTS)
    assert model.features == FEATURES
    speak_for = {
        "known",
        "known_near",
        "known_in_one",
        "bound",
        "clause_least",
        "length",
        "in_order",
    }
    for name, coefficient in zip(model.features, model.coefficients, strict=True):
        assert coefficient >= 0 if name in speak_for else coefficient <= 0
    assert 0 < model.threshold < 1
