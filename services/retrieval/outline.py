"""Find in a book's outline its chapters, one of them, and where the book speaks of itself."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from libs.language.about_book import BookQuestions
from libs.question.about_book import (
    AboutBook,
    BookAspect,
    TitleNumber,
    read_chapter_name,
    read_title_number,
    rules_of,
)
from libs.text import QUESTION_MARKS, collapse_space, content_terms
from libs.vectors.schema import Scope
from services.retrieval.model import Heading
from services.retrieval.numbered_names import (
    Numbered,
    count_up,
    names_folder,
    number_in_name,
    opens_folder,
)
from services.retrieval.parts import Contents, Part, list_sections, read_contents, title_folders

Place = tuple[str, int, int]
"""A document, and a range of it."""

RELATED_SECTIONS = 3
MOST_CHAPTERS = 50
MOST_READ = 200
"""Chunks of all places together."""

_TITLE_WITHIN = 400
"""Characters in which a document shows its title; links may stand before it."""

OPENING = 4000
"""Characters in which a book or a chapter says what it is about."""

_SECTION_OPENING = 2500
_MOST_PLACES = 16
_FRONT_DOCUMENTS = 4

_DEEPEST = 3
"""Titles above which one may speak of the book."""

_LEAST_NUMBERED, _LEAST_NAMED = 3, 2
"""Titles that make a count: of bare numbers more than of "Chapter 1"."""

_FEWER, _FAR_FEWER = 2, 4
"""Times as many titles as are numbered from which on these are not the chapters: of those that a
navigation or a book's highest level has, and of all pages."""

_BY_CHAPTERS = (BookAspect.CHAPTERS, BookAspect.ORGANISATION, BookAspect.SUBJECT)
_FEW_DOCUMENTS = 3
"""So few documents are no chapters: their sections are."""

_FIGURES = re.compile(r"[0-9]+")
_COUNTED = re.compile(
    r"(?:\w+ )?(?:\d{1,4}(?:\.\d{1,3})*|[IVXLC]{1,8})[.:)–—]* (?=\S)"
    r"|第[\d〇零一二三四五六七八九十百千]{1,6}\w[ :：]*(?=\S)"
)


