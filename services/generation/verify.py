"""A sentence of a draft in; the same with its proof, or what was wrong with it, out."""

from collections.abc import Sequence

from services.generation.cite import Citations
from services.generation.ground import examine, is_consistent, is_grounded
from services.generation.model import (
    Check,
    CheckKind,
    DraftSentence,
    Sentence,
    SentenceReleased,
    Withheld,
)


def check_sentence(
    draft: DraftSentence, citations: Citations, earlier: Sequence[Sentence]
) -> SentenceReleased | Withheld:
    """Make every check of one sentence, the cheapest first; `earlier` are those that passed before."""
    proofs, checks = citations.examine(draft)
    if proofs:
        whole = citations.widen(proofs)
        quotes, units = ([proof.quote for proof in cited] for cited in (proofs, whole))
        checks += examine(draft.text, quotes, units)
        if checks[-1].passed and not is_grounded(draft.text, quotes):
            proofs = whole  # the quotes alone are not all that the sentence says
    if checks[-1].passed:
        checks.append(_check_consistency(draft.text, checks[-1], earlier))
    if not checks[-1].passed:
        return Withheld(draft.text, tuple(checks))
    numbers, new = citations.issue(proofs)
    return SentenceReleased(Sentence(draft.text, tuple(numbers), tuple(checks)), new)


def _check_consistency(text: str, last: Check, earlier: Sequence[Sentence]) -> Check:
    # What the book says in so many words, it may say against itself.
    if last.kind is CheckKind.WORDING:
        return Check(CheckKind.CONSISTENCY, True, "the book's own sentence")
    agrees = is_consistent(text, [sentence.text for sentence in earlier])
    reason = "as the sentences before" if agrees else "says otherwise than a sentence before"
    return Check(CheckKind.CONSISTENCY, agrees, reason)
