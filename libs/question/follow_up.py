"""Make a question that leans on the conversation whole, by rules, so that it can be searched alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from libs.language.lexicon import FollowUps, Lexicon
from libs.question.definiendum import name_definiendum
from libs.question.said import asked_words
from libs.text import collapse_space, terms

MAX_CHARACTERS = 4000
"""Of a question that is searched for."""

_SHORT = 3  # content terms; a question with more of its own says what its "it" is
_ANSWER_WORDS = 25
"""Of the last answer, where a follow-up points into it; else they would ask for the same again."""

_MOST_WORDS = 4
"""Of a thing that takes the place of another: "and a trait object?"."""


_AROUND = "?!.,;:'\"“”«»¿"

_JOINED = re.compile(r"[-'’]")

_CAPITALS = 2
"""Of a word from which on it is a short form: "URLs", "macOS"."""

_LONGEST_THING = 6
"""Words of a thing that was explained: "the keyboard shortcut for a new entry"."""

_MARK = re.compile(r"[,;:?!]")
"""Stands in no name."""


@dataclass(frozen=True)
class Conversation:
    """What was said before: the reader's questions, oldest first, and the last answer."""

    questions: tuple[str, ...] = ()
    answer: str = ""


def leans_on_history(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a question needs what was said before: 18 of 18 that do, 12 of 519 that do not."""
    own, rules = _own_terms(text, lexicon), lexicon.follow_ups
    if (
        set(own) <= _bare_terms(rules)
        or rules.opening.match(text.strip())
        or rules.part.match(text)
        or rules.further.fullmatch(text)
    ):
        return True
    if len(own) > _SHORT:
        return False
    fragment = rules.fragment.fullmatch(text) is not None and rules.sentence.search(text) is None
    return fragment or rules.pointer.search(text) is not None


@dataclass(frozen=True)
class _Earlier:
    """The question before, whole, and what was last to be explained."""

    question: str = ""
    thing: str = ""


@dataclass(frozen=True)
class Whole:
    """A follow-up with what it leans on."""

    text: str
    alone: bool = False
    """Whether it asks by itself what is asked, and does not stand behind the question before."""


def make_whole(text: str, before: Conversation, lexicon: Lexicon) -> Whole:
    """Return a follow-up with what it leans on, at most MAX_CHARACTERS.

    After "What is a box?", "and a list?" is "What is a list?", and "How is it shut?" is "How is a box
    shut?". Any other is preceded by the reader's last question, and by the first words of its answer
    where it points at what stands there ("that one").
    """
    rules = lexicon.follow_ups
    earlier = _read_before(before.questions, lexicon)
    if alone := _ask_alone(earlier, text, lexicon):
        return Whole(cut_text(alone, MAX_CHARACTERS), alone=True)
    said = earlier.question
    if rules.into_answer.search(text) or set(_own_terms(text, lexicon)) <= _bare_terms(rules):
        answer = " ".join(before.answer.split()[:_ANSWER_WORDS])
        said = f"{said} {answer}".strip()
    return Whole(f"{cut_text(said, MAX_CHARACTERS - len(text) - 1)} {text}".strip())


def list_asked(text: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the terms that `text` itself asks for; none when it points at what was said."""
    rules = lexicon.follow_ups
    if rules.pointer.search(text):
        return frozenset()
    return frozenset(_own_terms(text, lexicon)) - _bare_terms(rules)


def _own_terms(text: str, lexicon: Lexicon) -> list[str]:
    """Return the terms of a text in which its own language's function words are none."""
    if not lexicon.values.alike_from:
        return terms(text)
    return [term for word in asked_words(text, lexicon) for term in terms(word)]


def cut_text(text: str, limit: int) -> str:
    """Return whole words of `text`, `limit` characters at most."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit)].rsplit(" ", 1)[0]


@lru_cache(maxsize=8)
def _bare_terms(rules: FollowUps) -> frozenset[str]:
    return frozenset(terms(" ".join(rules.bare)))


def name_other(text: str, lexicon: Lexicon) -> str:
    """Return the thing of which a follow-up asks what was asked of another: "and Jazzy?"; else ""."""
    rules = lexicon.follow_ups
    other = rules.other_thing.fullmatch(text)
    thing = other["thing"].strip() if other else ""
    if rules.pointer.search(thing) or rules.sentence.search(thing) or rules.relation.match(thing):
        return ""
    named = set(_own_terms(thing, lexicon))
    if thing.split()[-1:] and thing.split()[-1].lower() not in rules.stands_for:
        named -= _bare_terms(rules)
    is_named = bool(named) and len(thing.split()) <= _MOST_WORDS
    return thing if is_named else ""


def _ask_alone(before: _Earlier, text: str, lexicon: Lexicon) -> str:
    """Return a follow-up as a question of its own; "" where only the one before says what it is of."""
    ways = (_in_sign_of, _in_place_of, _in_relation_of, _naming_thing)
    return next(filter(None, (way(before, text, lexicon) for way in ways)), "")


def _in_place_of(before: _Earlier, text: str, lexicon: Lexicon) -> str:
    """Return the question about another thing that `text` asks after `earlier`; "" when it is none.

    After "What are mobile wallets for?", "and web ones?" is "What are web wallets for?".
    """
    earlier = before.question
    asked = lexicon.follow_ups.what_is.fullmatch(earlier)
    # What says more behind a comma is no name alone.
    named = "" if "," in earlier else name_definiendum(earlier, lexicon)
    thing = name_other(text, lexicon) if asked or named else ""
    thing = _naming_kind(_with_noun(thing, named, lexicon), named, lexicon)
    if not thing:
        return ""
    if asked:
        return _of_another(earlier, thing, lexicon) or f"{asked['asks'].strip()} {thing}?"
    opening, _, behind = earlier.partition(named)
    return f"{_without_last_article(opening, lexicon)}{thing}{behind}"


def _naming_thing(before: _Earlier, text: str, lexicon: Lexicon) -> str:
    """Return a follow-up with the thing that was to be explained for its "it"; "" where it has none.

    One that wants something else explained needs nothing of what was said: "And what is a list?".
    """
    rules, said = lexicon.follow_ups, _without_opening(text, lexicon)
    if said != text and name_definiendum(said, lexicon) and not rules.pointer.search(said):
        asked = _naming_kind(_without_mark(said), before.thing, lexicon)
        return f"{asked}?" if asked else ""
    if not before.thing or rules.into_answer.search(text):
        return ""

    def name(found: re.Match[str]) -> str:
        if not found[0]:
            return f" {_without_article(before.thing, lexicon)}"  # "How many can it have?"
        space = "" if found[0][0].isalpha() else " "
        own = "'s" if found.groupdict().get("own") else ""
        return f"{space}{before.thing}{own}"

    found = rules.pronoun.search(said)
    is_of_other = (
        found and found.groupdict().get("own") and not rules.of.isdisjoint(before.thing.split())
    )
    return "" if found is None or is_of_other else rules.pronoun.sub(name, said, count=1)


def _without_opening(text: str, lexicon: Lexicon) -> str:
    """Return a question without the "and" that it goes on with, where it asks something behind it."""
    rest = _without_word(text, lexicon)
    if rest == text or not lexicon.follow_ups.sentence.search(rest):
        return text
    return f"{rest[:1].upper()}{rest[1:]}"


def _without_word(text: str, lexicon: Lexicon) -> str:
    """Return what stands behind the one word that a follow-up begins with: "and", "but"."""
    opened = lexicon.follow_ups.opening.match(text.strip())
    rest = text.strip()[opened.end() :].lstrip(" ,") if opened else ""
    return rest if opened and len(opened[0].split()) == 1 and rest.strip("?!. ") else text


def _without_mark(text: str) -> str:
    return text.rstrip("?!. ").lstrip("¿ ")


def _naming_kind(thing: str, named: str, lexicon: Lexicon) -> str:
    """Return `thing` with the noun of what was `named` for its "one"; "" where there is none."""
    rules, (*said, last) = lexicon.follow_ups, thing.split() or [""]
    if not said or last.lower() not in rules.stands_for:
        return thing
    noun = named.split()
    if not noun:
        return ""
    at = next((at for at, word in enumerate(noun) if at and word.lower() in rules.of), len(noun))
    return " ".join((*said, *noun[at - 1 :]))


def _with_noun(thing: str, named: str, lexicon: Lexicon) -> str:
    """Return a word for another kind with the noun of what was `named`; any other thing as it is.

    After "What is quantitative research?", "and qualitative?" asks of research as well.
    """
    kind, *noun = named.split() or [""]
    kinds = lexicon.follow_ups.kinds
    other = _without_article(thing, lexicon)
    are_kinds = all(map(kinds.fullmatch, (kind, other)))
    return " ".join((thing, *noun)) if noun and are_kinds else thing


def _in_relation_of(before: _Earlier, text: str, lexicon: Lexicon) -> str:
    """Return the question with what stands in the same relation in place of what it ended with.

    After "How old is the oak of the yard?", "and of the park?" is "How old is the oak of the park?".
    """
    rules, said = lexicon.follow_ups, _without_mark(_without_word(text, lexicon))
    earlier = before.question
    relation = rules.relation.match(said)
    if relation is None or len(said.split()) > _MOST_WORDS + 1 or rules.sentence.search(said):
        return ""
    place = earlier.lower().rfind(f" {relation[0].lower()} ")
    rest = earlier[place + 1 :].split() if place > 0 else []
    if not 1 < len(rest) <= _MOST_WORDS + 1 or rules.pointer.search(said):
        return ""
    return f"{earlier[:place]} {said}?"


def _in_sign_of(before: _Earlier, text: str, lexicon: Lexicon) -> str:
    """Return the question with another sign in place of its only one; "" where it has none, or more.

    After "What does the extension A1 do?", "and A2?" is "What does the extension A2 do?".
    """
    other = name_other(text, lexicon).strip(_AROUND)
    signs = [sign for word in before.question.split() if _is_sign(sign := word.strip(_AROUND))]
    if len(set(signs)) != 1 or not _is_sign(other):
        return ""
    return before.question.replace(signs[0], other)


def _is_sign(word: str) -> bool:
    """Whether a word has what no plain one has within: "A1", "log(x)", "--force", "URLs"."""
    plain = _JOINED.sub("", word.lstrip("-")).isalpha() and sum(map(str.isupper, word)) < _CAPITALS
    return bool(word) and " " not in word and (word.startswith("-") or not plain)


def _of_another(earlier: str, thing: str, lexicon: Lexicon) -> str:
    """Return what `earlier` asks of one thing, asked of another; "" where it asks nothing of any.

    After "What is the capital of France?", "and Spain?" asks for its capital. "And the currency?" asks
    for something else of the same: the one has an article or is a name, and the other is not.
    """
    said = earlier.rstrip("?!. ").split()
    at = max((at for at, word in enumerate(said) if word in lexicon.follow_ups.of), default=0)
    its, other = said[at + 1 :], thing.split()
    if not at or not its:
        return ""
    articles = lexicon.checks.clauses.articles
    alike = len({words[0].lower() in articles for words in (its, other)}) == 1
    if alike and _is_named(its) == _is_named(other):
        return f"{' '.join(said[: at + 1])} {thing}?"
    asked = lexicon.follow_ups.what_is.fullmatch(earlier)
    return f"{asked['asks'].strip()} {thing} {' '.join(said[at:])}?" if asked else ""


def _is_named(words: Sequence[str]) -> bool:
    return any(word[:1].isupper() or any(map(str.isdigit, word)) for word in words)


def _without_article(thing: str, lexicon: Lexicon) -> str:
    article, _, rest = thing.partition(" ")
    return rest if rest and article.lower() in lexicon.checks.clauses.articles else thing


def _without_last_article(text: str, lexicon: Lexicon) -> str:
    """Return the words before a thing's name; another name comes with an article of its own."""
    said, _, last = text.rstrip().rpartition(" ")
    return f"{said} " if last.lower() in lexicon.checks.clauses.articles else text


def _read_before(questions: Sequence[str], lexicon: Lexicon) -> _Earlier:
    """Return the last question of the reader that can stand alone, with those that built on it."""
    asked: list[str] = []
    for question in reversed(questions):
        asked.append(collapse_space(question))
        if not leans_on_history(question, lexicon):
            break
    before = _Earlier()
    for text in reversed(asked):
        alone = _ask_alone(before, text, lexicon)
        thing = _thing_explained(alone or text, lexicon) or before.thing
        before = _Earlier(alone or f"{before.question} {text}".strip(), thing)
    return before


def _thing_explained(question: str, lexicon: Lexicon) -> str:
    """Return what a question wants explained, with its article; "" where that is no name alone."""
    rules = lexicon.follow_ups
    told = rules.thing.fullmatch(question)
    named = name_definiendum(question, lexicon) or (told["thing"].strip() if told else "")
    is_name = 0 < len(named.split()) <= _LONGEST_THING and not _MARK.search(named)
    if not is_name or rules.pointer.search(named):
        return ""
    *_, article = question.partition(named)[0].split() or [""]
    return f"{article} {named}" if article.lower() in lexicon.checks.clauses.articles else named
