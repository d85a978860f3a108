"""Tell where marked text says nothing of what is asked about it.

"Who keeps it?" can be asked of any sentence, so that the gate lets it pass for every one. And all of a
marked paragraph is near a question about its thing: "Is the kiln insured?" is answered by no sentence
on the kiln that has not that word.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from libs.language.entries import OFF, Words
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.added import speaks_of
from libs.question.attributes import asked_attribute, is_of_life
from libs.question.expected import AnswerKind, Dimension, holds_answer
from libs.question.said import asked_words, is_one_of, words_told
from libs.question.synonyms import forms_of, said_of
from libs.text import is_unspaced, words
from services.generation.extractive.around_mark import find_beside
from services.generation.extractive.beside_mark import is_selected
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.intro import with_intro
from services.generation.extractive.lead import LedAnswer
from services.generation.extractive.places import Place, place_of
from services.generation.extractive.sought import words_that_ask
from services.generation.model import Passage, Prompt, Selection

_CLITIC = re.compile(r"\w{1,2}['’]\w")

_SPARED = 4
"""Words of a question of which one may be missing: "depends on" for "is proportional to"."""

_SENTENCE = 6
"""Words of marked text from which it is no mere word or two."""

_ALL_SAID = (AnswerKind.PERSON, AnswerKind.YES_NO)
"""Kinds of questions of which the very words have to be there: who bought a thing did not make it."""

_OF_SEVERAL = (AnswerKind.COMPARISON, AnswerKind.CODE)

_VALUES = (AnswerKind.PERSON, AnswerKind.PLACE, AnswerKind.DATE, AnswerKind.QUANTITY)


def lead_of_mark(prompt: Prompt, answer: LedAnswer) -> LedAnswer:
    """Return the answer as it is, or with the marked sentence that says what is asked of the mark.

    Nothing leads where a value is asked of marked text and none of its sentences has one of that kind;
    what is said beside it and not by it comes first.
    """
    if (beside := _beside(prompt, answer)) is not None:
        return replace(answer, lead=with_intro(beside))
    if _lacks_words(prompt, answer):
        return replace(answer, lead=[])
    answer = replace(answer, lead=_within_mark(prompt, answer))
    if not _lacks_value(prompt, answer.lead):
        return answer
    marked = (one.item for one in answer.ranked if is_selected(prompt.selection, one.item))
    leads = (with_intro(item) for item in sorted(marked, key=lambda item: item.key))
    lead = next((one for one in leads if not _lacks_value(prompt, one)), [])
    return replace(answer, lead=_within_mark(prompt, replace(answer, lead=lead)) if lead else [])


def _beside(prompt: Prompt, answer: LedAnswer) -> CandidateSpan | None:
    """Return what a sentence beside the mark says of what is asked and the mark does not say."""
    if prompt.selection is None or prompt.explain is not None:
        return None
    items = [one.item for one in answer.ranked]
    return find_beside(prompt.analysis, items, prompt.selection)


def _within_mark(prompt: Prompt, answer: LedAnswer) -> Sequence[Place]:
    """Return what leads without what the reader did not mark, or a marked sentence in its place.

    What marked text leans on stands before it on the page; of a word or two it is what explains them.
    The sentence is the likeliest of those that say most of the question's words.
    """
    selection = prompt.selection
    if selection is None or not _text_marked(prompt, selection):
        return answer.lead
    own = [cut for one in answer.lead if (cut := _cut_to_mark(prompt, selection, one))]
    marked = [one.item for one in answer.ranked if is_selected(selection, one.item)]
    if own or not marked or prompt.analysis.deictic:
        return own or answer.lead
    lexicon, language = answer.asked.lexicon, prompt.analysis.language
    asked = words_told(prompt.analysis.question, lexicon)
    said = [said_of(asked, one.text, lexicon, language) for one in marked]
    most = max(said, key=len)
    may_lead = most == asked or _asks_of_one(prompt)
    return [place_of(marked[said.index(most)])] if may_lead else answer.lead


def _cut_to_mark(prompt: Prompt, selection: Selection, place: Place) -> Place | None:
    """Return a place without the sentences before the marked ones; None where none is marked."""
    marked = [
        span
        for span in prompt.passages[place.source - 1].spans
        if place.span.start <= span.start and span.end <= place.span.end
        if selection.touches(place.document, span.start, span.end)
    ]
    if not marked:
        return None
    return replace(place, span=replace(place.span, start=marked[0].start))


def _lacks_words(prompt: Prompt, answer: LedAnswer) -> bool:
    """Whether marked text has too few of the words of a question that does not point at it."""
    analysis, selection, lexicon = prompt.analysis, prompt.selection, answer.asked.lexicon
    if selection is None or analysis.deictic or not _asks_of_one(prompt):
        return False
    told = _text_marked(prompt, selection)
    if not told:
        return False  # What explains a word or two stands around them.
    asked = _words_to_be_said(prompt, told, lexicon)
    things = [one for one in map(words, analysis.question.split()) if not asked.isdisjoint(one)]
    if not things or any(map(is_unspaced, asked)):
        return False
    if analysis.types.yes_no:
        # "Still unknown" says whether it is known.
        turned = lexicon.claims.reversing
        told = "\n".join((told, *(turned.sub("", one) for one in words(told))))
    said = said_of(asked, told, lexicon, analysis.language)
    missing = [one for one in things if said.isdisjoint(one)]
    if analysis.types.yes_no or analysis.expected.kind in _ALL_SAID:
        return bool(missing)
    return len(missing) * _SPARED > len(things)


def _text_marked(prompt: Prompt, selection: Selection) -> str:
    """Return the sentences that are marked, with their titles; "" where a word or two are."""
    if selection.start < 0:
        # Its letters are others in the book: of formulas, for one.
        return selection.text if len(words(selection.text)) >= _SENTENCE else ""
    own = [one for one in prompt.passages if one.locator.document == selection.document]
    marked = [
        (passage, span)
        for passage in own
        for span in passage.spans
        if selection.touches(selection.document, span.start, span.end)
    ]
    is_whole = any(selection.covers(selection.document, span.start, span.end) for _, span in marked)
    text = selection.text or _text_of_range(selection, own)
    if not is_whole and len(words(text)) < _SENTENCE:
        return ""
    titles = (title for passage, _ in marked for title in passage.locator.section_path)
    return "\n".join((text, *titles, *(one.text_of(span) for one, span in marked)))


def _text_of_range(selection: Selection, own: Sequence[Passage]) -> str:
    """Return what the passages of its document have of a selection that is a range alone."""
    return max(
        (
            one.text[max(0, selection.start - start) : max(0, selection.end - start)]
            for one in own
            for start in (one.locator.start,)
        ),
        key=len,
        default="",
    )


def _asks_of_one(prompt: Prompt) -> bool:
    """Whether one thing is asked, and no reason: that often stands behind it, in other words."""
    analysis = prompt.analysis
    if prompt.explain is not None or analysis.sub_questions or analysis.follow_up:
        return False
    return not analysis.types.reason and analysis.expected.kind not in _OF_SEVERAL


def _words_to_be_said(prompt: Prompt, told: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of a question but for those that ask for a value that is `told`, or which."""
    expected, question = prompt.analysis.expected, prompt.analysis.question
    asking = frozenset[str]()
    if holds_answer(expected, told, lexicon):
        asking = asking.union(*words_that_ask(expected, question, lexicon))
    if expected.kind is AnswerKind.LIST:
        asking = asking.union(words(expected.attribute))
    light = lexicon.expected.light | lexicon.checks.support.light | lexicon.selections.unsaid
    return frozenset(
        one
        for one in words_told(question, lexicon) - asking
        if light.isdisjoint(forms_of(one, lexicon)) and not is_one_of(one, light, lexicon)
        # "Qui l'a créé ?" asks with a pronoun, and of no thing.
        if not _CLITIC.fullmatch(one)
    )


