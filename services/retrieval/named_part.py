"""Find the part of a book that a reader names by a title, or say which ones come near."""

from collections.abc import Callable, Sequence

from rapidfuzz import fuzz, process

from libs.errors import InvalidInput
from libs.language.about_book import BookQuestions
from libs.text import collapse_space, content_terms, shorten
from services.retrieval.model import Heading
from services.retrieval.outline import Outline, without_number

Path = tuple[str, ...]
Way = Callable[[str, str, BookQuestions], bool]
"""Whether what is wanted names a title."""

_MOST_TOLD = 6
_LONGEST_TOLD = 120
"""Parts that a refusal names, and characters of each."""

_NEAR = 75.0
"""Likeness, in [0, 100], from which a title is named to who has misspelled it or knows it in part:
"Actuatros" is "Actuators" with 89, "Massif" is "Memcheck" with 43."""


def find_section(path: Path, headings: Sequence[Heading], rules: BookQuestions) -> Path:
    """Return the whole path of the section that `path` names, whole or by some of its titles.

    The last title is the section's own and the others stand above it, in this order; a title may be
    without its number. What no title is, part of one may be. A path comes back as it is where there
    are no headings to look in. Raises InvalidInput when nothing is named so, or several sections are.
    """
    known = list(dict.fromkeys(heading.path for heading in headings))
    if not known or path in known:
        return path
    ways = (_is_titled, _has_phrase, _has_words)
    found = next((held for way in ways if (held := _name_paths(path, known, rules, way))), [])
    # Of a chapter and the sections in it that all have the words, the chapter.
    if found and all(one[: len(found[0])] == found[0] for one in found):
        return found[0]
    asked = " > ".join(path)
    if found:
        raise InvalidInput(
            f'"{asked}" is no section alone: {_tell(found)}. Name a title above it too.'
        )
    near = _find_near(path[-1], known)
    hint = f" Near it: {_tell(near)}." if near else f" There are: {_tell(_topmost(known))}."
    raise InvalidInput(f'"{asked}" is no section of this edition of the book.{hint}')


def find_chapter(name: str, outline: Outline) -> Heading:
    """Return the chapter of this title or number, or the one whose title has all the words.

    Raises InvalidInput, with the chapters that there are, when none is meant or several are.
    """
    found = outline.name_chapter(name)
    if found is not None:
        return found
    chapters = outline.list_chapters()
    held = [chapter for chapter in chapters if _has_words(name, chapter.path[-1], outline.rules)]
    if len(held) == 1:
        return held[0]
    paths = [(chapter.path[-1],) for chapter in held or chapters]
    near = [] if held else _find_near(name, [heading.path for heading in outline.headings])
    hint = f" Near it: {_tell(near)}." if near else ""
    if paths:
        hint += f" {'Several have it' if held else 'Chapters'}: {_tell(paths)}."
    raise InvalidInput(f'"{name}" is no chapter of this edition of the book.{hint}')


def _name_paths(path: Path, known: Sequence[Path], rules: BookQuestions, way: Way) -> list[Path]:
    """Return the paths that end with the last title and have the others above it, in order."""

    def fits(one: Path) -> bool:
        above = iter(one[:-1])
        return way(path[-1], one[-1], rules) and all(
            any(way(title, other, rules) for other in above) for title in path[:-1]
        )

    return [one for one in known if fits(one)]


def _is_titled(wanted: str, title: str, rules: BookQuestions) -> bool:
    asked, whole = (collapse_space(text).casefold() for text in (wanted, title))
    return asked in (whole, without_number(whole, rules))


def _has_phrase(wanted: str, title: str, _rules: BookQuestions) -> bool:
    asked, said = (text.casefold().split() for text in (wanted, title))
    return any(said[at : at + len(asked)] == asked for at in range(len(said)))


def _has_words(wanted: str, title: str, _rules: BookQuestions) -> bool:
    asked = set(content_terms(wanted))
    return bool(asked) and asked <= set(content_terms(title))


def _find_near(name: str, known: Sequence[Path]) -> list[Path]:
    """Return the sections whose titles, or a part of them, are most like the name."""
    titles = [path[-1].casefold() for path in known]
    found = process.extract(
        name.casefold(), titles, scorer=_likeness, limit=_MOST_TOLD, score_cutoff=_NEAR
    )
    return list(dict.fromkeys(known[place] for _, _, place in found))


def _likeness(name: str, title: str, **_options: object) -> float:
    """Return the likeness of the name to the title or to one of its words, in [0, 100]."""
    return max(fuzz.ratio(name, part) for part in (title, *title.split()))


def _topmost(known: Sequence[Path]) -> list[Path]:
    """Return the paths of the highest level that has several."""
    depths = sorted({len(path) for path in known})
    levels = ([path for path in known if len(path) == depth] for depth in depths)
    return next((level for level in levels if len(level) > 1), list(known))


def _tell(paths: Sequence[Path]) -> str:
    told = [shorten(" > ".join(path), _LONGEST_TOLD) for path in paths[:_MOST_TOLD]]
    more = len(paths) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
