"""What the checks cost is measured on both kinds of sentences, each new to its passages."""

from itertools import pairwise

from tests.benchmarks import measure_checks
from tests.benchmarks.figures import Figures


def test_true_and_bent_sentences_are_measured() -> None:
    figures = Figures()
    measure_checks.measure_checks(figures)
    assert set(figures.all()) == {
        f"checks.{kind}.{of}" for kind in ("true", "bent") for of in ("p50", "p95", "max")
    }
    assert all(figure.median > 0 for figure in figures.all().values())


def test_passages_are_as_long_as_those_of_any_profile_and_change_from_sentence_to_sentence() -> (
    None
):
    drafts = measure_checks._drafts()
    assert len(drafts) == measure_checks.SENTENCES
    assert all(len(passages) == measure_checks.PASSAGES for _, _, passages in drafts)
    assert min(len(passage.text) for _, _, found in drafts for passage in found) >= 4000
    same = sum(one[2] == other[2] for one, other in pairwise(drafts))
    assert same < len(drafts) / 4
