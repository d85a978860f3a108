"""What a verifier costs is measured on sentences that it is asked about."""

import pytest

from libs.tokens import TokenCounter
from tests.benchmarks import measure_verifiers
from tests.benchmarks.figures import Figures
from tests.support.generation_fakes import FakeVerifier


async def test_the_verifier_is_asked_about_most_of_what_the_model_writes(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    asked = FakeVerifier()
    counter = TokenCounter(tmp_path_factory.getbasetemp() / "cache")
    drafts = measure_verifiers._drafts()[:20]
    for drafted in drafts:
        await measure_verifiers._answer(drafted, asked, counter)
    assert len(asked.asked) >= len(drafts) * measure_verifiers.SENTENCES / 2


def test_each_verifier_and_none_has_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_verifiers, "ANSWERS", 2)
    figures = Figures()
    measure_verifiers.measure_verifiers(figures)
    assert set(figures.all()) == {
        f"verifier.{name}.answer.{of}"
        for name in ("none", "words", "model", "nli")
        for of in ("p50", "cpu")
    }
