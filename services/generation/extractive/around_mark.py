"""Find the sentence beside a mark that says what is asked of it, where the mark itself does not.

Who marks "The strike price is set in the agreement." and asks "When is it paid?" may read on: the next
sentence says so. It has the words of the question that the mark has not, and a value of the kind asked
for; what merely stands near is no answer.
"""

from collections.abc import Sequence

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind, ExpectedAnswer, holds_answer
from libs.question.said import has_form_of, is_one_of, words_in, words_told
from libs.question.synonyms import forms_of, said_of
from services.generation.extractive.candidates import CandidateSpan, list_candidates
from services.generation.extractive.sought import words_that_ask
from services.generation.model import BlockKind, Passage, Selection

_BEFORE, _BEHIND = 2, 4
"""Sentences beside the mark that are read."""

_ENOUGH = 2
"""Words of a question that, all said, tell it answered without a value of the kind asked for."""

_VALUES = (AnswerKind.PERSON, AnswerKind.PLACE, AnswerKind.DATE, AnswerKind.QUANTITY)
_IN_SEVERAL = (AnswerKind.CAUSE, AnswerKind.COMPARISON, AnswerKind.CODE)
"""Kinds of questions that other rules answer: by a reason, by both sides, by a listing."""

_TOLD = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.ADMONITION, BlockKind.QUOTE)


def has_beside(
    analysis: QuestionAnalysis, passages: Sequence[Passage], selection: Selection
) -> bool:
    """Whether a sentence beside the mark says what is asked and the mark does not say."""
    items = list_candidates(passages, analysis.language)
    return find_beside(analysis, items, selection) is not None


def find_beside(
    analysis: QuestionAnalysis, items: Sequence[CandidateSpan], selection: Selection
) -> CandidateSpan | None:
    """Return the sentence beside the mark that says what the mark lacks of the question.

    Of several it is the one that says most of the question's words, of these the nearest.
    """
    if analysis.expected.kind in _IN_SEVERAL or analysis.sub_questions or analysis.follow_up:
        return None
    lexicon = load_lexicon(analysis.language)
    found = [
        (len(said), -away, -item.index, item)
        for item in items
        if (away := _distance(item, selection))
        and (said := _said_beside(analysis, item, selection, lexicon))
    ]
    return max(found, key=lambda one: one[:-1])[-1] if found else None


def _said_beside(
    analysis: QuestionAnalysis, item: CandidateSpan, selection: Selection, lexicon: Lexicon
) -> frozenset[str]:
    """Return the words of the question that a sentence says; none where it leaves it unanswered."""
    expected = analysis.expected
    is_value = expected.kind in _VALUES
    holds = is_value and _holds(expected, item.text, lexicon)
    asked = _words_asked(analysis, lexicon)
    if holds:
        asked = asked.difference(*words_that_ask(expected, analysis.question, lexicon))
    marked = _text_marked(item.passage, selection)
    held = words_in(item.text)
    said = frozenset(one for one in asked if has_form_of(one, held, lexicon))
    missing = asked - said_of(asked, marked, lexicon, analysis.language)
    if holds and not _holds(expected, marked, lexicon):
        missing = asked
    if not missing or not missing <= said:
        return frozenset()
    # One word is said by chance, where no value proves it and more is marked than a sentence.
    needed = _ENOUGH if is_value or "\n" in marked else 1
    is_told = holds or (not expected.required and len(said) >= needed)
    return said if is_told else frozenset()


def _holds(expected: ExpectedAnswer, text: str, lexicon: Lexicon) -> bool:
    """Whether a text has a value of the kind asked for; "when" asks for a condition, too."""
    condition = lexicon.checks.scope.condition
    is_met = expected.kind is AnswerKind.DATE and condition.search(text) is not None
    return is_met or holds_answer(expected, text, lexicon)


def _words_asked(analysis: QuestionAnalysis, lexicon: Lexicon) -> frozenset[str]:
    rules = lexicon.selections
    light = lexicon.expected.light | lexicon.checks.support.light | rules.unsaid
    told = frozenset(
        one
        for one in words_told(analysis.question, lexicon)
        if light.isdisjoint(forms_of(one, lexicon)) and not is_one_of(one, light, lexicon)
    )
    # "Explain this text" wants no text said.
    wants_value = analysis.expected.kind in _VALUES
    return told if wants_value or not told <= rules.bare else frozenset()


def _text_marked(passage: Passage, selection: Selection) -> str:
    document = passage.locator.document
    return "\n".join(
        passage.text_of(span)
        for span in passage.spans
        if selection.touches(document, span.start, span.end)
    )


def _distance(item: CandidateSpan, selection: Selection) -> int:
    """Return how many sentences from the mark one stands, no title between; 0 if too far or marked."""
    document, spans = item.passage.locator.document, item.passage.spans
    marked = [
        at for at, span in enumerate(spans) if selection.touches(document, span.start, span.end)
    ]
    if not marked or item.index in marked or item.span.kind not in _TOLD:
        return 0
    first, last = marked[0], marked[-1]
    before, behind = first - item.index, item.index - last
    between = spans[item.index : first] if before > 0 else spans[last + 1 : item.index]
    if any(span.kind is BlockKind.HEADING for span in between):
        return 0
    return max(before, behind) if before <= _BEFORE and behind <= _BEHIND else 0
