"""Passages near a question that was refused in; questions that their own words raise out."""

import re
from collections.abc import Iterable, Sequence

from libs.text import terms, words
from services.generation.model import Passage

MOST = 3
"""Suggestions that a refusal makes."""

_MOST_TRIED = 6
_LONGEST_WORDS = 12
_DEFINED = re.compile(r"(?P<article>An?) (?P<what>[\w'’ -]{3,40}?) (?:is|are) (?:an?|the) ")
_ASKS = re.compile(
    r"(?:what|why|how|when|where|which|who|can|does|do|is|are|should)\b", re.IGNORECASE
)
_HOW_TO = re.compile(r"how to (?=\w)", re.IGNORECASE)
_NUMBERING = re.compile(
    r"(?:(?i:chapter|part|section|module|week|step|appendix)\s+)?(?:\d[\d.]*|[IVX]+)(?=[\s.:)–—-]|$)"
    r"[.:)]?\s*[-–—:]?\s*"
)
_PLAIN = frozenset(
    """introduction overview summary conclusion conclusions references exercises contents preface index
    notes glossary appendix resources about prerequisites next steps further reading""".split()  # noqa: SIM905
)
"""Titles that say nothing of what stands below them."""


def raise_questions(passages: Sequence[Passage], sections: Sequence[str], asked: str) -> list[str]:
    """Return at most six questions, not yet known to be answered: what is defined, then titles.

    `sections` are titles, or paths of titles joined by " > "; `asked` is the question refused.
    """
    titles = [*sections, *(" > ".join(passage.locator.section_path) for passage in passages)]
    found = [*map(_about_definition, _definitions(passages)), *map(_about_title, titles)]
    known = {frozenset(terms(asked))}
    questions = []
    for question in found:
        key = frozenset(terms(question))
        if key and key not in known:
            known.add(key)
            questions.append(question)
    return questions[:_MOST_TRIED]


def _definitions(passages: Iterable[Passage]) -> Iterable["re.Match[str]"]:
    for passage in passages:
        matches = (_DEFINED.match(passage.text_of(unit)) for unit in passage.units)
        yield from [found for found in matches if found][:1]


def _about_definition(found: "re.Match[str]") -> str:
    return f"What is {found['article'].lower()} {found['what']}?"


def _about_title(path: str) -> str:
    """Return a question about the last title that says something; "" when none does."""
    for title in reversed(path.split(" > ")):
        numbering = _NUMBERING.match(title)
        plain = title[numbering.end() if numbering else 0 :].strip(" .:?!")
        if not set(words(plain)) - _PLAIN or len(plain.split()) > _LONGEST_WORDS:
            continue
        if _HOW_TO.match(plain):
            return f"How do I {_HOW_TO.sub('', plain)}?"
        return f"{plain}?" if _ASKS.match(plain) else f"What does the book explain about {plain}?"
    return ""
