"""Leave a book's own name out of a question: all of the book is of it, so that it tells nothing apart.

"How do I sync my calendar in Mutt?" is near every passage of Mutt's manual, and none of them says it.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from libs.budget import stages
from libs.errors import QuothError
from libs.language.entries import alternatives
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.about_book import main_title
from libs.question.analyse import QuestionAnalysis, reword_question
from libs.question.expected import AnswerKind
from libs.text import collapse_space, content_terms, words
from services.retrieval.state import ScopedQuery
from services.retrieval.vocabulary import Vocabulary

_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")
_OFTEN = 0.3
"""Share of the passages of its commonest word from which a word of the title is what the book is of."""

_LEAST_LETTERS = 5
"""Of a name that may be written apart: letters of a shorter one stand beside each other by chance."""

_LONGEST_S = 0.5
_FEW = 1
"""Words beside the name with which who or when is asked, that without the name are asked of nothing."""


def title_runs(title: str, lexicon: Lexicon) -> list[list[str]]:
    """Return the words of a title that may name its subject, those that stand together as one list.

    What says that it is a book ("user manual"), numbers and words of no meaning part them.
    """
    runs: list[list[str]] = [[]]
    for word in _WORD.findall(main_title(title)):
        if _is_plain(word, lexicon):
            runs[-1].append(word)
        else:
            runs.append([])
    return [run for run in runs if run]


def _is_plain(word: str, lexicon: Lexicon) -> bool:
    is_kind = lexicon.about_book.titled.fullmatch(word) is not None
    return not is_kind and not word.isdecimal() and word.lower() not in lexicon.stop_words


def list_names(
    title: str, vocabulary: Vocabulary, is_word: Callable[[str], bool] | None, lexicon: Lexicon
) -> Iterator[str]:
    """Yield what a book's subject is called by its title: several words of it, or one.

    One word is a name where its language has no such word, or where it is the commonest of the title
    and stands all over the book.
    """
    runs = title_runs(title, lexicon)
    for run in runs:
        for length in range(len(run), 1, -1):
            yield from (" ".join(run[at : at + length]) for at in range(len(run) - length + 1))
    single = [word for run in runs for word in run]
    counts = {word: vocabulary.counts.get(word.lower(), 0) for word in single}
    most = max(counts.values(), default=0)
    all_over = _OFTEN * max(vocabulary.counts.values(), default=0)
    for word in dict.fromkeys(single):
        is_name = is_word is not None and not is_word(word.lower())
        if is_name or (counts[word] == most and most >= all_over > 0):
            yield word


def omit_names(
    question: str, names: Sequence[str], lexicon: Lexicon, *, only_around: bool = False
) -> str:
    """Return a question with a pronoun for the name of the book's subject, or without "in Mutt".

    A name before another noun stays: users of Mutt are not Mutt. With `only_around` it is only left
    out where it says in what something is so.
    """
    rules, stop = lexicon.about_book, lexicon.stop_words
    if not names or not rules.pronoun:
        return question
    name = "|".join(map(_as_written, sorted(names, key=len, reverse=True)))
    # "D40-W" is another thing than "D40".
    named = rf"(?:\b(?:{alternatives(rules.articles)}) )?(?<![\w-])(?:{name})(?![\w-])"
    behind = rf"(?=\W*$|[,;:.!?)]| (?:{alternatives(stop)})\b)"
    if rules.possessive and not only_around:
        question = re.sub(rf"\b(?:{name})['’]s\b", rules.possessive, question, flags=re.IGNORECASE)
    forms = (
        (rf"[ ,]*\b(?:{alternatives(rules.around_name)}) {named}{behind}", ""),
        (rf"\b({alternatives(rules.before_name)}) {named}", rf"\1 {rules.pronoun}"),
        (rf"{named}{behind}", rules.pronoun),
    )
    for pattern, into in forms[:1] if only_around else forms:
        question = re.sub(pattern, into, question, flags=re.IGNORECASE)
    return collapse_space(question).strip(" ,")


def _as_written(name: str) -> str:
    """Return the pattern of a name in one word or several: "Tux Paint" of the book "tuxpaint"."""
    letters = _letters(name)
    if len(letters) < _LEAST_LETTERS:
        return re.escape(name)
    return r"[\s-]?".join(map(re.escape, letters))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def leave_out(analysis: QuestionAnalysis, names: Sequence[str]) -> QuestionAnalysis:
    """Return the analysis of the question without the names, where the rest asks something.

    It stays as it is where the subject of the book is itself what is explained or compared.
    """
    if analysis.about_book:
        return analysis
    own = {word for name in names for word in words(name)}
    if analysis.definiendum and own.issuperset(words(analysis.definiendum)):
        return analysis
    lexicon = load_lexicon(analysis.language)
    parts = [not own.isdisjoint(words(part.question)) for part in analysis.sub_questions]
    if any(parts) and not all(parts):
        return analysis
    compares = analysis.types.comparison or bool(parts)
    rest = omit_names(analysis.question, names, lexicon, only_around=compares)
    left = _count_terms(rest, lexicon)
    asks_who = analysis.expected.kind in (AnswerKind.PERSON, AnswerKind.DATE)
    if rest == analysis.question or left <= (_FEW if asks_who else 0):
        return analysis
    return reword_question(analysis, rest, rest)


def _count_terms(question: str, lexicon: Lexicon) -> int:
    """Return how many terms of a question say what it is about, in whichever language."""
    return len(frozenset(content_terms(question)) - lexicon.stop_words)


async def leave_book_out(asked: ScopedQuery) -> ScopedQuery:
    """Return the query without the book's name, or as it is where the book's words come too late."""
    if not _may_name_book(asked):
        return asked
    query, lexicon = asked.query, load_lexicon(asked.analysis.language)
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        try:
            async with asyncio.timeout(min(allowed_s / 2, _LONGEST_S)):
                vocabulary = await asked.tools.index.vocabulary(
                    query.book, query.edition, timeout_s=_LONGEST_S
                )
                known_words = asked.tools.words_of
                is_word = await known_words(asked.languages) if known_words else None
        except (TimeoutError, QuothError):
            return asked
    names = list(list_names(query.title, vocabulary, is_word, lexicon))
    analysis = leave_out(asked.analysis, names)
    if analysis is asked.analysis:
        return asked
    question = analysis.question
    query = replace(query, question=question)
    # "How much does it cost?" would be answered by any price of the book: of whom it is still counts.
    told = question if _count_terms(question, lexicon) > _FEW else ""
    return replace(asked, query=query, analysis=analysis, without_book=told)


def _may_name_book(asked: ScopedQuery) -> bool:
    """Whether a question has a word of the book's title, and is none about selected text."""
    if not asked.query.title or asked.selection is not None:
        return False
    lexicon = load_lexicon(asked.analysis.language)
    question = asked.query.question
    letters, spoken = _letters(question), frozenset(words(question))
    named = (_letters(word) for run in title_runs(asked.query.title, lexicon) for word in run)
    return any(one in (letters if len(one) >= _LEAST_LETTERS else spoken) for one in named)
