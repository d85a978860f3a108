"""Ask all enabled verifiers whether the quotations entail a sentence."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from libs.errors import QuothError
from services.generation.model import Check, CheckKind, Statement
from services.generation.ports import UnusableVerdictError, Verifier
from services.generation.transcript import NO_USAGE, Judgement, Usage

VERIFIER_LATE = "verifier_late"
VERIFIER_UNUSABLE = "verifier_unusable"
"""Why the fallback verifier judged: another was late or broken, or what it said was no verdict."""


@dataclass(frozen=True)
class EnsembleVerdict:
    """The least probability of the verifiers, and whether every threshold was reached.

    `degraded` says why the fallback verifier was used, if it was. `model` took `usage` tokens, for
    nothing where its verdict was unusable; "" is no model.
    """

    probability: float
    passed: bool
    degraded: frozenset[str] = frozenset()
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
            frozenset(trouble for _, _, trouble in heard if trouble),
            next((judgement.model for judgement in judged if judgement.model), ""),
            sum((judgement.usage for judgement in judged), Usage()),
        )

    async def _ask(
        self, verifier: Verifier, statement: Statement, allowed_s: float
    ) -> tuple[Judgement, float, str]:
        """Return the judgement, its threshold, and why it is the fallback's, "" if it is not."""
        try:
            async with asyncio.timeout(allowed_s):
                [judgement] = await verifier.verify([statement], allowed_s)
        except UnusableVerdictError as error:
            [judgement] = await self._fallback.verify([statement], allowed_s)
            judgement = replace(judgement, model=error.model, usage=error.usage)
            return judgement, self._fallback.threshold, VERIFIER_UNUSABLE
        except (QuothError, TimeoutError):
            [judgement] = await self._fallback.verify([statement], allowed_s)
            return judgement, self._fallback.threshold, VERIFIER_LATE
        return judgement, verifier.threshold, ""
