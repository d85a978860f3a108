"""Tell in which language a question is asked: by its script, else by the words in it.

A question is too short for what detects the language of a text.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import accumulate, chain

from libs.language.detect import detect_script
from libs.language.entries import Words, patterns_in
from libs.language.lexicon import FALLBACK, Lexicon, load_lexicon
from libs.language.scripts import LATIN, foreign_script, name_language, scripts_in, scripts_of

_WORD = re.compile(r"[^\s.,;:!?()\[\]\"'’“”„«»¿¡؟،।-]+")
"""Vowel signs of some scripts are no word characters to a pattern."""

_SURE = 2
"""Words that a language must have more of a question than the book's own, to be its language."""

_OPENED = 1
"""The same where such a word opens the question."""


def language_asked_in(question: str, language: str = FALLBACK, others: Sequence[str] = ()) -> str:
    """Return the ISO 639-1 code of a question's language, or the book's where it does not tell.

    `language` is the book's, `others` are more of them. A question without a letter of a script is not
    in the languages of that script, however short; one that tells little is in one of the book's.
    """
    return language_told(question, language, others) or language or FALLBACK


def language_read_by(question: str, language: str, others: Sequence[str] = ()) -> str:
    """Return which of the book's languages a question is in: the first where it is in none of them."""
    asked = language_asked_in(question, language, others)
    return asked if asked in others else language


def language_told(
    question: str, language: str = FALLBACK, others: Sequence[str] = (), *, surely: bool = False
) -> str:
    """Return the language as `language_asked_in`; "" where the question does not tell.

    A question in none of the book's scripts has at least the language that is likeliest in its own: one
    that no word of it tells is none when it is asked `surely`.
    """
    return _tell(question, tuple(dict.fromkeys((language or FALLBACK, *others))), surely=surely)


@lru_cache(maxsize=256)
def _tell(question: str, book: tuple[str, ...], *, surely: bool) -> str:
    """Return what `language_told` does; several stages ask it of the same question."""
    own = [code for code in book if not foreign_script(question, code)]
    if not scripts_in(question):
        return ""
    by_script = _by_script(question, own)
    if by_script:
        return by_script
    if own:
        return _choose(question, _held(question, dict.fromkeys((*own, *known_languages()))), own)
    foreign = foreign_script(question, book[0])
    held = _held(question, [code for code in known_languages() if foreign in scripts_of(code)])
    weights = _weigh(held)
    best = max(weights, key=lambda code: (weights[code], code == FALLBACK), default="")
    if surely and best and not weights[best]:
        return ""
    return best or name_language(foreign)


def _by_script(question: str, own: Sequence[str]) -> str:
    """Return the language of the one script that most of it is in; "" for scripts of several.

    Chinese characters alone may be of the book's other language that has them.
    """
    script = detect_script(question)
    if script == "zh" and "zh" not in own and not _asks_in_chinese(question):
        return next((code for code in own if "CJK" in scripts_of(code)), script)
    return script if not own or script in (*known_languages(), *own) else ""


def _asks_in_chinese(question: str) -> bool:
    lexicon = load_lexicon("zh")
    greets = bool(_greet(_beginnings(question), lexicon.small_talk.phrases))
    return greets or lexicon.between_words.search(question) is not None


def _held(question: str, codes: Iterable[str]) -> dict[str, set[str]]:
    """Return what of a question is of each language.

    A word of no language we know is of those in whose script it is, unless that is the Latin one.
    """
    lowered = question.lower()
    asked = set(_WORD.findall(lowered))
    scripts_of_rest = {word: scripts_in(word) for word in asked - _asking_in_any()}
    beginnings = _beginnings(lowered)
    held = {}
    for code in codes:
        lexicon, scripts = load_lexicon(code), scripts_of(code) - {LATIN}
        held[code] = asked & _asking_words().get(code, frozenset())
        held[code] |= {word for word, found in scripts_of_rest.items() if scripts & found}
        held[code] |= set(lexicon.own_letters.findall(lowered))
        held[code] |= set(_greet(beginnings, lexicon.small_talk.phrases).split())
    return held


def _beginnings(text: str) -> list[str]:
    """Return the first word of a text, its first two, and so on."""
    return list(accumulate(_WORD.findall(text), "{} {}".format))


def _greet(beginnings: Sequence[str], phrases: Collection[str]) -> str:
    """Return the longest of the phrases that a text begins with; "" for none."""
    return next((one for one in reversed(beginnings) if one in phrases), "")


def _weigh(held: Mapping[str, Collection[str]]) -> dict[str, float]:
    """Return how much each language has: what several have is a part for each."""
    owners = Counter(chain.from_iterable(held.values()))
    return {code: sum(1 / owners[word] for word in words) for code, words in held.items()}


def _choose(question: str, held: Mapping[str, set[str]], own: Sequence[str]) -> str:
    """Return the language of most; one that is not the book's only where it surely is; "" for none."""
    weights, of_book = _weigh(held), _weigh({code: held[code] for code in own})
    spoken = max(own, key=lambda code: of_book[code])
    best = max(weights, key=lambda code: (weights[code], code == spoken))
    if best not in own:
        lead = len(held[best] - held[spoken]) - len(held[spoken] - held[best])
        if lead >= (_OPENED if _is_opened(question, held[best]) else _SURE):
            return best
    rivals = [of_book[code] for code in own if code != spoken]
    return spoken if of_book[spoken] > max(rivals, default=0.0) else ""


def _is_opened(question: str, words: Collection[str]) -> bool:
    """Whether it is a short question or greeting that one of the words opens: "What treats mites?"."""
    first, *_ = _WORD.findall(question.lower())
    return first in words and (
        question.rstrip().endswith("?") or len(words) == len(question.split())
    )


@cache
def known_languages() -> dict[str, Words]:
    """Return the function words of each language that there are resources of."""
    return {code: lexicon.stop_words for code, lexicon in load_lexicons().items()}


@cache
def _asking_words() -> dict[str, frozenset[str]]:
    """Return all words of each language that questions are made of."""
    return {code: lexicon.stop_words | lexicon.asking for code, lexicon in load_lexicons().items()}


@cache
def _asking_in_any() -> frozenset[str]:
    return frozenset[str]().union(*_asking_words().values())


@cache
def load_lexicons() -> dict[str, Lexicon]:
    """Return what is known of each language, by its code, with the patterns of the fallback compiled.

    A service does that before it serves: the stages of the first question have little time. The
    patterns of another language take a quarter of a second, at the first question in it.
    """
    files = resources.files("libs.language").iterdir()
    codes = sorted(file.name[:-5] for file in files if file.name.endswith(".toml"))
    for pattern in patterns_in(load_lexicon(FALLBACK)):
        pattern.compile()
    return {code: load_lexicon(code) for code in codes}
