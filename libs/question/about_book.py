"""Recognise questions about the book itself, and rate whether a sentence answers them.

"What is this book about?" asks for no passage that is near its words: it is answered where a book
speaks of itself.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from libs.language.about_book import Aspect, BookQuestions
from libs.language.entries import Words
from libs.language.lexicon import Lexicon
from libs.text import QUESTION_MARKS, collapse_space, read_han, read_roman, without_accents

_BOOK = "<book>"
_CHAPTER = "<chapter>"
_LONGEST = 200
"""Characters beyond which a question asks for more than what the book is."""

_POINTS = re.compile("[\u0640\u064b-\u0652\u0670]+")
"""Vowel points of Arabic and the stroke that lengthens a word, which one may set or leave out."""

_CAPITALISED = r"[^\W\d_a-z][\w.'’-]*"
_SIGNED = re.compile(
    rf"(?:{_CAPITALISED}\s){{1,3}}{_CAPITALISED}"
    r"[\s,]+<?[\w.+-]+@[\w-]+\.[\w.-]+>?(?:\s\w+ [\d.]+)?"
)
"""A name, its address and perhaps a version, as Asciidoctor sets them below a title."""

_LAST = -1
_NAMING = ("number", "place", "before", "title")
"""Groups of patterns that tell which part is meant; a kind alone tells none."""

_CLAUSE_END = re.compile(r"[,;:.!?]\s|\s[-–—]\s|[，、；：。！？،؛؟।]")
_SUBTITLE = re.compile(r":\s|：|\s[-–—|]\s")
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""What a word may go on with: Chinese, Japanese and Korean put particles right behind a name."""

_STATED, _STATED_ELSEWHERE, _LEANING = 1.0, 0.8, 0.7
"""Ratings of sentences: at the place itself, where the book tells of its chapters, "these" in it."""

_HINTED, _IMPLIED, _TITLED = 0.5, 0.25, 0.1
"""Ratings of lines that are no sentences of their own."""

FRONT = 1500
"""Characters of a book's first document in which a name or a date alone says whose and when."""


_LONGEST_LINE = 120
"""Characters of a line on a first page that is set as a title and is none."""


class BookAspect(Enum):
    """What is asked of a book; the values are the names of their rules."""

    CONTENTS = "contents"
    """What one chapter is about."""

    CHAPTERS = "chapters"
    LICENCE = "licence"
    """Under which terms the book may be used."""

    ORGANISATION = "organisation"
    PUBLISHER = "publisher"
    AUTHOR = "author"
    VERSION = "version"
    DATE = "date"
    AUDIENCE = "audience"
    SUBJECT = "subject"
    TITLE = "title"


_OF_LINES = (BookAspect.DATE, BookAspect.VERSION, BookAspect.AUTHOR, BookAspect.PUBLISHER)
"""What a line of a first page says by itself."""


@dataclass(frozen=True)
class AboutBook:
    """What a question asks of the book itself, and of which of its chapters.

    A chapter has a `number` as its title says it ("3", "A", "4.2") or a `place` (1 is the first, -1
    the last), or words of its `title`; `kind` is what the question calls it.
    """

    aspect: BookAspect
    kind: str = ""
    number: str = ""
    place: int = 0
    title: str = ""

    @property
    def names_chapter(self) -> bool:
        return bool(self.number or self.place or self.title)


@dataclass(frozen=True)
class TitleNumber:
    """The number that a title begins with: ("chapter", "3") of "Chapter 3. Sensors"."""

    kind: str
    number: str

    @property
    def depth(self) -> int:
        return self.number.count(".") + 1


def read_about_book(
    question: str, lexicon: Lexicon, *, title: str = "", alone: bool = True
) -> AboutBook | None:
    """Return what `question` asks of the book; None when it asks of something in it.

    `title` is the book's, by which a question may call it. `alone` says that "it" can be nothing else.
    """
    rules = lexicon.about_book
    if len(question) > _LONGEST:
        return None
    asked = rules.manner.sub("", _plain(question).replace("’", "'"))
    text = _name_book(asked, rules, title, alone=alone)
    # Of two things that are asked of a book, the first.
    first, *others = lexicon.sub_questions.clause.split(text)
    found = _read_one(first, lexicon)
    return found if all(_goes_on(other, lexicon) for other in others) else None


def _goes_on(clause: str, lexicon: Lexicon) -> bool:
    """Whether a clause behind one that asks of the book asks of it too."""
    leans = lexicon.sub_questions.leans.search(clause) is not None
    return leans or _BOOK in clause or _read_one(clause, lexicon) is not None


