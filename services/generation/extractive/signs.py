"""Put first what names the key or the option that does what a question says.

"Which key toggles soft wrapping?" is answered by what names a key; of the entries of a manual that do,
by one that says soft wrapping, in its text or in what it is an entry for.
"""

from libs.question.said import asked_words
from libs.question.synonyms import is_said
from libs.text import is_question, is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.model import BlockKind

_LIKELY = 0.02
"""Share of the best span's odds from which an entry leads: many of a manual are alike."""

_LEAST = 0.5
"""Share of the question's words that an entry has to say at least."""


def naming_sign_first(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the spans with the one first that names such a sign and says most of what it does.

    In their order where no sign is asked for, or none of the likely spans says half of that.
    """
    question = asked.analysis.question
    signs = [one for one in asked.lexicon.signs.values() if one.asked.search(question)]
    if len(signs) != 1 or not fit:
        return fit
    wanted = asked_words(signs[0].asked.sub(" ", question), asked.lexicon)
    if not wanted or any(map(is_unspaced, wanted)):
        return fit
    least = _LIKELY * fit[0].odds
    named = [
        one for one in fit if one.odds >= least and signs[0].said.search(_entry_with(one.item))
    ]
    shares = [_rate(asked, wanted, one.item) for one in named]
    best = max(shares, default=(0.0, False))
    if best[0] < _LEAST:
        return fit
    first = named[shares.index(best)]
    return [first, *(one for one in fit if one is not first)]


def _rate(asked: Asked, wanted: frozenset[str], item: CandidateSpan) -> tuple[float, bool]:
    """Return the share of `wanted` that an entry says, and whether one of it is its very name."""
    said = frozenset(words(_entry_with(item)))
    held = [one for one in wanted if is_said(one, said, asked.lexicon, asked.analysis.language)]
    names = (line.strip(" -").lower() for line in item.intro_text.splitlines())
    return len(held) / len(wanted), any(name in wanted for name in names)


def _entry_with(item: CandidateSpan) -> str:
    if item.span.kind is BlockKind.TABLE:
        return item.text
    # What stands under a question answers it, whatever of its words it has.
    asked = item.heading if is_question(item.heading) else ""
    return f"{asked}\n{item.intro_text}\n{item.text}"