@dataclass(frozen=True)
class Outline:
    """The headings of a book in reading order, and what its language knows of such titles."""

    headings: Sequence[Heading]
    rules: BookQuestions
    numbers: Mapping[str, float] = field(default_factory=dict)
    """What its words for numbers are worth."""

    @cached_property
    def documents(self) -> list[Heading]:
        return [heading for heading in self.headings if len(heading.path) == 1]

    @cached_property
    def contents(self) -> Contents:
        return read_contents(self.documents)

    def list_chapters(self) -> list[Heading]:
        """Return the chapters by their numbers, or, where nothing has one, what is topmost."""
        return [chapter for chapter, _ in self._count_chapters()]

    def find_chapter(self, asked: AboutBook) -> Heading | None:
        """Return the chapter that a question names; None when the book has none such."""
        if asked.number:
            return self._by_number(asked)
        chapters = self.list_chapters()
        if not asked.place:
            return self._by_title(asked.title, chapters)
        if self._counts_parts(asked):
            return None
        index = asked.place - 1 if asked.place > 0 else asked.place
        return chapters[index] if -len(chapters) <= index < len(chapters) else None

    def name_chapter(self, name: str) -> Heading | None:
        """Return the chapter of this title or number, else any section of it; None when none has.

        A number is read as a question's is: "2" is "chapter 2", whatever section is titled so.
        """
        chapters = self.list_chapters()
        asked = read_chapter_name(name, self.rules, self.numbers)
        found = self._by_whole_title(name, chapters)
        if found is None and asked is not None:
            found = self.find_chapter(asked)
        if found is None:
            by_depth = sorted(self.headings, key=lambda one: len(one.path))
            found = self._by_whole_title(name, by_depth)
        if found is not None:
            return found
        # In a language whose word for a chapter is not known, as they are counted.
        numbers = _FIGURES.findall(name)
        counted = {number: chapter for chapter, number in self._count_chapters()}
        return counted.get(numbers[0].lstrip("0")) if len(numbers) == 1 else None

    def _by_whole_title(self, name: str, headings: Sequence[Heading]) -> Heading | None:
        """Return the first of this title, with the number before it or without."""
        wanted = collapse_space(name).casefold()
        for heading in headings:
            title = collapse_space(heading.path[-1])
            if wanted in (title.casefold(), without_number(title, self.rules).casefold()):
                return heading
        # "Chapter I The Harbour", in whatever language.
        for heading in headings:
            title = collapse_space(heading.path[-1])
            before = _COUNTED.match(title)
            if before and wanted == title[before.end() :].casefold():
                return heading
        return None

    def name_chapters(self) -> tuple[str, ...]:
        """Return the titles of the first chapters, for a refusal."""
        return tuple(chapter.path[-1] for chapter in self.list_chapters()[:RELATED_SECTIONS])

    def place_of(self, heading: Heading) -> Place:
        """Return the opening of a section, which ends where the next one beside or above it begins."""
        following = [
            other.start
            for other in self.headings
            if other.document == heading.document
            and other.start > heading.start
            and other.path[: len(heading.path)] != heading.path
        ]
        end = min([*following, heading.start + OPENING])
        return heading.document, heading.start, end

    @cached_property
    def front(self) -> tuple[str, ...]:
        """The documents before the first chapter, one at least and a few at most."""
        documents = [heading.document for heading in self.documents]
        first = next((one.document for one in self.list_chapters()), "")
        before = documents.index(first) if first in documents else 1
        return tuple(documents[: min(max(1, before), _FRONT_DOCUMENTS)])

    def find_title(self) -> Heading | None:
        """Return the title that the book itself has; None where its first is a chapter's."""
        first = next(iter(self.documents), None)
        if first is None or self._number_of(first) or self.rules.front.search(first.path[-1]):
            return None
        is_chapter = first in self.list_chapters() and len(self.documents) >= _FEW_DOCUMENTS
        return None if is_chapter else first

    @property
    def is_unintroduced(self) -> bool:
        """Whether nothing but the titles of its chapters says what the book is about."""
        if len(self.documents) < _FEW_DOCUMENTS or self.find_title() is not None:
            return False
        first = self.documents[0].path[-1]
        return not self.rules.front.search(first) and not first.endswith(QUESTION_MARKS)

    def list_front(self, aspect: BookAspect) -> list[Place]:
        """Return where the book may say `aspect` of itself: its first text, and what is titled so."""
        opening = [(document, 0, OPENING) for document in self.front]
        places = [
            (heading.document, heading.start, heading.start + _SECTION_OPENING)
            for heading in self.headings
            if len(heading.path) <= _DEEPEST and self._speaks_of_book(heading, aspect)
        ]
        return list(dict.fromkeys([*opening, *places]))[:_MOST_PLACES]

    def is_early(self, document: str) -> bool:
        """Whether a title such as "Introduction" in it is of the book and not of a chapter."""
        return any(document == one.document for one in self.documents[:_FRONT_DOCUMENTS])

    def _is_amid(self, heading: Heading) -> bool:
        """Whether a section stands in the middle of a book: "Author" there is a field of something."""
        documents = [one.document for one in self.documents]
        ends = {*documents[:_FRONT_DOCUMENTS], *documents[-_FRONT_DOCUMENTS:]}
        return len(heading.path) > 1 and heading.document not in ends

    def _speaks_of_book(self, heading: Heading, aspect: BookAspect) -> bool:
        title = heading.path[-1]
        is_early = self.is_early(heading.document)
        if aspect is not BookAspect.SUBJECT and rules_of(aspect, self.rules).titles.search(title):
            return aspect is not BookAspect.AUTHOR or not self._is_amid(heading)
        patterns = (self.rules.front, rules_of(aspect, self.rules).titles)
        # "What this guide is not" says by itself of what it speaks.
        is_of_book = is_early or self.rules.book.search(title) is not None
        return is_of_book and any(pattern.search(title) for pattern in patterns)

    def _count_chapters(self) -> list[Numbered]:
        documents = self.documents
        if len(documents) < _FEW_DOCUMENTS:
            listed = self._topmost_sections()
            found = self._numbered(self.headings)
            least = _FEWER * len(found)
        else:
            listed = self._listed()
            found = self._numbered(documents) or self._numbered_by_path(documents)
            least = (_FEWER if listed else _FAR_FEWER) * len(found)
            listed = listed or _unnumbered(documents)
        # Numbers of a few are those of steps or of one part, where the book has more beside them.
        if not found or (not _is_named(found, self.rules) and least < len(listed)):
            found = _count(listed)
        return found[:MOST_CHAPTERS]

    def _listed(self) -> list[Heading]:
        """Return the documents that a table of contents has topmost, without the page it opens with.

        That is the level with several, or with those that have others below. Of very many those that
        begin a part.
        """
        levels = self.contents.levels
        over = {part.heading for part in self.contents.parts if part.heading}
        several = (
            level
            for level in levels
            if len(level) >= _FEW_DOCUMENTS or len(over.intersection(level)) > 1
        )
        found = [one for one in next(several, ()) if not self._opens_site(one)]
        if len(found) <= MOST_CHAPTERS:
            return found
        begin = {part.members[0] for part in self.contents.parts if not part.heading}
        return [one for one in found if one in begin] or _unnumbered(found)

    def _opens_site(self, heading: Heading) -> bool:
        place = PurePosixPath(heading.document)
        return heading == self.documents[0] and opens_folder(place)

    def find_part(self, asked: AboutBook) -> Part | None:
        """Return what a question names of that which has others below it; None when there is none."""
        parts = [*self.contents.parts, *list_sections(self.headings)]
        if asked.title:
            return self._part_by_title(asked.title, parts)
        if asked.number:
            for part in parts:
                number = read_title_number(part.title, self.rules)
                if number and (number.kind, number.number) == (asked.kind, asked.number):
                    return part
        if self._counts_parts(asked):
            counted = self._count_parts()
            place = int(asked.number) if asked.number.isdecimal() else asked.place
            index = place - 1 if place > 0 else place
            return counted[index] if place and -len(counted) <= index < len(counted) else None
        chapter = self.find_chapter(asked)
        return next((part for part in parts if chapter and part.heading == chapter), None)

    def _counts_parts(self, asked: AboutBook) -> bool:
        """Whether a number or a place is that of a part that the contents have, and of no chapter."""
        is_part = asked.kind in self.rules.chapters_are and asked.kind != self.rules.chapter_is
        return is_part and bool(self._count_parts())

    def _count_parts(self) -> list[Part]:
        """Return the parts that count as the first, the second and so on: none that has a number."""
        topmost = [part for part in self.contents.parts if not part.depth]
        titled = [part for part in topmost if part.heading is None] or topmost
        if any(read_title_number(part.title, self.rules) for part in titled):
            return []
        return titled

    def _part_by_title(self, title: str, parts: Sequence[Part]) -> Part | None:
        """Return the part of this title, else that whose title has all the words, or the shortest."""
        wanted = collapse_space(title).casefold()
        for part in parts:
            whole = collapse_space(part.title)
            if wanted in (whole.casefold(), without_number(whole, self.rules).casefold()):
                return part
        asked = frozenset(content_terms(title))
        held = [
            (len(terms), place)
            for place, part in enumerate(parts)
            if asked and asked <= (terms := frozenset(content_terms(part.title)))
        ]
        return parts[min(held)[1]] if held else None

    def _numbered(self, headings: Iterable[Heading]) -> list[Numbered]:
        """Return the titles that count up, of the kind that is a chapter's and as high as can be."""
        groups: dict[tuple[str, int], list[Numbered]] = defaultdict(list)
        for heading in headings:
            number = self._number_of(heading)
            if number and number.depth == 1 and self._may_be_chapter(number):
                groups[number.kind, len(heading.path)].append((heading, number.number))
        runs = {key: count_up(numbered) for key, numbered in groups.items()}
        least = {True: _LEAST_NAMED, False: _LEAST_NUMBERED}
        fit = {key: run for key, run in runs.items() if len(run) >= least[bool(key[0])]}
        # What is named "chapter" is one; of bare numbers those of the highest titles.
        order = sorted(fit, key=lambda key: (key[0] != self.rules.chapter_is, not key[0], key[1]))
        return fit[order[0]] if order else []

    def _may_be_chapter(self, number: TitleNumber) -> bool:
        return not number.kind or number.kind in self.rules.chapters_are

    def _numbered_by_path(self, documents: Sequence[Heading]) -> list[Numbered]:
        """Return the documents whose names count up, else those that open folders that do."""
        places = [(one, PurePosixPath(one.document)) for one in documents]
        opening = [item for item in places if opens_folder(item[1]) or names_folder(item[1])]
        folders = ((one, place.parent.name) for one, place in opening)
        files = self._count_names((one, place.stem) for one, place in places)
        return files or self._count_names(folders)

    def _count_names(self, named: Iterable[tuple[Heading, str]]) -> list[Numbered]:
        held = [(heading, number_in_name(name, self.rules.appended)) for heading, name in named]
        run = count_up([(heading, number) for heading, number in held if number])
        return run if len(run) >= _LEAST_NUMBERED else []

    def _topmost_sections(self) -> list[Heading]:
        """Return the sections of the highest level that has several."""
        levels: dict[int, list[Heading]] = defaultdict(list)
        for heading in self.headings:
            levels[len(heading.path)].append(heading)
        several = (
            levels[level] for level in sorted(levels) if level > 1 and len(levels[level]) > 1
        )
        return next(several, [])

    def _by_number(self, asked: AboutBook) -> Heading | None:
        """Return what has the number in its title, else the chapter that is counted so."""
        passed_over = {one.document for one in self.documents if one.listed.is_named is False}
        numbered = [one for one in self.headings if self._has_number(one, asked)]
        if named := [one for one in numbered if one.document not in passed_over]:
            return named[0]
        # What the contents pass over may itself be a list of the chapters.
        found = self._counted(asked) or next(iter(numbered), None)
        if found or not asked.kind or asked.kind != self.rules.section_is:
            return found
        return self._by_number(replace(asked, kind=self.rules.chapter_is))

    def _has_number(self, heading: Heading, asked: AboutBook) -> bool:
        number = self._number_of(heading)
        return bool(number and number.number == asked.number and self._is_kind(asked, number))

    def _counted(self, asked: AboutBook) -> Heading | None:
        """Return the chapter that is counted so, where a chapter is asked for."""
        if self._counts_parts(asked):
            return None
        chapters = self._count_chapters()
        numbers = (self._number_of(chapter) for chapter, _ in chapters)
        is_bare = not any(number and number.kind for number in numbers)
        if asked.kind not in self.rules.chapters_are or not (
            is_bare or asked.kind == self.rules.chapter_is
        ):
            return None
        return next((chapter for chapter, number in chapters if number == asked.number), None)

    def _is_kind(self, asked: AboutBook, number: TitleNumber) -> bool:
        if number.kind:
            return number.kind == asked.kind
        # Sections and appendices are numbered without a word for them.
        return asked.kind not in self.rules.chapters_are and (
            number.depth > 1 or not number.number.isdigit()
        )

    def _by_title(self, title: str, chapters: Sequence[Heading]) -> Heading | None:
        """Return the chapter, else the section, whose title has all the words, or the shortest."""
        asked = frozenset(content_terms(title))
        for headings in (chapters, self.headings):
            held = [
                (len(terms), place)
                for place, one in enumerate(headings)
                if asked and asked <= (terms := frozenset(content_terms(one.path[-1])))
            ]
            if held:
                return headings[min(held)[1]]
        return None

    def _number_of(self, heading: Heading) -> TitleNumber | None:
        return read_title_number(heading.path[-1], self.rules)


