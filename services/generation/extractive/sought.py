"""Keep what says a value of the very thing that a question asks it of.

A price stands in many sentences of a book, and so does a date: "How much is the flour?" is not answered
by what a ticket costs, nor "When was the mill sold?" by when it was renovated. So a sentence has to
name the thing, itself, under a title that does or behind a sentence that does; and where a question
says no more than of whom or what something is done, it has to say that this is done.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from libs.initials import spelled_out_in
from libs.language.entries import NO_WORDS
from libs.language.lexicon import Lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.attributes import is_of_life, words_for
from libs.question.entities import list_capitalised
from libs.question.expected import (
    AnswerKind,
    Dimension,
    ExpectedAnswer,
    attribute_of,
    may_hold,
)
from libs.question.said import asked_words, words_told
from libs.question.synonyms import is_said
from libs.table_rows import cells_of
from libs.text import content_terms, is_unspaced, words
from services.generation.checks.normal_forms import has_negation
from services.generation.extractive.candidates import (
    CandidateSpan,
    Ranked,
    list_candidates,
)
from services.generation.extractive.features import Asked, ask_of
from services.generation.model import BlockKind, Passage, Selection

_FULL_NAME = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]+ (?:[^\W\d_a-z]\. )?[^\W\d_a-z][^\W\d_A-Z]+")
"""Two words with capitals: a name with its first name, or with what somebody is called by."""

_NEAR = 8
"""Likeliest spans of which one says who somebody is."""

_SHORT = 2
"""Words of a question up to which each of them has to be said: of the thing, and what is done."""

_LEAST = 2
"""Words of a question from which a sentence that has them all says what is asked of the thing."""

_OF_ONE_SENTENCE = (
    *(AnswerKind.PERSON, AnswerKind.DATE, AnswerKind.QUANTITY, AnswerKind.PLACE),
    AnswerKind.YES_NO,
)

_ASKS = 3
"""Words up to which all that asks for a measure is of no thing: "how much does it weigh" is more."""


BY_UNIT = frozenset(
    (
        *(Dimension.MASS, Dimension.TEMPERATURE, Dimension.SPEED, Dimension.FREQUENCY),
        *(Dimension.FORCE, Dimension.TORQUE, Dimension.PRESSURE, Dimension.POWER),
        *(Dimension.ENERGY, Dimension.VOLTAGE, Dimension.CURRENT, Dimension.DATA),
        Dimension.SOUND,
    )
)
"""Dimensions that a thing has one measure of: many lengths and times may be said of it."""


def has_value_for(
    question: QuestionAnalysis, passages: Sequence[Passage], selection: Selection | None = None
) -> bool:
    """Whether a sentence of the passages says of the thing, in all the words asked, what is wanted.

    So does the one row that begins with the thing, where a quantity of it is asked for.

    Of marked text a sentence that is marked, were it by the one word that is asked.

    "Walter paid for the nave; the guild paid for the tower" answers who paid for the tower, however
    little else of the book does. What a sentence denies it does not say.
    """
    if question.sub_questions:
        return False
    items = list_candidates(passages, question.language)
    if selection is not None:
        items = [one for one in items if selection.covers(one.key[0], one.span.start, one.span.end)]
    asked = ask_of(question, items)
    if question.expected.kind not in _OF_ONE_SENTENCE:
        return False
    sought = words_sought(asked)
    least = _LEAST if selection is None else 1
    if len(sought) < least:
        # With what is done, which alone says nothing of when: "Debian", "created".
        sought = words_told(question.question, asked.lexicon) - asked.lexicon.expected.light
    if len(sought) < least or any(map(is_unspaced, sought)):
        return False
    rows = [one for one in items if _is_row_for(asked, sought, one)]
    return len(rows) == 1 or any(_says_value(asked, sought, one) for one in items)


def _is_row_for(asked: Asked, sought: frozenset[str], item: CandidateSpan) -> bool:
    """Whether a row begins with the thing, and has the quantity that is asked of it: "Bed | 25 m²"."""
    if item.span.kind is not BlockKind.TABLE or not asked.expects(AnswerKind.QUANTITY):
        return False
    thing, *cells = cells_of(item.text.rpartition("\n")[2])
    expected = replace(asked.analysis.expected, required=True)
    return says_all(asked, sought, thing) and any(
        may_hold(expected, cell, item.over, asked.lexicon, question=asked.analysis.question)
        for cell in cells
    )


def _says_value(asked: Asked, sought: frozenset[str], item: CandidateSpan) -> bool:
    question, lexicon = asked.analysis, asked.lexicon
    if item.span.kind is not BlockKind.PARAGRAPH:
        return False
    # Whether something may be is told by a sentence that denies it as well.
    is_open = question.expected.kind is AnswerKind.YES_NO
    if not is_open and has_negation(item.text, question.language):
        return False
    expected = replace(question.expected, required=True)
    if not may_hold(expected, item.text, item.over, lexicon, question=question.question):
        return False
    return says_all(asked, sought, _told_with(asked, item))


def of_thing_sought(asked: Asked, holding: Sequence[Ranked], fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans that say of the thing the value that they hold; none where none does.

    `fit` are all that may lead, of which some may speak of the thing alone.
    """
    return _beside_thing(asked, _saying_of_thing(asked, holding), fit)