def _lacks_value(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether a value is asked of marked text, and `lead` has none of its kind, or in other money.

    Where no value is required, a word of the question may stand for it; an age, and what else a life
    tells, has to be spoken of.
    """
    analysis = prompt.analysis
    expected, question = analysis.expected, analysis.question
    if prompt.selection is None or expected.kind not in _VALUES:
        return False
    lexicon = load_lexicon(analysis.language)
    told = "\n".join(prompt.passages[one.source - 1].text_of(one.span) for one in lead)
    year = lexicon.values.year
    if Dimension.COUNT in expected.dimensions and year is not OFF:
        told = year.sub(" ", told)  # "In 1891 by workers" counts none.
    if not analysis.deictic:
        whole = _asks_of_one(prompt) and _text_marked(prompt, prompt.selection)
        return bool(whole) and expected.required and not holds_answer(expected, told, lexicon)
    is_quantity = expected.kind is AnswerKind.QUANTITY
    attribute = asked_attribute(question, lexicon, is_quantity=is_quantity)
    if attribute and is_of_life(attribute, lexicon) and not attribute.said.search(told):
        return True
    if _lacks_price(prompt, told, lexicon) or _is_other_money(question, told, lexicon):
        return True
    if holds_answer(expected, told, lexicon):
        return False
    asked = asked_words(question, lexicon)
    return expected.required or not speaks_of(asked, told, lexicon, analysis.language)


def _lacks_price(prompt: Prompt, told: str, lexicon: Lexicon) -> bool:
    """Whether it is asked what is paid, and neither money nor a word for paying is told."""
    prices, asked = lexicon.prices.words, words(prompt.analysis.question)
    if prompt.analysis.expected.kind is not AnswerKind.QUANTITY or prices.isdisjoint(asked):
        return False
    return prices.isdisjoint(words(told)) and lexicon.prices.amount.search(told) is None


def _is_other_money(question: str, told: str, lexicon: Lexicon) -> bool:
    """Whether the question names a money and the text only another."""
    wanted, given = (_monies_in(text, lexicon) for text in (question, told))
    return bool(wanted and given) and wanted.isdisjoint(given)


def _monies_in(text: str, lexicon: Lexicon) -> frozenset[str]:
    def is_named(names: Words) -> bool:
        spoken = frozenset(words(text))
        return any(
            one.lower() in spoken if one[-1].isalnum() else one in text for one in names if one
        )

    monies = lexicon.prices.currencies
    return frozenset(name for name, names in monies.items() if is_named(names))