def _read_one(text: str, lexicon: Lexicon) -> AboutBook | None:
    rules = lexicon.about_book
    replaced, named = _name_chapter(text, rules, lexicon.checks.numbers.values)
    if (part := _read_part(text, replaced, named, rules)) is not None:
        return part
    if named is not None and rules.contents.asked.search(replaced):
        return named
    others = (aspect for aspect in BookAspect if aspect is not BookAspect.CONTENTS)
    found = (aspect for aspect in others if rules_of(aspect, rules).asked.search(text))
    return next(map(AboutBook, found), None)


def _read_part(
    text: str, replaced: str, named: AboutBook | None, rules: BookQuestions
) -> AboutBook | None:
    """Return what asks for the chapters of a part, named by its number, its place or its title."""
    aspect, asked = BookAspect.CHAPTERS, rules.chapters.within
    if named is not None and not named.title and asked.search(replaced):
        return replace(named, aspect=aspect)
    found = rules.part_titled.search(text)
    if found is None:
        return None
    title = next(part for part in found.groups() if part)
    return AboutBook(aspect, title=title.strip())


def asks_of_part(text: str, named: tuple[int, int], rules: BookQuestions) -> bool:
    """Whether a question asks what a part of the book is about that it names in this range."""
    start, end = named
    marked = f"{text[:start]} {_CHAPTER} {text[end:]}"
    return rules.contents.asked.search(collapse_space(rules.manner.sub("", marked))) is not None


def may_be_thing(question: str, rules: BookQuestions) -> bool:
    """Whether what a question calls the book may as well be something that the book speaks of."""
    named = [found[0] for found in rules.book.finditer(question)]
    return bool(named) and all(map(rules.thing.fullmatch, named))


def rules_of(aspect: BookAspect, rules: BookQuestions) -> Aspect:
    found: Aspect = getattr(rules, aspect.value)
    return found


@dataclass(frozen=True)
class Standing:
    """Where a sentence stands: where the book begins, under titles, in the chapter asked about."""

    at_front: bool = False
    titles: tuple[str, ...] = ()
    in_chapter: bool = True
    below_title: bool = False
    """Whether it is what directly follows the title of the whole."""
    before: str = ""
    """The sentence before it in its paragraph."""


def rate_statement(asked: AboutBook, text: str, rules: BookQuestions, standing: Standing) -> float:
    """Return how surely `text` says what is asked of the book, in [0, 1]; 0.0 when it does not."""
    line, rule = _plain(text), rules_of(asked.aspect, rules)
    is_unsaid = asked.aspect is BookAspect.AUTHOR and rules.unnamed.search(line)
    is_legal = asked.aspect is not BookAspect.LICENCE and rules.legal.search(line)
    if not line or line.endswith(QUESTION_MARKS) or is_legal or is_unsaid:
        return 0.0
    goes_on = rule.continued.search(line) and rules.book.search(_plain(standing.before))
    is_stated = rule.stated.search(line) and _may_divide(asked, line, rules, standing)
    if standing.in_chapter and (goes_on or is_stated):
        return _LEANING if rules.leaning.search(line) else _STATED
    if (
        asked.number
        and _names_chapter(asked, line, rules)
        and rules.organisation.stated.search(line)
    ):
        return _STATED_ELSEWHERE
    is_signed = asked.aspect is BookAspect.AUTHOR and _SIGNED.match(line)
    if (standing.at_front and rule.hinted.search(line)) or (
        standing.below_title and (is_signed or rule.below_title.search(line))
    ):
        return _HINTED
    if standing.at_front and rule.implied.search(line):
        return _IMPLIED
    return _TITLED if any(map(rule.under.search, standing.titles)) else 0.0


def rate_titled_line(asked: AboutBook, text: str, rules: BookQuestions) -> float:
    """Return how surely a line below a book's title says whose or of when it is, though it is set as
    a title itself: "August 5, 2019"."""
    if asked.aspect not in _OF_LINES or len(text) > _LONGEST_LINE:
        return 0.0
    return rate_statement(asked, text, rules, Standing(at_front=True))


def _may_divide(asked: AboutBook, line: str, rules: BookQuestions, standing: Standing) -> bool:
    """Whether parts that a line counts may be the book's: a bar of a window has three sections, too."""
    if asked.aspect is not BookAspect.CHAPTERS or standing.at_front:
        return True
    return rules.chapter_is in line.lower() or rules.book.search(line) is not None


