"""The embedded verifier: a small model of how a sentence's words stand to those of its proof."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from libs.ml import load_model
from libs.text import sentence_ranges
from services.generation.checks.alignment import read_alignment
from services.generation.checks.copies import is_altered_copy
from services.generation.checks.facts import surroundings
from services.generation.model import Statement
from services.generation.transcript import Judgement

COEFFICIENTS = Path(__file__).with_name("alignment.json")


class WordsVerifier:
    """Judges by words alone; needs neither a language model nor a network.

    Raises SettingsError when its coefficients can't be used.
    """

    name = "words"

    def __init__(self, coefficients: Path = COEFFICIENTS) -> None:
        self._model = load_model(coefficients)
        self.threshold = self._model.threshold

    async def verify(
        self,
        statements: Sequence[Statement],
        allowed_s: float,  # noqa: ARG002 - it takes two milliseconds a statement
    ) -> Sequence[Judgement]:
        return [Judgement(self._judge(statement)) for statement in statements]

    def _judge(self, statement: Statement) -> float:
        """Return what the least likely of its sentences has; nothing for an altered copy."""
        text = statement.text
        parts = [replace(statement, text=text[start:end]) for start, end in sentence_ranges(text)]
        return min(map(self._judge_one, parts or [statement]))

    def _judge_one(self, statement: Statement) -> float:
        if is_altered_copy(statement.text, surroundings(statement), statement.language):
            return 0.0
        return self._model.probability(read_alignment(statement))
