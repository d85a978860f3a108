"""Find the parts of a book that a question says it asks of: "in chapter 3", "in the capstone"."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import PurePosixPath

from libs.language.about_book import BookQuestions
from libs.language.lexicon import Lexicon
from libs.question.about_book import (
    AboutBook,
    main_title,
    name_kind,
    name_parts,
    omit_parts,
    read_title_number,
)
from libs.text import collapse_space, content_terms
from libs.vectors.schema import Scope
from services.retrieval.model import Heading, MissingPart
from services.retrieval.numbered_names import opens_folder
from services.retrieval.outline import Outline, without_number

_WHOLE = 2**53 - 1
"""An end that every document reaches before."""

_WORD = re.compile(r"[^\W\d_]+")
MOST_PARTS = 6
"""Parts of which each is searched for itself, and answers with some of a few sentences."""

_COUNTED = 2
_FEW = 2
"""Words of a longer title's end that are enough to call it by: "the student kit"."""


def find_parts_asked(
    question: str, asked: Scope, outline: Outline, lexicon: Lexicon
) -> tuple[Scope, ...]:
    """Return `asked` within each part of the book that `question` names, in the order of the book.

    None where one that is named is not there, or is there more than once, and where they are too many
    to be told one by one. Of a part and the one that it lies in, only the inner one counts.
    """
    named = name_parts(question, lexicon)
    found = [_find(one, outline) for one in named if not _is_unknown_kind(one, outline)]
    found += [*_called_in(question, outline).values(), *_each_in(question, outline, lexicon)]
    parts = [one for one in dict.fromkeys(found) if one is not None]
    if len(parts) < len({*found}) or len(parts) > MOST_PARTS:
        return ()
    ordered = sorted(parts, key=outline.headings.index)
    scopes = [_scope_of(one, asked, outline) for one in ordered]
    return tuple(one for one in scopes if not any(_is_around(one, other) for other in scopes))


def _is_around(scope: Scope, other: Scope) -> bool:
    """Whether `other` is a part of what `scope` is: a section of a document, a lesson of a module."""
    if scope.places:
        return other.document in {document for document, _, _ in scope.places}
    depth = len(scope.section_path)
    is_deeper = len(other.section_path) > depth and scope.document == other.document
    return is_deeper and scope.section_path == other.section_path[:depth]


def ask_of_part(question: str, outline: Outline, lexicon: Lexicon) -> str:
    """Return what `question` asks of each part that it names, without their names."""
    return omit_parts(question, lexicon, _called_in(question, outline))


def find_missing_part(question: str, outline: Outline, lexicon: Lexicon) -> MissingPart | None:
    """Return the one part that `question` names by a number beyond those that the book counts to.

    A book counts what has two numbers at least, in titles or in the names of its files.
    """
    for named in name_parts(question, lexicon):
        if not named.number.isdecimal() or not named.kind:
            continue
        numbers = _numbers_of(named.kind, outline)
        if len(numbers) >= _COUNTED and int(named.number) > max(numbers):
            return MissingPart(named.kind, int(named.number), max(numbers))
    return None


def _numbers_of(kind: str, outline: Outline) -> set[int]:
    """Return the numbers that parts of a kind have, as far as titles and paths say it with its word."""
    in_path = re.compile(
        rf"(?<![^\W_]){re.escape(kind)}s?[-_. ]?0*(\d{{1,3}})(?:-0*(\d{{1,3}}))?(?!\d)"
    )
    found: set[int] = set()
    for heading in outline.headings:
        titled = read_title_number(heading.path[-1], outline.rules)
        if titled and titled.kind == kind and titled.number.isdecimal():
            found.add(int(titled.number))
        said = f"{heading.document} {heading.path[-1]}".casefold()
        found.update(int(one) for groups in in_path.findall(said) for one in groups if one)
    return found


def _is_unknown_kind(named: AboutBook, outline: Outline) -> bool:
    """Whether a part is counted that the book has none of: "the first exercise" is a paragraph then."""
    kinds = _kinds_like(named.kind, outline.rules)
    is_counted = bool(kinds) and named.kind not in outline.rules.chapters_are and not named.title
    return is_counted and not _of_kind(kinds, outline)


