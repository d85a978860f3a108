"""Make a question that leans on the conversation whole, by rules, so that it can be searched alone."""

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
    ):
        return True
    if len(own) > _SHORT:
        return False
    fragment = rules.fragment.fullmatch(text) is not None and rules.sentence.search(text) is None
    return fragment or rules.pointer.search(text) is not None


def make_whole(text: str, before: Conversation, lexicon: Lexicon) -> str:
    """Return a follow-up with what it leans on, at most MAX_CHARACTERS.

    It is preceded by the reader's last question, and by the first words of its answer where it points
    at what stands there ("that one"); after "What is a box?", "and a list?" is "What is a list?".
    """
    rules = lexicon.follow_ups
    earlier = _earlier_question(before.questions, lexicon)
    whole = _in_place_of(earlier, text, lexicon)
    if whole:
        return whole
    if rules.into_answer.search(text) or set(_own_terms(text, lexicon)) <= _bare_terms(rules):
        answer = " ".join(before.answer.split()[:_ANSWER_WORDS])
        earlier = f"{earlier} {answer}".strip()
    return f"{cut_text(earlier, MAX_CHARACTERS - len(text) - 1)} {text}".strip()


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
    named = set(_own_terms(thing, lexicon)) - _bare_terms(rules)
    is_named = bool(named) and len(thing.split()) <= _MOST_WORDS
    return thing if is_named else ""


def _in_place_of(earlier: str, text: str, lexicon: Lexicon) -> str:
    """Return the question about another thing that `text` asks after `earlier`; "" when it is none.

    After "What are mobile wallets for?", "and web ones?" is "What are web wallets for?".
    """
    asked = lexicon.follow_ups.what_is.fullmatch(earlier)
    # What says more behind a comma is no name alone.
    named = "" if "," in earlier else name_definiendum(earlier, lexicon)
    thing = name_other(text, lexicon) if asked or named else ""
    *said, last = thing.split() or [""]
    if said and named and last.lower() in lexicon.follow_ups.stands_for:
        thing = " ".join((*said, named.split()[-1]))
    if not thing:
        return ""
    if asked:
        return _of_another(earlier, thing, lexicon) or f"{asked['asks'].strip()} {thing}?"
    before, _, behind = earlier.partition(named)
    return f"{_without_last_article(before, lexicon)}{thing}{behind}"


def _of_another(earlier: str, thing: str, lexicon: Lexicon) -> str:
    """Return what `earlier` asks of one thing, asked of another; "" where it asks nothing of any.

    After "What is the capital of France?", "and Spain?" asks for its capital. "And the currency?" asks
    for something else of the same: the one has an article, and the other has none.
    """
    articles, said = lexicon.checks.clauses.articles, earlier.rstrip("?!. ").split()
    at = max((at for at, word in enumerate(said) if word in lexicon.follow_ups.of), default=0)
    its = said[at + 1 : at + 2]
    begins = (its[0].lower(), thing.split(maxsplit=1)[0].lower()) if at and its else ()
    if not begins or len({word in articles for word in begins}) > 1:
        return ""
    return f"{' '.join(said[: at + 1])} {thing}?"


def _without_last_article(text: str, lexicon: Lexicon) -> str:
    """Return the words before a thing's name; another name comes with an article of its own."""
    said, _, last = text.rstrip().rpartition(" ")
    return f"{said} " if last.lower() in lexicon.checks.clauses.articles else text


def _earlier_question(questions: Sequence[str], lexicon: Lexicon) -> str:
    """Return the last question of the reader that can stand alone, with those that built on it."""
    asked: list[str] = []
    for question in reversed(questions):
        asked.append(collapse_space(question))
        if not leans_on_history(question, lexicon):
            break
    whole = ""
    for text in reversed(asked):
        whole = _in_place_of(whole, text, lexicon) or f"{whole} {text}".strip()
    return whole