def is_byline(text: str, rules: BookQuestions, standing: Standing) -> bool:
    """Whether a line only says who wrote the book or when, and nothing of what it is about."""
    by = map(AboutBook, (BookAspect.AUTHOR, BookAspect.PUBLISHER, BookAspect.DATE))
    return any(rate_statement(asked, text, rules, standing) >= _HINTED for asked in by)


def _names_chapter(asked: AboutBook, line: str, rules: BookQuestions) -> bool:
    found = rules.chapter.finditer(line)
    named = ((_to_kind(one["kind"], rules), _to_digits(one["number"], {})) for one in found)
    return (asked.kind, asked.number) in named


def read_title_number(title: str, rules: BookQuestions) -> TitleNumber | None:
    """Return the number that a title begins with, roman ones in digits; None when it has none."""
    found = rules.numbering.match(title.strip())
    if found is None:
        return None
    places = enumerate(rules.places, 1)
    spelled = {name: float(place) for place, names in places for name in names.split()}
    kind = _to_kind(found["kind"] or "", rules)
    return TitleNumber(kind, _to_digits(found["number"], spelled))


def read_chapter_name(
    name: str, rules: BookQuestions, numbers: Mapping[str, float]
) -> AboutBook | None:
    """Return the chapter that is named as in a question, or by its number alone; None for a title.

    "Chapter 3", "3", "chapter three" and "the third chapter" are one. `numbers` are the language's
    words for them.
    """
    bare = _plain(name).strip(" .")
    replaced, named = _name_chapter(bare, rules, numbers)
    if named is not None and replaced.strip() == _CHAPTER and not named.title:
        return named
    number = _to_digits(bare, numbers)
    is_number = number.isdecimal() or (len(number) == 1 and number.isalpha())
    kind = rules.chapter_is
    return AboutBook(BookAspect.CONTENTS, kind, number) if is_number else None


def name_parts(question: str, lexicon: Lexicon) -> list[AboutBook]:
    """Return the parts of the book that a question says it asks of.

    Each has a number, a place, or a title with the kind that the question gives it: "in chapter 3", "in
    the last chapter", "in the hardware page". Whether the book has such a part is not known here.
    """
    rules, numbers = lexicon.about_book, lexicon.checks.numbers.values
    text = _plain(question)
    if len(text) > _LONGEST:
        return []
    for form in rules.listed:
        text = form.pattern.sub(form.into, text)
    patterns = (rules.chapter, rules.chapter_placed, rules.pointed, rules.placed)
    matches = [found for pattern in patterns for found in pattern.finditer(text)]
    named = (
        _read_named(found.groupdict(), rules, numbers)
        for found in matches
        if not any(_is_within(found, other) for other in matches)
    )
    return list(dict.fromkeys(one for one in named if one.names_chapter))


def _is_within(found: "re.Match[str]", other: "re.Match[str]") -> bool:
    """Whether a name is a part of a longer one: "module 1" in "the module 1 project"."""
    (start, end), (first, last) = found.span(), other.span()
    return first <= start and end <= last and end - start < last - first


def omit_parts(question: str, lexicon: Lexicon, called: Iterable[str] = ()) -> str:
    """Return a question with a pronoun for each part of the book that it names: no part says its name.

    `called` are what else parts are called in it, in lower case.
    """
    rules = lexicon.about_book
    text = _plain(question)
    for form in rules.listed:
        text = form.pattern.sub(form.into, text)
    names = "|".join(map(re.escape, sorted(called, key=len, reverse=True)))
    text = rules.each_of.sub(rules.pronoun, text)

    def stand_in(found: "re.Match[str]") -> str:
        groups = found.groupdict()
        return f" {rules.pronoun} " if any(map(groups.get, _NAMING)) else found[0]

    for pattern in (rules.pointed, rules.chapter, rules.chapter_placed, rules.placed):
        text = pattern.sub(stand_in, text)
    if names:
        article = _optional(rules.articles)
        text = re.sub(rf"{article}\b(?:{names})\b", rules.pronoun, text, flags=re.IGNORECASE)
    one = re.escape(rules.pronoun)
    text = re.sub(rf"\b{one}\b(?:(?:\W+\w{{1,3}}){{0,2}}\W+{one}\b)+", rules.pronoun, text)
    return re.sub(r"\s+(?=[,;:.?!])", "", collapse_space(text))