def _find(named: AboutBook, outline: Outline) -> Heading | None:
    if named.title:
        return _titled(named, outline)
    kinds, rules = _kinds_like(named.kind, outline.rules), outline.rules
    is_chapter = not kinds or named.kind in rules.chapters_are
    found = outline.find_chapter(named) if is_chapter else None
    return found or (_counted(named, kinds, outline) if kinds else None)


def _counted(named: AboutBook, kinds: frozenset[str], outline: Outline) -> Heading | None:
    """Return the part of a kind that has the number; where none has one, what is counted so."""
    held = _of_kind(kinds, outline)
    numbered = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(kinds))})[\W_]*0*(\d+)", re.IGNORECASE)
    if named.number:
        numbers = [numbered.findall(f"{one.path[-1]} {one.document}") for one in held]
        if any(numbers):
            pairs = zip(held, numbers, strict=True)
            return _only(one for one, own in pairs if named.number in own)
    place = int(named.number) if named.number.isdecimal() else named.place
    index = place - 1 if place > 0 else place
    return held[index] if place and -len(held) <= index < len(held) else None


def _of_kind(kinds: frozenset[str], outline: Outline) -> list[Heading]:
    """Return the documents of a kind, without those that are of another one as well if others aren't.

    A lesson on a project is no project.
    """
    others = frozenset(chain.from_iterable(map(str.split, outline.rules.called))) - kinds
    held = [one for one in outline.documents if kinds & _words_of(one)]
    return [one for one in held if others.isdisjoint(_words_of(one))] or held


def _each_in(question: str, outline: Outline, lexicon: Lexicon) -> list[Heading]:
    """Return all parts of the kind that a question asks of each of: as many as it says there are."""
    kind, count = name_kind(question, lexicon)
    if not kind:
        return []
    kinds = _kinds_like(kind, outline.rules)
    parts = _of_kind(kinds, outline) if kinds else outline.list_chapters()
    return parts if 1 < len(parts) <= MOST_PARTS and count in (0, len(parts)) else []


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


def _called_in(question: str, outline: Outline) -> dict[str, Heading | None]:
    """Return the documents that a question calls by a title without its kind, "the capstone", by name.

    None says that several are called so.
    """
    asked = collapse_space(question).casefold()
    articles = "|".join(map(re.escape, sorted(outline.rules.articles)))
    called: dict[str, list[Heading]] = defaultdict(list)
    for heading in outline.documents if articles else ():
        for name in _names_of(heading, outline.rules):
            if name in asked and re.search(rf"\b(?:{articles}) {re.escape(name)}\b", asked):
                called[name].append(heading)
    return {name: _only(one) for name, one in called.items()}


def _names_of(heading: Heading, rules: BookQuestions) -> Iterator[str]:
    """Yield what a document may be called: "capstone" of "Capstone Project: Humanoids"."""
    title = main_title(without_number(collapse_space(heading.path[-1]), rules))
    *named, kind = title.casefold().split() or [""]
    if not named or not _kinds_like(kind, rules):
        return
    for start in range(len(named)):
        if start == 0 or len(named) - start >= _FEW:
            yield " ".join(named[start:])


def _kinds_like(kind: str, rules: BookQuestions) -> frozenset[str]:
    """Return the words that titles may have for a kind; none for what any part may be called."""
    return next((group for group in _groups(rules.called) if kind in group), frozenset())


@lru_cache(maxsize=32)
def _groups(called: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(words.split()) for words in called)


def _words_of(heading: Heading) -> frozenset[str]:
    """Return the words of a document's title, file and folders, in lower case and in the singular."""
    found = _WORD.findall(f"{heading.path[-1]} {heading.document}".casefold())
    return frozenset([*found, *(word.removesuffix("s") for word in found)])


def _terms_of(heading: Heading) -> frozenset[str]:
    return frozenset(content_terms(heading.path[-1]))


def _only(headings: Iterable[Heading]) -> Heading | None:
    found = list(islice(headings, 2))
    return found[0] if len(found) == 1 else None
