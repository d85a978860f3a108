"""Tell questions about the book itself, and what a sentence says of them.

"What is this book about?" asks for no passage that is near its words: it is answered where a book
speaks of itself.
"""

import re
from dataclasses import dataclass
from enum import Enum

from libs.language.about_book import Aspect, BookQuestions
from libs.language.lexicon import Lexicon
from libs.text import collapse_space

_BOOK = "<book>"
_CHAPTER = "<chapter>"
_LONGEST = 200
"""Characters beyond which a question asks for more than what the book is."""

_LAST = -1
_SUBTITLE = re.compile(r":\s|\s[-–—|]\s")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_TOLD, _HINTED, _IMPLIED = 1.0, 0.5, 0.25

FRONT = 1500
"""Characters of a book's first document in which a name or a date alone says whose and when."""


class BookAspect(Enum):
    """What is asked of a book; the values are the names of their rules."""

    CONTENTS = "contents"
    """What one chapter is about."""

    CHAPTERS = "chapters"
    ORGANISATION = "organisation"
    AUTHOR = "author"
    DATE = "date"
    VERSION = "version"
    AUDIENCE = "audience"
    SUBJECT = "subject"


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
    asked = rules.manner.sub("", collapse_space(question.replace("’", "'")))
    text = _name_book(asked, rules, title, alone=alone)
    marked, named = _name_chapter(text, rules, lexicon)
    if named is not None and rules.contents.asked.search(marked):
        return named
    others = (aspect for aspect in BookAspect if aspect is not BookAspect.CONTENTS)
    found = (aspect for aspect in others if rules_of(aspect, rules).asked.search(text))
    return next(map(AboutBook, found), None)


def rules_of(aspect: BookAspect, rules: BookQuestions) -> Aspect:
    found: Aspect = getattr(rules, aspect.value)
    return found


def rate_told(aspect: BookAspect, text: str, rules: BookQuestions, *, at_front: bool) -> float:
    """Return how surely `text` says what is asked of the book, in [0, 1]; 0.0 when it does not.

    `at_front` says whether it stands where the book begins.
    """
    line, rule = collapse_space(text), rules_of(aspect, rules)
    if not line or line.endswith("?"):
        return 0.0
    is_legal = rules.legal.search(line) is not None
    if rule.told.search(line) and not is_legal:
        return _TOLD
    if at_front and rule.hinted.search(line):
        return _HINTED
    return _IMPLIED if at_front and rule.implied.search(line) else 0.0


def read_title_number(title: str, rules: BookQuestions) -> TitleNumber | None:
    """Return the number that a title begins with, roman ones in digits; None when it has none."""
    found = rules.numbering.match(title.strip())
    if found is None:
        return None
    kind = (found["kind"] or "").lower()
    return TitleNumber(kind, _to_digits(found["number"], {}))


def _name_book(text: str, rules: BookQuestions, title: str, *, alone: bool) -> str:
    """Put "<book>" in the place of what names the book."""
    main = _SUBTITLE.split(title)[0].strip()
    # "What is physical AI?" asks of no book, though one has that title.
    if main and rules.titled.search(main):
        named = re.compile(rf"(?:\bthe )?(?<!\w){re.escape(main)}(?!\w)", re.IGNORECASE)
        text = named.sub(_BOOK, text)
    text = rules.book.sub(_BOOK, text)
    return rules.it.sub(_BOOK, text) if alone and _BOOK not in text else text


def _name_chapter(
    text: str, rules: BookQuestions, lexicon: Lexicon
) -> tuple[str, AboutBook | None]:
    """Put "<chapter>" in the place of what names one chapter, and return which."""
    contents = BookAspect.CONTENTS
    found = rules.chapter_placed.search(text)
    if found is not None:
        place = _to_place(found["place"].lower(), rules)
        named = AboutBook(contents, found["kind"].lower(), place=place)
        return _mark(text, found), named
    found = rules.chapter.search(text)
    if found is not None:
        number = _to_digits(found["number"], lexicon.checks.numbers.values)
        return _mark(text, found), AboutBook(contents, found["kind"].lower(), number)
    found = rules.chapter_titled.search(text)
    if found is not None:
        title = next(part for part in (found["title"], found["before"]) if part)
        return _mark(text, found), AboutBook(contents, title=title.strip())
    return text, None


def _mark(text: str, found: "re.Match[str]") -> str:
    return text[: found.start()] + _CHAPTER + text[found.end() :]


def _to_place(word: str, rules: BookQuestions) -> int:
    return _LAST if word in rules.last else rules.places.index(word) + 1


def _to_digits(number: str, spelled: "dict[str, float]") -> str:
    """Return a number in digits where it was spelled or roman; a letter stays one, as a capital."""
    word = number.lower().strip(".")
    if word in spelled:
        return str(int(spelled[word]))
    if len(word) > 1 or word in ("i", "v", "x"):
        values = [_ROMAN.get(letter, 0) for letter in word]
        if all(values):
            return str(_add_roman(values))
    return word.upper()


def _add_roman(values: list[int]) -> int:
    after = [*values[1:], 0]
    return sum(-one if one < other else one for one, other in zip(values, after, strict=True))
