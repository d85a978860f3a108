"""Tell where a book says that something is so, and nowhere why.

"Why were the hedges cut down?" is not answered by when they were or by whom, for how much, nor by the
reason for something else.
"""

from collections.abc import Sequence

from libs.question.expected import AnswerKind
from libs.question.said import asked_words, mask_asked, share_of_words
from libs.question.synonyms import is_said
from libs.text import is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.model import BlockKind

_MOST = 0.6
"""Share of the question's words from which a sentence with a date or a sum only says that."""

_REPEATED = 1
"""Words that a sentence has at most beside those of a question that it only repeats."""


def is_unexplained(asked: Asked, fit: Sequence[Ranked], first: CandidateSpan) -> bool:
    """Whether `first`, the likeliest span, gives no reason for what the question wants one for.

    It only repeats that it is so, or another span does and `first`, away from that, says less of it.
    """
    if not asked.expects(AnswerKind.CAUSE):
        return False
    if _only_repeats(asked, first, first.text) or _only_dates(asked, first):
        return True
    if asked.lexicon.expected.because.search(asked.analysis.question) is None:
        return False
    if _says_all(asked, first.text) and _gives_reason(asked, first):
        return False
    told = (one.item for one in fit if one.item.span.kind is BlockKind.PARAGRAPH)
    repeating = [item for item in told if _only_repeats(asked, item, _with_title(item))]
    near = any(_is_beside(first, item) for item in repeating)
    return bool(repeating) and not (near and _gives_reason(asked, first))


def _only_repeats(asked: Asked, item: CandidateSpan, text: str) -> bool:
    """Whether `text` of the span says just that it is so, and neither it nor what is beside it why."""
    if any(map(asked.lexicon.values.cause.search, item.around)) or not _says_all(asked, text):
        return False
    masked = mask_asked(asked.analysis.question, item.text, asked.lexicon)
    return len(asked_words(masked, asked.lexicon)) <= _REPEATED


def _only_dates(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span says when or for how much it was, by whom, and no more; nor what is beside it.

    What it followed may be its reason: "renewed after a storm".
    """
    lexicon, language = asked.lexicon, asked.analysis.language
    rules, text = lexicon.values, item.text
    told = rules.date.sub(" ", lexicon.prices.amount.sub(" ", text))
    rest = rules.number.sub(" ", told)
    if rest == text or rules.followed.search(text) or any(map(rules.cause.search, item.around)):
        return False
    wanted, said = asked_words(asked.analysis.question, lexicon), frozenset(words(text))
    if any(map(is_unspaced, wanted)) or rules.cause.search(text):
        return False
    held = [one for one in wanted if is_said(one, said, lexicon, language)]
    if not wanted or len(held) < _MOST * len(wanted):
        return False
    more = asked_words(lexicon.names.capital.sub(" ", rest), lexicon)
    beside = [one for one in more if not is_said(one, wanted, lexicon, language)]
    return len(beside) <= _REPEATED


def _says_all(asked: Asked, text: str) -> bool:
    return share_of_words(asked.analysis.question, text, asked.lexicon) == 1.0


def _gives_reason(asked: Asked, item: CandidateSpan) -> bool:
    return asked.lexicon.values.cause.search(item.text) is not None


def _with_title(item: CandidateSpan) -> str:
    return f"{item.heading}\n{item.text}"


def _is_beside(one: CandidateSpan, other: CandidateSpan) -> bool:
    return one.passage is other.passage and abs(one.index - other.index) <= 1
