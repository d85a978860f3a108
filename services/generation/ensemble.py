"""Ask all enabled verifiers whether the quotations entail a sentence."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from libs.errors import QuothError
from services.generation.model import Check, CheckKind, Statement
from services.generation.ports import Verifier
from services.generation.transcript import NO_USAGE, Judgement, Usage

VERIFIER_LATE = "verifier_late"


@dataclass(frozen=True)
class EnsembleVerdict:
    """The least probability of the verifiers, and whether every threshold was reached.

    `late`: the fallback verifier was used for one. `model` took `usage` tokens; "" is no model.
    """

    probability: float
    passed: bool
    late: bool = False
    model: str = ""
    usage: Usage = NO_USAGE

    def to_check(self) -> Check:
        return Check(CheckKind.ENTAILMENT, self.passed, f"{self.probability:.2f} of 1")


class VerifierEnsemble:
    """The enabled verifiers; the strictest decides.

    `fallback` replaces one that is late or fails, at its own threshold. It must need no network.
    """

    def __init__(self, verifiers: Sequence[Verifier], fallback: Verifier) -> None:
        self._verifiers = verifiers
        self._fallback = fallback

    async def judge(self, statement: Statement, allowed_s: float) -> EnsembleVerdict:
        """Return the verdict within `allowed_s` seconds; never raises for a verifier that fails."""
        heard = await asyncio.gather(
            *(self._ask(verifier, statement, allowed_s) for verifier in self._verifiers)
        )
        judged = [judgement for judgement, _, _ in heard]
        return EnsembleVerdict(
            min(judgement.probability for judgement in judged),
            all(judgement.probability >= threshold for judgement, threshold, _ in heard),
            any(late for _, _, late in heard),
            next((judgement.model for judgement in judged if judgement.model), ""),
            sum((judgement.usage for judgement in judged), Usage()),
        )

    async def _ask(
        self, verifier: Verifier, statement: Statement, allowed_s: float
    ) -> tuple[Judgement, float, bool]:
        """Return the judgement, the threshold and whether the fallback verifier was used."""
        try:
            async with asyncio.timeout(allowed_s):
                [judgement] = await verifier.verify([statement], allowed_s)
        except (QuothError, TimeoutError):
            [judgement] = await self._fallback.verify([statement], allowed_s)
            return judgement, self._fallback.threshold, True
        return judgement, verifier.threshold, False
