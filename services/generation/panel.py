"""Ask the verifiers that are on whether a sentence's proof says what the sentence says."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from libs.errors import QuothError
from services.generation.model import Check, CheckKind, Statement
from services.generation.ports import Verifier
from services.generation.transcript import NO_USAGE, Judgement, Usage

VERIFIER_LATE = "verifier_late"


@dataclass(frozen=True)
class Verdict:
    """The least probability that a verifier gave, and whether each gave enough.

    `late`: for one of them the stand-in spoke. `model` took `usage` tokens for it; "" is none.
    """

    probability: float
    passed: bool
    late: bool = False
    model: str = ""
    usage: Usage = NO_USAGE

    def to_check(self) -> Check:
        return Check(CheckKind.ENTAILMENT, self.passed, f"{self.probability:.2f} of 1")


class Panel:
    """The verifiers that are on; the strictest decides.

    `stand_in` speaks for one that is late or broken, at its own threshold. It must need no network.
    """

    def __init__(self, verifiers: Sequence[Verifier], stand_in: Verifier) -> None:
        self._verifiers = verifiers
        self._stand_in = stand_in

    async def judge(self, statement: Statement, allowed_s: float) -> Verdict:
        """Return the verdict within `allowed_s` seconds; never raises for a verifier that fails."""
        heard = await asyncio.gather(
            *(self._ask(verifier, statement, allowed_s) for verifier in self._verifiers)
        )
        judged = [judgement for judgement, _, _ in heard]
        return Verdict(
            min(judgement.probability for judgement in judged),
            all(judgement.probability >= threshold for judgement, threshold, _ in heard),
            any(late for _, _, late in heard),
            next((judgement.model for judgement in judged if judgement.model), ""),
            sum((judgement.usage for judgement in judged), Usage()),
        )

    async def _ask(
        self, verifier: Verifier, statement: Statement, allowed_s: float
    ) -> tuple[Judgement, float, bool]:
        """Return the judgement, the threshold and whether the stand-in spoke."""
        try:
            async with asyncio.timeout(allowed_s):
                [judgement] = await verifier.verify([statement], allowed_s)
        except (QuothError, TimeoutError):
            [judgement] = await self._stand_in.verify([statement], allowed_s)
            return judgement, self._stand_in.threshold, True
        return judgement, verifier.threshold, False