@dataclass(frozen=True)
class Places:
    """Where to read what is asked of a book."""

    asked: AboutBook
    outline: Outline
    front: tuple[Place, ...] = ()
    titled: tuple[Heading, ...] = ()
    """Headings that are themselves an answer: the titles of chapters, of a part, of the book."""

    stated: tuple[Place, ...] = ()
    """Where else the book may say it: of the chapter asked about, or of itself as chapters begin."""

    @property
    def titles(self) -> tuple[Place, ...]:
        """Where those headings stand."""
        return tuple((one.document, one.start, one.start + _TITLE_WITHIN) for one in self.titled)

    def __bool__(self) -> bool:
        return bool(self.front or self.titled)

    def scope_in(self, scope: Scope) -> Scope:
        return replace(
            scope, places=tuple(dict.fromkeys((*self.front, *self.titles, *self.stated)))
        )


def choose_places(asked: AboutBook, outline: Outline) -> Places:
    """Return the places for what is asked; none where the book has no such chapter."""
    if asked.aspect is BookAspect.CONTENTS:
        return _places_of_chapter(asked, outline)
    if asked.names_chapter:
        return _places_of_part(asked, outline)
    front = tuple(outline.list_front(asked.aspect))
    titled = _once(_list_titles(asked, outline))
    if asked.aspect is BookAspect.TITLE:
        return Places(asked, outline, titled=titled)
    # Without a preface, a book says in its first chapter what it is about and for whom.
    speaks_late = asked.aspect in (BookAspect.SUBJECT, BookAspect.AUDIENCE)
    chapters = outline.list_chapters()[:1] if speaks_late else []
    stated = tuple(outline.place_of(chapter) for chapter in chapters)
    return Places(asked, outline, front, titled, stated)