def _saying_of_thing(asked: Asked, holding: Sequence[Ranked]) -> list[Ranked]:
    sought = words_sought(asked)
    if asked.own or asked.selection is not None or not sought:
        return list(holding)
    done = _words_done(asked, sought)
    # What is done names nothing that it is done to: who founded the yard did not found the slip.
    holding = [one for one in holding if _says_of_thing(asked, sought - done or sought, one.item)]
    if not _asks_for_event(asked):
        return holding
    needed = sought if len(sought) <= _SHORT else sought & _names_of(asked)
    return [
        one
        for one in holding
        if says_all(asked, needed - done, _told_with(asked, one.item))
        and says_all(asked, done, _told_with(asked, one.item, with_next=True))
    ]


def naming_somebody_first(asked: Asked, fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans with the one first that says who it is by name, if the likeliest names nobody.

    "Who is the treasurer?" is answered by "The treasurer is Ada Byron", and not by a list of offices.
    """
    spans, sought = list(fit), words_sought(asked)
    if not asked.expects(AnswerKind.PERSON) or asked.own or not sought:
        return spans
    known = frozenset(words(asked.analysis.question))

    def names(one: Ranked) -> bool:
        found = (words(name[0]) for name in _FULL_NAME.finditer(one.item.text))
        return any(known.isdisjoint(name) for name in found)

    if not spans or names(spans[0]):
        return spans
    naming = (one for one in spans[:_NEAR] if names(one) and says_all(asked, sought, one.item.text))
    return (
        [first, *(one for one in spans if one is not first)]
        if (first := next(naming, None))
        else spans
    )


def _beside_thing(asked: Asked, kept: Sequence[Ranked], fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans but those of passages that lack the thing, or what a measure is asked of of it.

    "How long is the guarantee on the fan?" is not answered where the guarantee is of the machine, and
    the fan is spoken of elsewhere. What no passage names may be called otherwise.
    """
    found = asked.lexicon.expected.of_thing.search(asked.analysis.question)
    if found is None or asked.own or asked.selection is not None:
        return list(kept)
    wanted = [asked_words(found[one], asked.lexicon) for one in ("noun", "thing")]

    def names(one: Ranked, word: frozenset[str]) -> bool:
        return says_all(asked, word, f"{one.item.passage.text}\n{one.item.titles_text}")

    if not all(word and any(names(one, word) for one in fit) for word in wanted):
        return list(kept)
    return [one for one in kept if all(names(one, word) for word in wanted)]


def _names_of(asked: Asked) -> frozenset[str]:
    """Return the words of names in a question for who does it; a date’s may stand further off."""
    if asked.analysis.expected.kind is not AnswerKind.PERSON:
        return NO_WORDS
    return frozenset(words("\n".join(list_capitalised(asked.analysis.question, asked.lexicon))))


def _words_done(asked: Asked, sought: frozenset[str]) -> frozenset[str]:
    """Return the verb of a question for who does something: its first word that says what.

    "Who made the paint booth?" is not answered by who sprays paint in it.
    """
    if asked.analysis.expected.kind is not AnswerKind.PERSON:
        return NO_WORDS
    return frozenset([one for one in words(asked.analysis.question) if one in sought][:1])


def _told_with(asked: Asked, item: CandidateSpan, *, with_next: bool = False) -> str:
    """Return the text of a row with all over it; of a sentence, with what it or the next leans on.

    What stands under "The organ" need not be done to the organ, nor what the sentence beside it says.
    """
    lexicon = asked.lexicon
    if item.span.kind is BlockKind.TABLE:
        return f"{item.text}\n{item.over}"
    told = [item.text]
    if _goes_on(item, lexicon):
        told += [item.over, *item.around[: min(item.index, 1)]]
    behind = item.around[min(item.index, 1) + 1 :]
    pronouns = lexicon.checks.clauses.pronouns
    if with_next and behind and not pronouns.isdisjoint(words(behind[0])):
        told += behind
    return "\n".join(told)


def says_all(asked: Asked, wanted: frozenset[str], text: str) -> bool:
    said = frozenset(words(text))
    return all(_is_said(one, said, text, asked) for one in wanted)


def words_sought(asked: Asked) -> frozenset[str]:
    """Return the words of the question that say of what the value is asked for.

    None where it is asked of a life, which names its person once.
    """
    expected, lexicon = asked.analysis.expected, asked.lexicon
    attribute = attribute_of(expected.kind, asked.analysis.question, lexicon)
    if attribute is not None and is_of_life(attribute, lexicon):
        return frozenset()
    question = asked.analysis.question
    asking = frozenset(words(words_for(attribute, question))) if attribute else NO_WORDS
    asking = asking.union(*words_that_ask(expected, question, lexicon))
    return asked_words(question, lexicon) - asking - lexicon.expected.light


def words_that_ask(
    expected: ExpectedAnswer, question: str, lexicon: Lexicon
) -> Iterator[frozenset[str]]:
    """Yield words of a question that say what kind of value is asked for, and not of what."""
    rules = lexicon.expected
    if expected.kind is AnswerKind.DATE:
        found = rules.date.search(question)
        yield frozenset(words(found[0])) if found else NO_WORDS
    if (often := rules.often.search(question)) is not None:
        yield frozenset(words(often[0]))
    if expected.kind is not AnswerKind.QUANTITY:
        return
    if not expected.dimensions or expected.dimensions == {Dimension.MONEY}:
        yield lexicon.prices.words
        # For how long it is the price of is no thing that has one.
        yield lexicon.units.get(Dimension.TIME.value, NO_WORDS)
    for one in expected.dimensions:
        yield lexicon.units.get(one.value, NO_WORDS)
        yield rules.measuring.get(one.value, NO_WORDS)
    for pattern in rules.measured.values():
        if (found := pattern.search(question)) is not None:
            asking = words(found[0])
            yield frozenset(asking if len(asking) <= _ASKS else asking[-1:])


def _asks_for_event(asked: Asked) -> bool:
    """Whether who did something, or when it was done, is asked, and in words that have no other."""
    expected, question, rules = (
        asked.analysis.expected,
        asked.analysis.question,
        asked.lexicon.expected,
    )
    if any(map(is_unspaced, words(question))):
        return False
    if expected.kind is AnswerKind.PERSON:
        return rules.agent.search(question) is not None and rules.origin.search(question) is None
    is_known = attribute_of(expected.kind, question, asked.lexicon) is not None
    happened = expected.kind is AnswerKind.DATE and rules.happened.search(question) is not None
    return happened and not is_known


def _says_of_thing(asked: Asked, sought: frozenset[str], item: CandidateSpan) -> bool:
    """Whether one of the words is said in the span, over it or in the sentence before it."""
    context = [item.text, item.over]
    if asked.lexicon.expected.lasts.search(asked.analysis.question):
        # "How long does it take to pay it off?": what is done has many words, and its section one.
        context.append(item.passage.text)
    if item.span.kind is not BlockKind.TABLE and _goes_on(item, asked.lexicon):
        context += item.around[: min(item.index, 1)]
    text = "\n".join(context)
    said = frozenset(words(text)) | spelled_out_in(text, asked.analysis.question)
    return any(_is_said(word, said, text, asked) for word in sought)


def _goes_on(item: CandidateSpan, lexicon: Lexicon) -> bool:
    """Whether the span says it of what the one before it names, by a pronoun or without a subject."""
    said, clauses = words(item.text), lexicon.checks.clauses
    if item.before is not None or not clauses.pronouns.isdisjoint(said):
        return True
    return lexicon.values.drops_subject and clauses.articles.isdisjoint(said[:1])


def _is_said(word: str, said: frozenset[str], text: str, asked: Asked) -> bool:
    if is_unspaced(word):
        return any(pair in text for pair in content_terms(word))
    if is_said(word, said, asked.lexicon, asked.analysis.language):
        return True
    named = (one for one in asked.lexicon.attributes.values() if one.asked.search(word))
    return any(attribute.said.search(text) for attribute in named)
