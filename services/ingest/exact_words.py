"""Find exact words in the texts of an edition, and count them by section."""

import asyncio
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from libs.text import is_unspaced
from services.ingest.model.book import Section
from services.ingest.model.views import DocumentSummary, SectionWithWords, WordsFound
from services.ingest.ports.editions import Catalogue

_AT_ONCE = 2
_BATCH = 1 << 20
"""Characters that are read and looked through together; a longer document is alone."""
_AROUND = 60
_SPACE = re.compile(r"\s+")
_FIRST_WORD = re.compile(r"\S*\s")
_LAST_WORD = re.compile(r"\s\S*$")
_SAME = (
    *(("İ", "i"), ("\u2010", "-"), ("\u2011", "-")),
    *((quote, '"') for quote in "“”„«»"),
    *((quote, "'") for quote in "‘’‚ʼ"),
)
"""What readers type otherwise than books print it; each stays one character."""
_AROUND_WORDS = "\"'"
_BEHIND_WORDS = _AROUND_WORDS + "?!.…。？！؟"
_HANGUL = ("\uac00", "\ud7a3")


class WordSearch:
    """Reads an edition through, a part at a time: texts are in the database, and in no index."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def find(self, book: str, edition: int, words: str) -> WordsFound:
        """Return the sections that have the words, those with the most first; edition 0 is the current.

        Raises NotFound.
        """
        number, documents = await self._catalogue.list_documents(book, edition)
        patterns = patterns_of(words)
        found: list[SectionWithWords] = []
        for paths in _batches(documents) if patterns else ():
            async with self._places:
                found += await self._find_in(book, number, paths, patterns)
        return WordsFound(number, sorted(found, key=lambda one: -one.count))

    async def _find_in(
        self, book: str, edition: int, paths: Sequence[str], patterns: Sequence[re.Pattern[str]]
    ) -> list[SectionWithWords]:
        texts = await self._catalogue.get_texts(book, edition, paths)
        places = await asyncio.to_thread(_all_places, texts, patterns)
        if not places:
            return []
        sections = await self._catalogue.get_sections(book, edition, list(places))
        return await asyncio.to_thread(
            lambda: [
                one
                for path in paths
                if path in places
                for one in by_section(path, texts[path], places[path], sections[path])
            ]
        )


def _batches(documents: Iterable[DocumentSummary]) -> Iterator[list[str]]:
    paths: list[str] = []
    size = 0
    for document in documents:
        if paths and size + document.length > _BATCH:
            yield paths
            paths, size = [], 0
        paths.append(document.path)
        size += document.length
    if paths:
        yield paths


def patterns_of(words: str) -> list[re.Pattern[str]]:
    """Return what finds the words in a text by `fold`, one for each way to write their accents."""
    bare = fold(words).strip().lstrip(_AROUND_WORDS).rstrip(_BEHIND_WORDS + " \t\n")
    if not any(_is_of_word(sign) for sign in bare):
        return []
    forms = (bare, unicodedata.normalize("NFC", bare), unicodedata.normalize("NFD", bare))
    return [re.compile(r"\s+".join(map(re.escape, form.split()))) for form in dict.fromkeys(forms)]


def fold(text: str) -> str:
    """Return a text of the same length without capitals, and with the plain ones of like signs."""
    if text.isascii():
        return text.lower()
    # In parts, so that other work of the process has its turn.
    return "".join(_fold(text[at : at + _BATCH]) for at in range(0, len(text), _BATCH))


def _fold(text: str) -> str:
    for sign, plain in _SAME:
        text = text.replace(sign, plain)
    return text.lower().replace("ς", "σ")


def _all_places(
    texts: "dict[str, str]", patterns: Sequence[re.Pattern[str]]
) -> dict[str, list[tuple[int, int]]]:
    found = {path: find_places(text, patterns) for path, text in texts.items()}
    return {path: places for path, places in found.items() if places}


def find_places(text: str, patterns: Iterable[re.Pattern[str]]) -> list[tuple[int, int]]:
    """Return the ranges of a text that are the words, and no part of longer ones, in order."""
    folded = fold(text)
    return sorted(place for pattern in patterns for place in _places_of(pattern, folded))


def _places_of(pattern: re.Pattern[str], folded: str) -> Iterator[tuple[int, int]]:
    found = pattern.search(folded)
    while found:
        start, end = found.span()
        is_whole = _begins(folded, start) and _ends(folded, end)
        if is_whole:
            yield start, end
        found = pattern.search(folded, end if is_whole else start + 1)


def _begins(text: str, at: int) -> bool:
    return not at or _are_apart(text[at - 1], text[at])


def _ends(text: str, at: int) -> bool:
    if at == len(text) or _are_apart(text[at - 1], text[at]):
        return True
    # What follows a Korean word in the same breath is its particle.
    return _HANGUL[0] <= text[at] <= _HANGUL[1]


def _are_apart(before: str, after: str) -> bool:
    """Whether two characters side by side may belong to two words."""
    if not (_is_of_word(before) and _is_of_word(after)):
        return True
    return is_unspaced(before) or is_unspaced(after)


def _is_of_word(sign: str) -> bool:
    return sign == "_" or unicodedata.category(sign)[0] in "LMN"


def by_section(
    path: str, text: str, places: Iterable[tuple[int, int]], sections: Sequence[Section]
) -> list[SectionWithWords]:
    """Count places by the innermost section that they stand in; `sections` are in order."""
    starts = [section.start for section in sections]
    held: dict[int, list[tuple[int, int]]] = {}
    for place in places:
        at = bisect_right(starts, place[0]) - 1
        while at >= 0 and sections[at].end <= place[0]:
            at -= 1
        held.setdefault(at, []).append(place)
    found = []
    for at, inside in held.items():
        [(start, end), *_] = inside
        before, words, after = _around(text, start, end)
        found.append(
            SectionWithWords(
                path=path,
                section_path=sections[at].path if at >= 0 else (),
                count=len(inside),
                start=start,
                end=end,
                excerpt=before + words + after,
                excerpt_start=len(before),
                excerpt_end=len(before) + len(words),
            )
        )
    return found


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return what stands before the words in their line, the words, and what stands behind them."""
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = text[max(line, start - _AROUND) : start], text[end : end + _AROUND]
    after = after[: line_end - end]
    if start - _AROUND > line:
        before = "…" + _FIRST_WORD.sub("", before, count=1)
    if end + _AROUND < line_end:
        after = _LAST_WORD.sub("", after) + "…"
    words = _SPACE.sub(" ", text[start:end])
    return _SPACE.sub(" ", before).lstrip(), words, _SPACE.sub(" ", after).rstrip()
