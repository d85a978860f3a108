"""Keep what stands where the very thing is named that a value is asked of.

"How many eggs does a flesh fly lay?" is not answered in a section on the blowfly, nor what a pistol of
9 mm does by what any firearm does.
"""

from collections.abc import Sequence

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon
from libs.question.entities import list_capitalised
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, without_elision
from libs.table_rows import cells_of
from libs.text import words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.sought import says_all
from services.generation.model import BlockKind

_OF_A_THING = (AnswerKind.ANY, AnswerKind.DATE, AnswerKind.DEFINITION, AnswerKind.QUANTITY)


_MOST_WORDS = 4
"""Of a thing; what has more is described rather than named."""


def naming_thing(asked: Asked, fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans whose passage, with its titles, has all words for what is asked about."""
    spans = list(fit)
    if asked.selection is not None or asked.own:
        return spans
    if wanted := _thing_of(asked):
        naming = [one for one in spans if _tells_of(asked, wanted, one.item)]
        if not naming and (_is_name(asked, wanted) or _is_partly_named(asked, wanted, spans)):
            return []
        # Of a measure "on the fan" the measure has to be named as well, which is seen later.
        is_measure = asked.lexicon.expected.of_thing.search(asked.analysis.question) is not None
        return spans if is_measure else naming or spans
    return spans


def _is_name(asked: Asked, thing: frozenset[str]) -> bool:
    """Whether it is a name of its own, for which there is no other: "Lucilia sericata"."""
    names = words(" ".join(list_capitalised(asked.analysis.question, asked.lexicon)))
    return asked.lexicon.names.capital is not OFF and not thing.isdisjoint(names)


def _is_partly_named(asked: Asked, thing: frozenset[str], spans: Sequence[Ranked]) -> bool:
    """Whether some of its words are said: what no passage names at all may be called otherwise."""
    return any(
        says_all(asked, frozenset((word,)), _told_around(one.item))
        for word in thing
        for one in spans
    )


def _thing_of(asked: Asked) -> frozenset[str]:
    """Return the words for what a value is asked of; none where no rule tells them."""
    if not asked.expects(*_OF_A_THING):
        return frozenset()
    question, rules = asked.analysis.question, asked.lexicon.expected
    at_end, before_verb = rules.bearer.search(question), rules.bearer_doing.search(question)
    if (found := at_end or before_verb) is None:
        return frozenset()
    named = next(one for one in found.groups() if one)
    if asked.lexicon.names.capital is OFF:  # Behind the last noun stands no part of a thing.
        named = _up_to_noun(named)
    thing = frozenset(_first_phrase(named, asked.lexicon, ends_with_verb=at_end is None))
    return thing if 0 < len(thing) <= _MOST_WORDS else frozenset()


def _up_to_noun(text: str) -> str:
    """Return a text up to its last word with a capital or a figure; the first word at least."""
    first, *rest = text.split(" ")
    while rest and rest[-1][:1].islower():
        rest.pop()
    return " ".join((first, *rest))


def _first_phrase(text: str, lexicon: Lexicon, *, ends_with_verb: bool) -> list[str]:
    """Return the words of a text up to the first that says nothing: "robot" of "robot in the task"."""
    phrase = list[str]()
    for word in words(text):
        bare = without_elision(word.removesuffix("'s").removesuffix("’s"))
        if bare in lexicon.expected.light:
            return phrase
        if bare in lexicon.stop_words:
            break
        phrase.append(bare)
    return phrase[:-1] if ends_with_verb and len(phrase) > 1 else phrase


def _tells_of(asked: Asked, thing: frozenset[str], item: CandidateSpan) -> bool:
    """Whether the thing is named around the span, or it is a row of what else the question names."""
    if says_all(asked, thing, _told_around(item)):
        return True
    if item.span.kind is not BlockKind.TABLE:
        return False
    row = asked_words(cells_of(item.text)[0], asked.lexicon)
    rest = asked_words(asked.analysis.question, asked.lexicon) - thing
    return bool(row) and says_all(asked, row, " ".join(rest))


def _told_around(item: CandidateSpan) -> str:
    return f"{item.passage.text}\n{item.passage.table_header}\n{item.titles_text}"
