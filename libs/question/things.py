"""List the things that a question asks about: its nouns, as the order of its words tells them.

"How do I move the cache directory to another disk?" asks about a directory and a disk. A book that
tells it names them where it does; an adjective or a verb it may say otherwise.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, without_elision

_TOKEN = re.compile(r"[^\W_](?:[\w'’.+#/-]*[\w+#])?|[^\w\s]")
_SENTENCES = re.compile(r"[.;:]\s")
_CAPITALISED = re.compile(r"(?<=\s)[^\W\d_a-zß-öø-ÿ][\w-]+")
_LEAST = 3
"""Letters of a noun."""


def list_things(question: QuestionAnalysis) -> list[str]:
    """Return the nouns of a question that asks one thing in one sentence, in lower case.

    Only of questions for how to do something and, in English, for a quantity and for what a thing has:
    of others the nouns are too often what the asker calls it. With all of German every third of 1,190
    answerable questions of XQuAD had one that its paragraph lacks.
    """
    lexicon = load_lexicon(question.language)
    text = question.question.strip()
    several = question.sub_questions or _SENTENCES.search(text)
    if not lexicon.things.noun or question.about_book or several:
        return []
    of_value = question.expected.kind is AnswerKind.QUANTITY and not question.types.reason
    if not (of_value and lexicon.things.of_values) and not lexicon.things.asks.search(text):
        return []
    if lexicon.things.noun == "capital":
        nouns = [one.lower() for one in _CAPITALISED.findall(text)]
    else:
        nouns = list(_nouns_in(text, lexicon))
    known = asked_words(text, lexicon) - lexicon.expected.light - lexicon.expected.vague
    last = (one.rpartition("-")[2] for one in nouns)
    return [one for one in last if one in known and len(one) >= _LEAST and one.isalpha()]


@dataclass(frozen=True)
class _Run:
    """Words of a question that stand together, and what stands around them."""

    words: tuple[str, ...]
    before: str
    helped: bool
    """Whether a helping verb stands somewhere before them, and no other words between."""

    goes_on: bool
    """Whether "of" follows, so that no verb ends them."""


def _nouns_in(text: str, lexicon: Lexicon) -> Iterator[str]:
    rules = lexicon.things
    for run in _list_runs(text, lexicon):
        words = run.words
        if run.before in rules.verb_follows:
            words = words[1:]
        elif run.before not in rules.introduces or (run.helped and not run.goes_on):
            continue
        if words and (noun := _noun_of(words, lexicon)):
            yield noun


def _noun_of(words: tuple[str, ...], lexicon: Lexicon) -> str:
    """Return the noun of the words between two function words; "" where they are none, or a verb."""
    rules = lexicon.things
    if rules.noun == "first":
        return words[0]
    if rules.verb_form.search(words[-1]):
        words = words[:-1]
    if len(words) > 1 and words[-1] in lexicon.expected.vague:
        words = words[:-1]
    if not words or any(words[-1] in forms for forms in lexicon.inflected):
        return ""
    return words[-1]


def _list_runs(text: str, lexicon: Lexicon) -> Iterator[_Run]:
    rules = lexicon.things
    run: list[str] = []
    before, helped = "", False
    for token in (*_tokens(text), ""):
        if token and token[-1].isdigit():
            continue
        if token and token[0].isalnum() and not _is_function_word(token, lexicon):
            run.append(token)
            continue
        if run:
            yield _Run(tuple(run), before, helped, token in rules.joins)
            run, helped = [], False
        before = token
        helped = helped or token in rules.helping


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text.lower()):
        bare = without_elision(token)
        if bare != token:
            yield token.removesuffix(bare)
        yield bare


def _is_function_word(token: str, lexicon: Lexicon) -> bool:
    rules = lexicon.things
    words = (lexicon.stop_words, rules.introduces, rules.verb_follows, rules.helping)
    return any(token in one for one in words)
