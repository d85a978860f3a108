"""Find the line of a record that is labelled with what a question asks for.

"Which GPU does a g5.2xlarge have?" is answered by "GPU: …" some lines below "Instance: g5.2xlarge": no
line names both, and the one that names the thing does not answer.
"""

import re
from collections.abc import Sequence

from libs.question.expected import AnswerKind
from libs.question.said import asked_words
from libs.question.synonyms import are_said
from libs.text import words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.places import Place, place_of
from services.generation.extractive.sought import words_that_ask
from services.generation.model import BlockKind

_LABEL = re.compile(r"\A\W*([^\W\d_][^:：\n|]{0,40}?)\s?[:：]\s+\S")
_LABEL_WORDS = 3
_ASKED_LAST = re.compile(r"\s[–—-]\s(?:\w+\s)?([^\W\d_]+)\W*\Z")
"""What a question asks for behind a dash: "Error 17 - cause?"."""

_REACH = 6
"""Spans of a record between what it is of and one of its lines."""

_AMONG = 16
"""Likeliest spans of which one is the line."""

_OF_ONE_LINE = (AnswerKind.ANY, AnswerKind.QUANTITY, AnswerKind.DATE, AnswerKind.CAUSE)


def find_labelled(asked: Asked, fit: Sequence[Ranked]) -> list[Place]:
    """Return the line labelled with what is asked, and the one of its record that says of what.

    The record says, with its title, all else of the question; where the title does alone, the line
    stands alone. None where the likeliest span has what is asked for itself.
    """
    question, lexicon = asked.analysis.question, asked.lexicon
    last = _ASKED_LAST.search(question)
    attribute = last[1] if last else asked.analysis.expected.attribute
    wanted = asked_words(attribute, lexicon)
    if not wanted or not asked.expects(*_OF_ONE_LINE) or _has(asked, wanted, fit[0].item.text):
        return []
    asking = wanted.union(*words_that_ask(asked.analysis.expected, question, lexicon))
    rest = asked_words(question, lexicon) - asking - lexicon.expected.light
    lines = (one.item for one in fit[:_AMONG] if _is_labelled(asked, wanted, one.item))
    records = ((one, _record_of(asked, rest, one)) for one in lines if rest)
    line, at = next(((line, at) for line, at in records if at is not None), (None, 0))
    if line is None:
        return []
    return [place_of(line), *((place_of(line, at, at),) if at != line.index else ())]


def _is_labelled(asked: Asked, wanted: frozenset[str], item: CandidateSpan) -> bool:
    """Whether the span begins with a label that says just what is wanted."""
    found = _LABEL.match(item.text) if item.span.kind is not BlockKind.TABLE else None
    label = words(found[1]) if found else []
    if not 0 < len(label) <= _LABEL_WORDS or not _has(asked, wanted, " ".join(label)):
        return False
    return _has(asked, asked_words(" ".join(label), asked.lexicon), " ".join(wanted))


def _record_of(asked: Asked, rest: frozenset[str], item: CandidateSpan) -> int | None:
    """Return which span near it under one title says all of `rest`; itself, where its title does."""
    spans, passage = item.passage.spans, item.passage
    first, last = item.index, item.index + 1
    while first and first > item.index - _REACH and spans[first - 1].kind is not BlockKind.HEADING:
        first -= 1
    while last < min(len(spans), item.index + _REACH) and spans[last].kind is not BlockKind.HEADING:
        last += 1
    near = sorted(range(first, last), key=lambda at: abs(at - item.index))
    texts = ((at, f"{item.heading}\n{passage.text_of(spans[at])}") for at in near)
    return next((at for at, text in texts if _has(asked, rest, text)), None)


def _has(asked: Asked, wanted: frozenset[str], text: str) -> bool:
    return are_said(wanted, text, asked.lexicon, asked.analysis.language)
