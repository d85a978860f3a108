"""Tell where what leads is no answer to a follow-up: the evidence of the question before it again.

It is searched for with that question, so that what answered it stands first whatever is asked now.
"""

from collections.abc import Sequence

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.added import speaks_of, words_added
from libs.question.expected import AnswerKind
from libs.question.said import share_of_words
from libs.text import collapse_space
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.features import Asked
from services.generation.extractive.places import JOINED_CHARACTERS, Place, place_of
from services.generation.model import BlockKind, Prompt, Role

_OF_WHAT_WAS_SAID = 0.5
"""Share of the words of the last question, or of its answer, that a reason for it has."""

_ANSWER_WORDS = 25
"""Of the last answer: what leads it."""


def without_shown(asked: Asked, items: Sequence[CandidateSpan]) -> list[CandidateSpan]:
    """Return the spans that the answers of the conversation did not show."""
    return [one for one in items if _shown_as(one) not in asked.said]


def goes_on(prompt: Prompt) -> bool:
    """Whether a follow-up wants no more than what comes next: "And then?", "What else?"."""
    further = load_lexicon(prompt.analysis.language).follow_ups.further
    return prompt.analysis.follow_up and further.fullmatch(prompt.follow_up) is not None


def what_comes_next(asked: Asked, items: Sequence[CandidateSpan]) -> list[Place]:
    """Return what stands behind what led the last answer, in its passage; [] where nothing does.

    Of a list it is all that is left, of prose one sentence.
    """
    shown = [(at, one) for one in items if (at := asked.said.find(_shown_as(one))) >= 0]
    if not shown:
        return []
    _, led = min(shown, key=_place_in)
    behind = [one for one in items if one.passage is led.passage and one.index > led.index]
    left = without_shown(asked, behind)
    if not left:
        return []
    first, last = left[0], left[0]
    for one in left[1:]:
        is_next = one.index == last.index + 1 and one.span.kind is BlockKind.LIST_ITEM
        if not is_next or first.span.kind is not BlockKind.LIST_ITEM:
            break
        last = one
    whole = place_of(first, first.index, last.index)
    return [whole if whole.length <= JOINED_CHARACTERS else place_of(first)]


def _place_in(found: tuple[int, CandidateSpan]) -> int:
    return found[0]


def _shown_as(item: CandidateSpan) -> str:
    return collapse_space(item.text)


def repeats_answer(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether `lead` was shown before and has no word of what the follow-up asks, or no reason for it.

    A quantity asked for by what it measures needs no such word: "How many litres does it hold?"
    """
    analysis, lexicon = prompt.analysis, load_lexicon(prompt.analysis.language)
    if not (analysis.follow_up and prompt.follow_up):
        return False
    added = words_added(prompt.follow_up, analysis.question, lexicon)
    told = [_text_at(prompt, one) for one in lead]
    if not added:
        is_why = analysis.expected.kind is AnswerKind.CAUSE
        return is_why and not _tells_why(prompt, "\n".join(told), lexicon)
    if analysis.expected.dimensions or not _was_shown(prompt, lead):
        return False
    return not any(speaks_of(added, text, lexicon, analysis.language) for text in told)


def tells_what_is_added(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether what leads has a word of what the follow-up itself asks."""
    analysis, lexicon = prompt.analysis, load_lexicon(prompt.analysis.language)
    added = words_added(prompt.follow_up, analysis.question, lexicon)
    told = "\n".join(_text_at(prompt, one) for one in lead)
    return bool(added) and speaks_of(added, told, lexicon, analysis.language)


def _was_shown(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether the last answer had all that leads."""
    said = {message.role: message.content for message in prompt.history}
    answer = collapse_space(said.get(Role.ASSISTANT, ""))
    shown = (prompt.passages[one.source - 1].text_of(one.span) for one in lead)
    return all(collapse_space(text) in answer for text in shown)


def _tells_why(prompt: Prompt, told: str, lexicon: Lexicon) -> bool:
    """Whether what leads has words of a reason, and speaks of what was asked or answered last."""
    rules = (lexicon.reasons.given, lexicon.values.cause)
    known = [rule for rule in rules if rule is not OFF]
    if known and not any(rule.search(told) for rule in known):
        return False
    said = {message.role: message.content for message in prompt.history}
    answer = " ".join(said.get(Role.ASSISTANT, "").split()[:_ANSWER_WORDS])
    return any(
        share_of_words(text, told, lexicon) >= _OF_WHAT_WAS_SAID
        for text in (said.get(Role.USER, ""), answer)
        if text
    )


def _text_at(prompt: Prompt, place: Place) -> str:
    """Return what stands there, with the titles and the header over it."""
    passage = prompt.passages[place.source - 1]
    over = (*passage.locator.section_path, passage.table_header)
    return "\n".join((*over, passage.text_of(place.span)))