def _read_named(
    found: Mapping[str, str | None], rules: BookQuestions, numbers: Mapping[str, float]
) -> AboutBook:
    """Return the part that a pattern found by its number, its place, or words of its title."""
    contents, kind = (
        BookAspect.CONTENTS,
        _to_kind(found.get("kind") or found.get("of") or "", rules),
    )
    if number := found.get("number"):
        return AboutBook(contents, kind, _to_digits(number, numbers))
    if place := found.get("place"):
        return AboutBook(contents, kind, place=_to_place(place.lower().replace(" ", ""), rules))
    title = found.get("before") or found.get("title") or ""
    return AboutBook(contents, kind, title=title.strip())


def name_kind(question: str, lexicon: Lexicon) -> tuple[str, int]:
    """Return the kind of part of which a question asks of each, and how many it says there are.

    The kind is as written: ("projects", 4) of "each of the four projects"; 0 for no number, "" for no
    such kind.
    """
    found = lexicon.about_book.each_of.search(_plain(question))
    if found is None:
        return "", 0
    count = _to_digits(found["count"], lexicon.checks.numbers.values) if found["count"] else ""
    return found["kind"].lower(), int(count) if count.isdecimal() else 0


def _plain(text: str) -> str:
    return collapse_space(_POINTS.sub("", text))


def _name_book(text: str, rules: BookQuestions, title: str, *, alone: bool) -> str:
    """Put "<book>" in the place of what names the book."""
    main = main_title(title)
    # "What is physical AI?" asks of no book, though one has that title.
    if main and rules.titled.search(main):
        named = re.compile(
            rf"{_optional(rules.articles)}(?<!{_LETTER}){re.escape(main)}(?!{_LETTER})",
            re.IGNORECASE,
        )
        text = named.sub(_BOOK, text)
    text = rules.book.sub(_BOOK, text)
    found = rules.it.search(text) if alone else None
    # "There is a deposit of £40, what is it for?" has spoken of another thing.
    if found is None or _CLAUSE_END.search(text, 0, found.start()):
        return text
    return rules.it.sub(_BOOK, text)


def main_title(title: str) -> str:
    """Return a title without its subtitle: "Robots" of "Robots: a short course"."""
    return _SUBTITLE.split(title)[0].strip()


def _optional(words: Words) -> str:
    """Return a pattern of one of the words with the space after it, or of nothing."""
    return rf"(?:\b(?:{'|'.join(sorted(words))}) )?" if words else ""


def _name_chapter(
    text: str, rules: BookQuestions, numbers: Mapping[str, float]
) -> tuple[str, AboutBook | None]:
    """Put "<chapter>" in the place of what names one chapter, and return which."""
    contents = BookAspect.CONTENTS
    found = rules.chapter_placed.search(text)
    if found is not None:
        place = _to_place(found["place"].lower().replace(" ", ""), rules)
        named = AboutBook(contents, _to_kind(found["kind"], rules), place=place)
        return _mark(text, found), named
    found = rules.chapter.search(text)
    if found is not None:
        number = _to_digits(found["number"], numbers)
        return _mark(text, found), AboutBook(contents, _to_kind(found["kind"], rules), number)
    found = rules.chapter_titled.search(text)
    if found is not None:
        title = next(part for part in (found["title"], found["before"]) if part)
        return _mark(text, found), AboutBook(contents, title=title.strip())
    return text, None


def _mark(text: str, found: "re.Match[str]") -> str:
    return text[: found.start()] + _CHAPTER + text[found.end() :]


def _to_place(word: str, rules: BookQuestions) -> int:
    """Return the place that a word names, whatever it ends in, or a number: 3 of "3rd"."""
    if word.isdigit():
        return int(word)
    if word in rules.last:
        return _LAST
    return next(place for place, words in enumerate(rules.places, 1) if word in words.split())


def _to_kind(word: str, rules: BookQuestions) -> str:
    """Return what a question calls a chapter as books write it: with its accents."""
    known = (rules.chapter_is, *rules.chapters_are, *rules.appended)
    bare = without_accents(word.lower())
    return next((kind for kind in known if without_accents(kind) == bare), word.lower())


def _to_digits(number: str, spelled: Mapping[str, float]) -> str:
    """Return a number in digits where it was spelled, roman or of another script.

    A letter stays one, as a capital.
    """
    word = number.lower().strip(".")
    if word in spelled:
        return str(int(spelled[word]))
    if all(part.isdecimal() for part in word.split(".")):
        return ".".join(str(int(part)) for part in word.split("."))
    if (han := read_han(word)) is not None:
        return str(han)
    roman = read_roman(word) if len(word) > 1 or word in ("i", "v", "x") else None
    return word.upper() if roman is None else str(roman)
