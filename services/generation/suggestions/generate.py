"""Generate questions, in the book's own words, from the passages found for one that was refused."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from libs.language.detect import detect_script
from libs.language.lexicon import Lexicon, load_lexicon
from libs.language.phrasing import Phrasing
from libs.text import QUESTION_MARKS, collapse_space, terms, words
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


@dataclass(frozen=True)
class Made:
    """A question, and the passage that it was made from."""

    text: str
    passage: Passage


def generate_questions(
    passages: Sequence[Passage],
    asked: str,
    language: str = "",
    languages: Sequence[str] = (),
    *,
    spoken: str = "",
    title: str = "",
) -> list[Made]:
    """Return at most six questions, not yet known to be answered, the nearest to `asked` first.

    Each passage gives what its title asks and what its sentences define, give a reason for or a way
    to. Of questions as near, "What is safety?" comes after those that say more; then the order of
    finding decides. Each is in the language of its passage, which is the book's `language`, or one of
    `languages` where it has several. Where nothing is known of that, only titles that ask give one;
    "" does not say, and is English where the passages look so. With `spoken` passages in another of
    the languages give none.
    """
    wanted = set(terms(asked))
    known = {frozenset(wanted)}
    questions: list[Made] = []
    for made in _generated(passages, language, languages, spoken, title):
        key = frozenset(terms(made.text.replace("’", "'")))
        if key and key not in known:
            known.add(key)
            questions.append(made)
    questions.sort(key=lambda made: _dullness(set(terms(made.text)), wanted))
    return questions[:_MOST_TRIED]


def _dullness(said: set[str], wanted: set[str]) -> tuple[int, bool]:
    return -len(wanted & said), len(said) < _LEAST_SAID


def is_near(gate: Gate) -> bool:
    """Whether the book speaks at least of something like what was asked."""
    return gate.probability >= _NEAR * gate.threshold


def _generated(
    passages: Sequence[Passage],
    language: str,
    languages: Sequence[str],
    spoken_in: str,
    title: str,
) -> Iterator[Made]:
    """Yield what the titles ask and, behind each, what the sentences below it do."""
    spoken = [
        [passage.text_of(span) for span in passage.spans if span.kind not in _UNSPOKEN]
        for passage in passages
    ]
    codes = [_spoken_in("\n".join(spans), language, languages) for spans in spoken]
    writers = {code: _write_in(code, codes, spoken) for code in set(codes)}
    for passage, spans, code in zip(passages, spoken, codes, strict=True):
        if spoken_in and code != spoken_in:
            continue
        path, writer = _path_in_book(passage, title), writers[code]
        if writer is None:
            yield from (
                Made(_NUMBERING.sub("", title, count=1), passage)
                for title in path[-1:]
                if title.endswith(QUESTION_MARKS)
            )
            continue
        if not writer.asks_of(path):
            continue
        lists = sum(span.kind in _LISTED for span in passage.spans) > 1
        yield Made(writer.ask_of_title(path, lists=lists), passage)
        told = islice(filter(None, map(writer.ask_of_sentence, spans)), _MOST_OF_A_PASSAGE)
        yield from (Made(question, passage) for question in told)


def _path_in_book(passage: Passage, title: str) -> tuple[str, ...]:
    """Return the titles over the passage without the book's own."""
    path = passage.locator.section_path
    return path[1:] if path and collapse_space(path[0]) == collapse_space(title) else path


def _write_in(
    code: str, codes: Sequence[str], spoken: Sequence[Sequence[str]]
) -> QuestionWriter | None:
    """Return what writes questions of the passages in a language; None where nothing is known of it."""
    own = [
        span for spans, other in zip(spoken, codes, strict=True) if other == code for span in spans
    ]
    text, lexicon = "\n".join(own), load_lexicon(code)
    if lexicon.phrasing == Phrasing() or not (code or _speaks(lexicon, text) >= _SPOKEN):
        return None
    return QuestionWriter(text, lexicon)


def _spoken_in(text: str, language: str, languages: Sequence[str]) -> str:
    """Return which of a book's languages a passage is in, by its script or its function words."""
    if len(languages) < 2:
        return language
    script = detect_script(text)
    if script:
        return script if script in languages else language
    shares = {code: _speaks(load_lexicon(code), text) for code in languages}
    best = max(shares, key=lambda code: (shares[code], code == language))
    return best if shares[best] else language


def _speaks(lexicon: Lexicon, text: str) -> float:
    """Return the share of a text's words that are function words of the language."""
    said = words(text)
    return sum(word in lexicon.stop_words for word in said) / max(1, len(said))
