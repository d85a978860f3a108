"""Exact words: whole, whatever their case and typography, counted by section, in code points."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from services.ingest import exact_words
from services.ingest.exact_words import WordSearch, by_section, find_places, fold, patterns_of
from services.ingest.model.book import Section
from services.ingest.model.views import DocumentSummary
from services.ingest.ports.editions import Catalogue

TEXT = "A 🌊 gate.\n\nThe Gate opens; the floodgate and gateway do not.\nA sea\ngate, a sea  gate."
SECTIONS = [
    Section(("All",), "all", 1, 0, 11, 100),
    Section(("All", "Opens"), "opens", 2, 11, 62, 62),
]


def found_in(text: str, words: str) -> list[str]:
    return [text[start:end] for start, end in find_places(text, patterns_of(words))]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("gate", ["gate", "Gate", "gate", "gate"]),
        ("GATE.", ["gate", "Gate", "gate", "gate"]),
        ("\u201csea gate\u201d?", ["sea\ngate", "sea  gate"]),
        ("(gate|opens)", []),
        (" ?! ", []),
        ("", []),
    ],
)
def test_words_are_found_whole_in_any_case_over_lines(words: str, expected: list[str]) -> None:
    assert found_in(TEXT, words) == expected


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("in C++ and C, C++11", "C++", ["C++", "C++"]),
        ("a.b axb", "a.b", ["a.b"]),
        ("a near-miss, a near miss", "near-miss", ["near-miss"]),
        ("a near\u2011miss", "near-miss", ["near\u2011miss"]),
        ("they don\u2019t", "don't", ["don\u2019t"]),
        ("floodgate gate gate", "gate gate", ["gate gate"]),
        ("caf\u00e9 cafe\u0301 cafe", "caf\u00e9", ["caf\u00e9", "cafe\u0301"]),
        ("caf\u00e9 cafe\u0301 cafe", "cafe", ["cafe"]),
        ("snake_case snake", "snake", ["snake"]),
        ("a\u00a0b", "a b", ["a\u00a0b"]),
    ],
)
def test_signs_accents_and_typography_are_as_readers_type_them(
    text: str, words: str, expected: list[str]
) -> None:
    assert found_in(text, words) == expected


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ("\u8fd9\u4e2a\u673a\u5668\u4eba\u5f88\u5927", "\u673a\u5668\u4eba", 1),
        ("\u4f7f\u7528robot\u624b\u81c2", "robot", 1),
        ("\ub85c\ubd07\uc740 \ud06c\ub2e4", "\ub85c\ubd07", 1),
        ("\uc0b0\uc5c5\ub85c\ubd07", "\ub85c\ubd07", 0),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926", 0),
        (
            "\u0627\u0644\u0645\u062d\u0631\u0643 \u0643\u0628\u064a\u0631",
            "\u0643\u0628\u064a\u0631\u061f",
            1,
        ),
        ("\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03cc\u03c3", 0),
        ("\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3", 2),
        ("Stra\u00dfe STRASSE", "stra\u00dfe", 1),
    ],
)
def test_a_word_ends_as_its_script_has_it(text: str, words: str, count: int) -> None:
    assert len(found_in(text, words)) == count


def test_a_folded_text_has_a_character_for_each_of_the_text() -> None:
    every = "".join(map(chr, (*range(0x20, 0xD800), *range(0xE000, 0x20000))))
    assert len(fold(every)) == len(every)


def test_places_are_counted_by_the_innermost_section() -> None:
    found = by_section("a.md", TEXT, find_places(TEXT, patterns_of("gate")), SECTIONS)
    shown = [(one.section_path, one.count, TEXT[one.start : one.end]) for one in found]
    assert shown == [(("All",), 3, "gate"), (("All", "Opens"), 1, "Gate")]
    [outside] = by_section("a.md", TEXT, [(4, 8)], [])
    assert (outside.section_path, outside.count) == ((), 1)


def test_an_excerpt_is_one_line_of_whole_words_around_the_first_place() -> None:
    text = "once upon " * 9 + "a sea  gate and " + "then more " * 9
    [found] = by_section("a.md", text, find_places(text, patterns_of("sea gate")), [])
    assert found.excerpt.startswith("\u2026upon once upon")
    assert found.excerpt.endswith("more then\u2026")
    assert "a sea gate and then" in found.excerpt
    assert found.excerpt[found.excerpt_start : found.excerpt_end] == "sea gate"
    [whole] = by_section("a.md", "One gate.", [(4, 8)], [])
    assert (whole.excerpt, whole.excerpt_start, whole.excerpt_end) == ("One gate.", 4, 8)


def test_an_excerpt_is_of_no_other_line() -> None:
    text = "Gates\n\nlow | 2 m\nthe gate | 3 m\nhigh | 4 m"
    [found] = by_section("a.md", text, find_places(text, patterns_of("gate")), [])
    assert found.excerpt == "the gate | 3 m"


class Shelf:
    """A book of texts by path, and what was read of it."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.read: list[Sequence[str]] = []

    async def list_documents(self, _book: str, edition: int) -> tuple[int, list[DocumentSummary]]:
        held = [DocumentSummary(path, path, len(text), "h", 1) for path, text in self.texts.items()]
        return edition or 7, held

    async def get_texts(self, _book: str, _edition: int, paths: Sequence[str]) -> dict[str, str]:
        self.read.append(paths)
        return {path: self.texts[path] for path in paths}

    async def get_sections(self, _book: str, _edition: int, paths: Sequence[str]) -> dict[str, Any]:
        return {path: [Section((path,), path, 1, 0, 1, 99)] for path in paths}


async def test_an_edition_is_read_in_parts_and_told_by_the_number_of_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact_words, "_BATCH", 12)
    shelf = Shelf({"a": "a gate", "b": "a wall", "c": "gate, gate and gate", "d": "a gate"})
    found = await WordSearch(cast("Catalogue", shelf)).find("book", 0, "gate")
    assert (found.edition, found.total) == (7, 5)
    assert [(one.path, one.count) for one in found.sections] == [("c", 3), ("a", 1), ("d", 1)]
    assert shelf.read == [["a", "b"], ["c"], ["d"]]


async def test_nothing_is_read_for_words_without_a_letter() -> None:
    shelf = Shelf({"a": "a gate"})
    found = await WordSearch(cast("Catalogue", shelf)).find("book", 2, "?!")
    assert (found.edition, found.total, shelf.read) == (2, 0, [])
