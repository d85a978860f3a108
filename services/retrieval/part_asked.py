"""Find the part of a book that a question says it asks of: "in chapter 3", "in the capstone"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from libs.language.about_book import BookQuestions
from libs.language.lexicon import Lexicon
from libs.question.about_book import AboutBook, name_parts
from libs.text import collapse_space, content_terms
from libs.vectors.schema import Scope
from services.retrieval.model import Heading
from services.retrieval.outline import Outline, opens_folder, without_number

_WHOLE = 2**53 - 1
"""An end that every document reaches before."""

_WORD = re.compile(r"[^\W\d_]+")
_SUBTITLE = re.compile(r":\s|\s[-–—|]\s")
_FEW = 2
"""Words of a longer title's end that are enough to call it by: "the student kit"."""


def find_part_asked(
    question: str, asked: Scope, outline: Outline, lexicon: Lexicon
) -> Scope | None:
    """Return `asked` within the one part of the book that `question` names; None for no such part.

    What is named and is not there, or is there more than once, narrows nothing.
    """
    named = name_parts(question, lexicon)
    found = [_find(one, outline) for one in named] + _called_in(question, outline)
    part = found[0] if len({*found}) == 1 else None
    return _scope_of(part, asked, outline) if part else None


def _find(named: AboutBook, outline: Outline) -> Heading | None:
    return _titled(named, outline) if named.title else outline.find_chapter(named)


def _scope_of(heading: Heading, asked: Scope, outline: Outline) -> Scope:
    """Return the section, or the document with all that the contents have below it."""
    if len(heading.path) > 1:
        return replace(asked, document=heading.document, section_path=heading.path)
    below = (part.members for part in outline.contents.parts if part.heading == heading)
    members = [member.document for part in below for member in part]
    members += _in_folder_of(heading, outline)
    if not members:
        return replace(asked, document=heading.document)
    places = ((one, 0, _WHOLE) for one in dict.fromkeys([heading.document, *members]))
    return replace(asked, places=tuple(places))


def _in_folder_of(heading: Heading, outline: Outline) -> list[str]:
    """Return the documents of the folder that one stands for: "README.md" beside "assignment.md"."""
    place = PurePosixPath(heading.document)
    if not opens_folder(place) or place.parent == PurePosixPath():
        return []
    held = (PurePosixPath(one.document) for one in outline.documents)
    return [str(one) for one in held if one != place and place.parent in one.parents]


def _titled(named: AboutBook, outline: Outline) -> Heading | None:
    """Return the only part of the kind that is named whose title has the words, or is them."""
    wanted = frozenset(content_terms(named.title))
    kinds = _kinds_like(named.kind, outline.rules)
    held = [one for one in outline.headings if wanted and wanted <= _terms_of(one)]
    if kinds:
        held = [one for one in held if len(one.path) == 1 and kinds & _words_of(one)]
    documents = [one for one in held if len(one.path) == 1]
    whole = [one for one in held if _terms_of(one) == wanted]
    return _only(whole) or _only(documents) or _only(held)


def _called_in(question: str, outline: Outline) -> list[Heading]:
    """Return the documents that a question calls by a title without its kind: "the capstone"."""
    asked = collapse_space(question).casefold()
    articles = "|".join(map(re.escape, sorted(outline.rules.articles)))
    return [
        heading
        for heading in outline.documents
        if articles
        and any(
            re.search(rf"\b(?:{articles}) {re.escape(name)}\b", asked)
            for name in _names_of(heading, outline.rules)
        )
    ]


def _names_of(heading: Heading, rules: BookQuestions) -> Iterator[str]:
    """Yield what a document may be called: "capstone" of "Capstone Project: Humanoids"."""
    title = _SUBTITLE.split(without_number(collapse_space(heading.path[-1]), rules))[0]
    *named, kind = title.casefold().split() or [""]
    if not named or not _kinds_like(kind, rules):
        return
    for start in range(len(named)):
        if start == 0 or len(named) - start >= _FEW:
            yield " ".join(named[start:])


def _kinds_like(kind: str, rules: BookQuestions) -> frozenset[str]:
    """Return the words that titles may have for a kind; none for what any part may be called."""
    groups = (frozenset(words.split()) for words in rules.called)
    return next((group for group in groups if kind in group), frozenset())


def _words_of(heading: Heading) -> frozenset[str]:
    """Return the words of a document's title, file and folders, in lower case and in the singular."""
    found = _WORD.findall(f"{heading.path[-1]} {heading.document}".casefold())
    return frozenset([*found, *(word.removesuffix("s") for word in found)])


def _terms_of(heading: Heading) -> frozenset[str]:
    return frozenset(content_terms(heading.path[-1]))


def _only(headings: Iterable[Heading]) -> Heading | None:
    found = list(islice(headings, 2))
    return found[0] if len(found) == 1 else None