def _places_of_part(asked: AboutBook, outline: Outline) -> Places:
    """Return the titles of what is in a part or chapter; of one without any its beginning."""
    titled = _members_of(asked, outline)
    chapter = None if titled or asked.title else outline.find_chapter(asked)
    return Places(asked, outline, (outline.place_of(chapter),) if chapter else (), titled)


def _places_of_chapter(asked: AboutBook, outline: Outline) -> Places:
    """Return where a chapter opens; of a part that says nothing itself, the titles of what is in it."""
    chapter = outline.find_chapter(asked)
    titled = _members_of(asked, outline)
    if chapter is None:
        return Places(asked, outline, titled=titled)
    elsewhere = outline.list_front(BookAspect.ORGANISATION) if asked.number else ()
    return Places(asked, outline, (outline.place_of(chapter),), titled, tuple(elsewhere))


def _members_of(asked: AboutBook, outline: Outline) -> tuple[Heading, ...]:
    part = outline.find_part(asked)
    return _once(part.members[:MOST_CHAPTERS]) if part else ()


def _once(headings: Iterable[Heading]) -> tuple[Heading, ...]:
    """Return the first of each title: "Introduction" once, though each part has one."""
    by_title: dict[str, Heading] = {}
    for heading in headings:
        by_title.setdefault(collapse_space(heading.path[-1]), heading)
    return tuple(by_title.values())


