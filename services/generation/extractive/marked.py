"""Tell where marked text says nothing of what a question that points at it asks for.

"Who keeps it?" can be asked of any sentence, so that the gate lets it pass for every one.
"""

from collections.abc import Sequence
from dataclasses import replace

from libs.language.entries import Words
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.added import speaks_of
from libs.question.attributes import asked_attribute, is_of_life
from libs.question.expected import AnswerKind, holds_answer
from libs.question.said import asked_words
from libs.text import words
from services.generation.extractive.lead import LedAnswer, is_selected, with_intro
from services.generation.extractive.places import Place
from services.generation.model import Prompt

_VALUES = (AnswerKind.PERSON, AnswerKind.PLACE, AnswerKind.DATE, AnswerKind.QUANTITY)


def lead_of_mark(prompt: Prompt, answer: LedAnswer) -> LedAnswer:
    """Return the answer as it is, or with the marked sentence that says what is asked of the mark.

    Nothing leads where a value is asked of marked text and none of its sentences has one of that kind.
    """
    if not _lacks_value(prompt, answer.lead):
        return answer
    marked = (one.item for one in answer.ranked if is_selected(prompt.selection, one.item))
    leads = (with_intro(item) for item in sorted(marked, key=lambda item: item.key))
    return replace(answer, lead=next((one for one in leads if not _lacks_value(prompt, one)), []))


def _lacks_value(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether a value is asked of marked text, and `lead` has none of its kind, or in other money.

    Where no value is required, a word of the question may stand for it; an age, and what else a life
    tells, has to be spoken of.
    """
    analysis = prompt.analysis
    expected, question = analysis.expected, analysis.question
    if prompt.selection is None or not analysis.deictic or expected.kind not in _VALUES:
        return False
    lexicon = load_lexicon(analysis.language)
    told = "\n".join(prompt.passages[one.source - 1].text_of(one.span) for one in lead)
    is_quantity = expected.kind is AnswerKind.QUANTITY
    attribute = asked_attribute(question, lexicon, is_quantity=is_quantity)
    if attribute and is_of_life(attribute, lexicon) and not attribute.said.search(told):
        return True
    if _is_other_money(question, told, lexicon):
        return True
    if holds_answer(expected, told, lexicon):
        return False
    asked = asked_words(question, lexicon)
    return expected.required or not speaks_of(asked, told, lexicon, analysis.language)


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
