"""Generate questions, in the book's own words, from the passages found for one that was refused."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from libs.language.lexicon import Lexicon, load_lexicon
from libs.language.phrasing import Phrasing
from libs.text import QUESTION_MARKS, terms, words
from services.generation.model import BlockKind, Gate, Passage
from services.generation.suggestions.phrasing import QuestionWriter

_MOST_TRIED = 6
_MOST_OF_A_PASSAGE = 2
_NEAR = 0.1
"""Share of the gate's threshold from which a question is near the book."""

_LEAST_SAID = 2
"""Terms of a question that says more than a word."""

_SPOKEN = 0.1
"""Share of function words from which a text is English: lists of it have .15, German .05."""

_UNSPOKEN = {BlockKind.HEADING, BlockKind.CODE, BlockKind.MATH}
"""What is written in letters of its own."""

_NUMBERING = re.compile(r"^\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[A-Z](?:\.\d{1,3})+\.?)\s+")

_LISTED = {BlockKind.LIST_ITEM, BlockKind.TABLE}


def generate_questions(passages: Sequence[Passage], asked: str, language: str = "") -> list[str]:
    """Return at most six questions, not yet known to be answered, the nearest to `asked` first.

    Each passage gives what its title asks and what its sentences define, give a reason for or a way
    to. Of questions as near, "What is safety?" comes after those that say more; then the order of
    finding decides. Where nothing is known of the book's `language`, only titles that ask give one;
    "" does not say, and is English where the passages look so.
    """
    wanted = set(terms(asked))
    known = {frozenset(wanted)}
    questions: list[str] = []
    for question in _generated(passages, language):
        key = frozenset(terms(question.replace("’", "'")))
        if key and key not in known:
            known.add(key)
            questions.append(question)
    questions.sort(key=lambda question: _dullness(set(terms(question)), wanted))
    return questions[:_MOST_TRIED]


def _dullness(said: set[str], wanted: set[str]) -> tuple[int, bool]:
    return -len(wanted & said), len(said) < _LEAST_SAID


def is_near(gate: Gate) -> bool:
    """Whether the book speaks at least of something like what was asked."""
    return gate.probability >= _NEAR * gate.threshold


def _generated(passages: Sequence[Passage], language: str) -> Iterator[str]:
    """Yield what the titles ask and, behind each, what the sentences below it do."""
    spoken = [
        [passage.text_of(span) for span in passage.spans if span.kind not in _UNSPOKEN]
        for passage in passages
    ]
    text = "\n".join(span for spans in spoken for span in spans)
    lexicon = load_lexicon(language)
    phrased = lexicon.phrasing != Phrasing() and (language or _is_in(lexicon, text))
    writer = QuestionWriter(text, lexicon)
    for passage, spans in zip(passages, spoken, strict=True):
        path = passage.locator.section_path
        if not phrased:
            yield from (
                _NUMBERING.sub("", title, count=1)
                for title in path[-1:]
                if title.endswith(QUESTION_MARKS)
            )
            continue
        lists = sum(span.kind in _LISTED for span in passage.spans) > 1
        yield writer.ask_of_title(path, lists=lists)
        yield from islice(filter(None, map(writer.ask_of_sentence, spans)), _MOST_OF_A_PASSAGE)


def _is_in(lexicon: Lexicon, text: str) -> bool:
    """Whether a text of unknown language is in this one."""
    spoken = words(text)
    return sum(word in lexicon.stop_words for word in spoken) >= _SPOKEN * len(spoken)