def _list_titles(asked: AboutBook, outline: Outline) -> list[Heading]:
    """Return the headings that are themselves an answer to what is asked; most ask for none."""
    if asked.aspect is BookAspect.TITLE:
        title = outline.find_title()
        return [title] if title else []
    chapters = outline.list_chapters() if asked.aspect in _BY_CHAPTERS else []
    tells_little = len(chapters) < _FEW_DOCUMENTS and not outline.is_unintroduced
    return [] if asked.aspect is BookAspect.SUBJECT and tells_little else chapters


def without_number(title: str, rules: BookQuestions) -> str:
    found = rules.numbering.match(title)
    return title[found.end() :] if found else title


def _unnumbered(documents: Sequence[Heading]) -> list[Heading]:
    """Return the documents, or of very many those that stand for their folders."""
    return list(documents) if len(documents) <= MOST_CHAPTERS else title_folders(documents)


def _is_named(numbered: Sequence[Numbered], rules: BookQuestions) -> bool:
    """Whether titles are called chapters, and not only counted."""
    first = read_title_number(numbered[0][0].path[-1], rules)
    return first is not None and bool(first.kind)


def _count(headings: Iterable[Heading]) -> list[Numbered]:
    return [(heading, str(number)) for number, heading in enumerate(headings, 1)]
