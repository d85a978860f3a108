"""Tell where a book says that something is so, and nowhere why.

"Why were the hedges cut down?" is not answered by when they were or by whom, for how much, nor by the
reason for something else. What says that they were has to say a cause, a purpose or what it prevents,
or the sentence behind it has to; in other words than the question's it may be a reason by itself.
"""

import re
from collections.abc import Sequence

from libs.language.entries import OFF
from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import share_of_words, words_in
from libs.question.synonyms import is_said
from libs.table_rows import cells_of
from libs.text import is_unspaced, words
from services.generation.extractive.candidates import (
    CandidateSpan,
    Ranked,
    list_candidates,
)
from services.generation.extractive.features import Asked, ask_of
from services.generation.extractive.places import Place, follow_each_other, place_of
from services.generation.model import BlockKind, Passage

_ALL_BUT = 0.75
"""Share of the question's words from which a sentence says that it is so."""


_FACT_WORDS = 4
"""Words up to which a question says what it wants a reason for in no others."""

_CLAUSE_WORDS = 3
"""Words from which on what a sign tells apart may give one."""

_CELL_WORDS = 5
"""Words from which on the cell of a table may give a reason."""

_APART = re.compile(r"[;:.!?]\s|\s[–—-]\s|—")


def has_reason_for(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a sentence of the passages says all that a question takes for granted, and why."""
    if question.expected.kind is not AnswerKind.CAUSE or question.sub_questions:
        return False
    rules = load_lexicon(question.language).reasons
    if rules.given is OFF or rules.asked.search(question.question) is None:
        return False
    items = list_candidates(passages, question.language)
    asked = ask_of(question, items)
    return any(says_all_and_why(asked, one) for one in items)


def says_all_and_why(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a sentence says all that the question takes for granted, and why it is so."""
    rules = asked.lexicon.reasons
    if rules.given is OFF or rules.asked.search(asked.analysis.question) is None:
        return False
    if item.span.kind is not BlockKind.PARAGRAPH:
        return False
    if _share_of_fact(asked, item) == 1.0:
        return explains(asked, item)
    # What only goes on with the sentence before, "they are stamped", need be no reason for that.
    leaning = _share_of_fact(asked, item, with_before=True) == 1.0
    return leaning and (_marks_reason(asked, item) or _tells_after(asked, item))


def explains(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span says why something is so, or the one behind it says why it is."""
    return _gives_reason(asked, item) or _tells_after(asked, item)


def with_reason(asked: Asked, item: CandidateSpan) -> list[Place]:
    """Return the span with the reason that stands behind it or before it, in one piece; [] for none.

    Behind it stands why what the span only says is so, with what that goes on with; before it what a
    "therefore" points to.
    """
    if not asked.expects(AnswerKind.CAUSE):
        return []
    if _is_told_behind(asked, item):
        first = item.index - 1 if _before(item, asked) else item.index
        return [place_of(item, first, item.index + 1)]
    first = _first_pointed_to(asked, item)
    return [place_of(item, first)] if first < item.index else []


def _first_pointed_to(asked: Asked, item: CandidateSpan) -> int:
    """Return the sentence that those up to the span point back to, one to the other; else the span."""
    passage, at = item.passage, item.index
    points_back = asked.lexicon.reasons.points_back
    while at and follow_each_other(passage, at - 1):
        if points_back.search(passage.text_of(passage.spans[at]).strip()) is None:
            break
        at -= 1
    return at


def _is_told_behind(asked: Asked, item: CandidateSpan) -> bool:
    if _share_of_fact(asked, item, with_before=True) < _ALL_BUT:
        return False
    if _gives_reason(asked, item) or not _tells_after(asked, item):
        return False
    return follow_each_other(item.passage, item.index)


def explaining_first(asked: Asked, fit: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return the spans with the one first that says it all and why, if the likeliest says no reason.

    A listing gives none.
    """
    if not fit or not asked.expects(AnswerKind.CAUSE):
        return fit
    fit = [one for one in fit if one.item.span.kind is not BlockKind.CODE] or fit
    if not is_unexplained(asked, fit[0].item):
        return fit
    whole = [one for one in fit if says_all_and_why(asked, one.item)][:1]
    return [*whole, *(one for one in fit if one not in whole)]


def is_unexplained(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a reason is asked for and the span gives none, or none for just that."""
    rules = asked.lexicon.reasons
    if rules.given is OFF or rules.asked.search(asked.analysis.question) is None:
        return False
    if not asked.expects(AnswerKind.CAUSE):
        return False
    is_bare = _says_fact(asked, item) and not explains(asked, item)
    return is_bare or _is_of_nothing_said(asked, item)


def _is_of_nothing_said(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span gives no reason, and nothing in its section says what one is wanted for.

    "Why is the north tower empty?" is not answered by who built it, where no sentence has it empty.
    """
    lexicon, wanted = asked.lexicon, asked.words
    if len(wanted) > _FACT_WORDS or any(map(is_unspaced, wanted)) or _gives_reason(asked, item):
        return False
    # Why she ran aground, which the sentence behind tells, is not why she was sold.
    if _says_fact(asked, item) and _tells_after(asked, item):
        return False
    said = frozenset(words(f"{item.passage.text}\n{item.titles_text}"))
    return not all(is_said(one, said, lexicon, asked.analysis.language) for one in wanted)


def _says_fact(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span says nearly all of the question's words; of a row its header does too."""
    return _share_of_fact(asked, item) >= _ALL_BUT


def _share_of_fact(asked: Asked, item: CandidateSpan, *, with_before: bool = False) -> float:
    """Return the share of the question's words, in [0, 1], that the span says in whatever form.

    A row says what its header does.
    """
    lexicon, language = asked.lexicon, asked.analysis.language
    wanted = asked.words
    is_row = item.span.kind is BlockKind.TABLE
    before = _before(item, asked) if with_before and not is_row else ""
    over = item.intro_text if is_row else before
    said = words_in(f"{item.text}\n{over}")
    if is_row:
        wanted -= lexicon.prices.words | lexicon.expected.light
    if not wanted or any(map(is_unspaced, wanted)):
        return 0.0
    return sum(is_said(one, said, lexicon, language) for one in wanted) / len(wanted)


def _before(item: CandidateSpan, asked: Asked) -> str:
    """Return the sentence before the span where that goes on with its subject; "" elsewhere.

    "It has no bell, since that was lost" says of the church why it has none.
    """
    lexicon, first = asked.lexicon, frozenset(words(item.text)[:1])
    clauses = lexicon.checks.clauses
    leans = not clauses.pronouns.isdisjoint(first)
    leans = leans or (lexicon.values.drops_subject and clauses.articles.isdisjoint(first))
    if not leans or not item.index or not follow_each_other(item.passage, item.index - 1):
        return ""
    return item.passage.text_of(item.passage.spans[item.index - 1])


def _gives_reason(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span has words of a reason that are not the question's, or a row a cell of many."""
    given = asked.lexicon.reasons.given
    if given is OFF:
        return asked.lexicon.values.cause.search(item.text) is not None
    if item.span.kind is BlockKind.TABLE:
        return any(len(words(cell)) >= _CELL_WORDS for cell in cells_of(item.text))
    return _marks_reason(asked, item) or _has_clause_apart(asked, item)


def _begins_fault(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span begins a paragraph below "Troubleshooting", which goes on with why it is so."""
    titles = f"{item.heading}\n{item.titles_text}"
    begins = not item.index or not follow_each_other(item.passage, item.index - 1)
    goes_on = follow_each_other(item.passage, item.index)
    return begins and goes_on and asked.lexicon.reasons.faults.search(titles) is not None


def _marks_reason(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span has words of a reason that the question has not."""
    rules = asked.lexicon.reasons
    question = rules.asked.sub(" ", asked.analysis.question).lower()
    in_question = {found[0].lower() for found in rules.given.finditer(question)}
    return any(found[0].lower() not in in_question for found in rules.given.finditer(item.text))


def _has_clause_apart(asked: Asked, item: CandidateSpan) -> bool:
    """Whether a clause of the span, told apart by a sign, says something else than the question.

    "The mitre is filed by hand; a machine leaves a burr." What stands behind a colon after all that is
    asked may speak of it: "The gate is not safe: whoever leans on the gate falls in."
    """
    clauses = _APART.split(item.text)
    shares = [share_of_words(asked.analysis.question, one, asked.lexicon) for one in clauses]
    before, _, behind = item.text.partition(": ")
    is_told = len(words(behind)) >= _CELL_WORDS
    if is_told and share_of_words(asked.analysis.question, before, asked.lexicon) == 1.0:
        return True
    return any(
        not share and len(words(one)) >= _CLAUSE_WORDS
        for one, share in zip(clauses, shares, strict=True)
    )


def _tells_after(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the sentence behind the span gives the reason for what it says.

    It says what would be otherwise, or it speaks of what the span says, by a pronoun, and of a reason.
    """
    rules, passage, at = asked.lexicon.reasons, item.passage, item.index + 1
    if at >= len(passage.spans) or item.span.kind is BlockKind.TABLE:
        return False
    text = passage.text_of(passage.spans[at])
    if _begins_fault(asked, item):
        return True
    # "The bed is of stone; mud would wash away" gives the reason for the stone.
    if rules.told_after.search(_APART.split(text)[0]) is not None:
        return follow_each_other(passage, item.index)
    leans = not asked.lexicon.checks.clauses.pronouns.isdisjoint(words(text)[:1])
    leans = leans or item.rules.leans.match(text) is not None
    return leans and asked.lexicon.values.cause.search(text) is not None
