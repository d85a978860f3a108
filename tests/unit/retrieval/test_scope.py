"""What may answer: limits of a query, and what a selection restricts it to."""

import asyncio
import threading
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from libs.errors import InvalidInput
from libs.language.lexicon import load_lexicon
from libs.text import FoldedText, fold
from libs.vectors.schema import Scope
from services.retrieval import selected as selections
from services.retrieval.model import Chunk, Query, Selection
from services.retrieval.scope import (
    CONTEXT_CHARACTERS,
    Scoped,
    check_query,
    find_scope,
)
from services.retrieval.selected import locate_text
from tests.support.retrieval_fakes import FakeEncoder, FakeIndex, make_chunk

AROUND = CONTEXT_CHARACTERS


async def search_scope(
    asked: Query, index: FakeIndex, policy: str = "restrict", **given: Any
) -> Scoped:
    return await find_scope(asked, index, policy, encoder=FakeEncoder(), **given)


def query(**changed: Any) -> Query:
    return replace(Query("book", 1, "What?"), **changed)


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "changed",
    [
        {"book": ""},
        {"edition": 0},
        {"question": ""},
        {"question": " \n"},
        {"question": "x" * 4001},
        {"max_passages": -1},
        {"max_passages": 51},
        {"document": "x" * 513},
        {"chapter": "x" * 1001},
        {"chapter": "One", "section_path": ("One",)},
        {"page": "-1"},
        {"page": "x" * 33},
        {"selection": Selection("", (0, 5))},
        {"selection": Selection("a.md")},
        {"selection": Selection("a.md", text="  ")},
        {"selection": Selection("a.md", (5, 5))},
        {"selection": Selection("a.md", (-1, 5))},
        {"selection": Selection("a.md", (0, 5001))},
        {"selection": Selection("a.md", text="x" * 5001)},
    ],
)
def test_a_query_outside_its_limits_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        check_query(query(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"question": "x"},
        {"question": "x" * 4000},
        {"max_passages": 50},
        {"selection": Selection("a.md", (0, 5000))},
        {"selection": Selection("a.md", text="x" * 5000)},
    ],
)
def test_a_query_at_its_limits_is_accepted(changed: dict[str, Any]) -> None:
    check_query(query(**changed))


async def test_without_a_selection_the_section_is_the_scope_and_nothing_is_read() -> None:
    index = FakeIndex()
    scoped = await search_scope(query(section_path=("A", "B")), index, timeout_s=1)
    assert scoped.scope == Scope("book", 1, ("A", "B"))
    assert not scoped.widened
    assert index.scopes == []


async def test_one_document_is_the_scope_when_the_edition_has_it() -> None:
    index = FakeIndex(make_chunk("Text.", document="a.md"))
    asked = query(document="a.md")
    assert (await search_scope(asked, index, timeout_s=1)).scope == Scope(
        "book", 1, document="a.md"
    )
    with pytest.raises(InvalidInput, match=r'"z\.md" is no document of this edition'):
        await search_scope(query(document="z.md"), index, timeout_s=1)


CHAPTERS = (
    make_chunk("Arms", document="a.md", path=("Robots", "Chapter 1. Arms"), page=1),
    make_chunk("Legs", document="a.md", start=50, path=("Robots", "Chapter 2. Legs"), page=2),
    make_chunk("Eyes", document="a.md", start=90, path=("Robots", "Chapter 3. Eyes"), page=2),
)
ENGLISH = load_lexicon("en")


@pytest.mark.parametrize("name", ["Chapter 2. Legs", "legs", "2", "chapter 2"])
async def test_a_chapter_is_the_scope_by_its_title_or_its_number(name: str) -> None:
    found = await search_scope(
        query(chapter=name), FakeIndex(*CHAPTERS), rules=ENGLISH, timeout_s=1
    )
    assert found.scope == Scope("book", 1, ("Robots", "Chapter 2. Legs"), "a.md")


async def test_chapters_of_a_language_without_rules_are_found_as_they_are_counted() -> None:
    chapters = [
        make_chunk("a", document=f"{title}.md", position=place, path=(title,))
        for place, title in enumerate(["腕", "足", "目"])
    ]
    found = await search_scope(query(chapter="第2章"), FakeIndex(*chapters), timeout_s=1)
    assert found.scope.section_path == ("足",)


async def test_a_chapter_that_the_edition_has_not_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match='"Wings" is no chapter of this edition'):
        await search_scope(query(chapter="Wings"), FakeIndex(*CHAPTERS), rules=ENGLISH, timeout_s=1)


@pytest.mark.parametrize("path", [("Robots", "Chapter 2. Legs"), ("legs",), ("Chapter 2. Legs",)])
async def test_a_section_is_the_scope_by_its_own_title(path: tuple[str, ...]) -> None:
    asked = query(section_path=path)
    found = await search_scope(asked, FakeIndex(*CHAPTERS), rules=ENGLISH, timeout_s=1)
    assert found.scope == Scope("book", 1, ("Robots", "Chapter 2. Legs"))


async def test_a_section_of_another_document_is_empty_and_not_unknown() -> None:
    index = FakeIndex(*CHAPTERS, make_chunk("Text.", document="b.md", path=("Tools",)))
    asked = query(document="a.md", section_path=("Tools",))
    found = await search_scope(asked, index, rules=ENGLISH, timeout_s=1)
    assert found.scope == Scope("book", 1, ("Tools",), "a.md")


async def test_a_page_is_the_scope_with_what_else_is_asked_for() -> None:
    index = FakeIndex(*CHAPTERS)
    found = await search_scope(query(page="2", document="a.md"), index, timeout_s=1)
    assert found.scope == Scope("book", 1, document="a.md", page="2")
    with pytest.raises(InvalidInput, match="There is no page 3 in what is to be searched"):
        await search_scope(query(page="3"), index, timeout_s=1)
    asked = query(page="2", chapter="arms")
    with pytest.raises(InvalidInput, match="There is no page 2"):
        await search_scope(asked, index, rules=ENGLISH, timeout_s=1)


LABELLED = (
    make_chunk("Thanks", document="a.pdf", path=("Robots",), page=1, page_label="iv"),
    make_chunk("Arms", document="a.pdf", start=50, path=("Robots",), page=2, page_label="1"),
)


@pytest.mark.parametrize("asked", ["iv", "IV"])
async def test_a_labelled_page_is_the_scope_by_its_label(asked: str) -> None:
    found = await search_scope(query(page=asked), FakeIndex(*LABELLED), timeout_s=1)
    assert found.scope == Scope("book", 1, page=asked)
    with pytest.raises(InvalidInput, match="There is no page v in what is to be searched"):
        await search_scope(query(page="v"), FakeIndex(*LABELLED), timeout_s=1)


async def test_a_label_in_a_question_is_a_page_where_the_book_has_it() -> None:
    index = FakeIndex(*LABELLED)
    for named, on_page in (("iv", True), ("A4", False), ("9", True)):
        found = await search_scope(query(), index, named_page=named, timeout_s=1)
        assert found.on_named_page == on_page
        assert found.scope.page == (named if on_page else "")


async def test_a_book_without_pages_is_not_said_to_lack_one() -> None:
    unpaged = FakeIndex(make_chunk("Arms", document="a.md", path=("Robots",)))
    with pytest.raises(
        InvalidInput,
        match=r"^There is no page 42 in what is to be searched: it has no page numbers\.$",
    ):
        await search_scope(query(page="42"), unpaged, timeout_s=1)


@pytest.mark.control("V4")
async def test_a_selection_in_an_unknown_document_is_refused() -> None:
    index = FakeIndex(make_chunk("Text.", document="a.md"))
    with pytest.raises(InvalidInput, match="not part of this edition"):
        await search_scope(query(selection=Selection("z.md", (0, 5))), index, timeout_s=1)


async def scope_of(
    start: int, end: int, chunks: list[Chunk], path: tuple[str, ...] = (), policy: str = "restrict"
) -> Scoped:
    asked = query(selection=Selection("a.md", (start, end)), section_path=path)
    return await search_scope(asked, FakeIndex(*chunks), policy, timeout_s=1)


def long_chunks() -> list[Chunk]:
    return [
        make_chunk("a" * 500, start=0, path=("Doc", "One")),
        make_chunk("b" * 500, start=502, path=("Doc", "One")),
        make_chunk("c" * 500, start=1004, path=("Doc", "Two")),
    ]


async def test_a_selection_across_two_chunks_is_the_scope_itself() -> None:
    scoped = await scope_of(490, 510, long_chunks())
    assert scoped.scope == Scope("book", 1, (), "a.md", (490 - AROUND, 510 + AROUND))
    assert not scoped.widened


async def test_a_selection_within_one_chunk_of_some_length_is_not_widened() -> None:
    scoped = await scope_of(10, 20, long_chunks())
    assert scoped.scope == Scope("book", 1, (), "a.md", (0, 20 + AROUND))
    assert not scoped.widened


async def test_a_section_that_is_too_short_is_widened_to_the_one_above() -> None:
    chunks = [*long_chunks()[:2], make_chunk("c" * 50, start=1004, path=("Doc", "Two"))]
    scoped = await scope_of(1010, 1020, chunks)
    assert scoped.scope == Scope("book", 1, ("Doc",), "a.md")
    assert scoped.widened


async def test_widening_stays_inside_the_section_that_was_asked_for() -> None:
    path = ("Doc", "Two")
    chunks = [*long_chunks()[:2], make_chunk("c" * 50, start=1004, path=("Doc", "Two"))]
    scoped = await scope_of(1010, 1020, chunks, path)
    assert scoped.scope == Scope("book", 1, ("Doc", "Two"), "a.md")


async def test_a_chunk_that_reaches_into_the_section_asked_for_belongs_to_it() -> None:
    path = ("Doc", "Two")
    chunk = make_chunk("a" * 50, path=("Doc", "One"), also=("Doc", "Two"))
    scoped = await scope_of(0, 20, [chunk], path)
    assert scoped.scope.section_path == ("Doc", "Two")


async def test_two_chunks_of_few_characters_are_too_little() -> None:
    chunks = [
        make_chunk("short", start=0, path=("Doc", "One")),
        make_chunk("brief", start=7, path=("Doc", "One")),
        make_chunk("c" * 500, start=14, path=("Doc", "Two")),
    ]
    scoped = await scope_of(0, 12, chunks)
    assert scoped.scope.section_path == ("Doc",)
    assert scoped.widened


async def test_a_selection_that_touches_no_chunk_is_refused() -> None:
    with pytest.raises(InvalidInput):
        await scope_of(5000, 5010, long_chunks())


async def test_only_chunks_that_the_range_overlaps_are_read() -> None:
    index = FakeIndex(*long_chunks())
    asked = query(selection=Selection("a.md", (510, 600)))
    scoped = await search_scope(asked, index, timeout_s=1)
    assert scoped.selection
    assert scoped.selection.text == "b" * 90
    assert [scope.overlap for scope in index.scopes] == [(510, 600)]


@pytest.mark.parametrize(
    ("place", "text", "held"),
    [
        ((4, 16), "weighs 5 kg", '"robot’s knee"'),
        ((4, 16), "robot’s knee bends", '"robot’s knee"'),
        ((5, 17), "robot’s knee", '"obot’s knee"'),
    ],
)
async def test_a_range_that_holds_another_text_than_is_said_is_refused_with_both(
    place: tuple[int, int], text: str, held: str
) -> None:
    asked = query(selection=Selection("a.md", place, text))
    with pytest.raises(InvalidInput) as refused:
        await search_scope(asked, FakeIndex(make_chunk(TEXT)), timeout_s=1)
    said = f'range, {place[0]} to {place[1]} of a.md, holds {held} and not its text, "{text}".'
    assert said in str(refused.value)
    assert "send the range of the text, or only one of the two" in str(refused.value)


async def test_a_long_text_without_spaces_is_told_by_how_it_begins() -> None:
    asked = query(selection=Selection("a.md", (4, 16), "机器人" * 40))
    with pytest.raises(InvalidInput, match=f'not its text, "{("机器人" * 40)[:79]}…"'):
        await search_scope(asked, FakeIndex(make_chunk(TEXT)), timeout_s=1)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ((0, 16), "The robot's\nknee "),
        ((25, 43), "1. **Step one**: [bolt the](https://example.org/42)"),
        ((40, 50), "THE FRAME."),
        ((0, 23), "  "),
    ],
)
async def test_a_text_may_have_other_white_space_typography_and_markup_than_its_range(
    place: tuple[int, int], text: str
) -> None:
    asked = query(selection=Selection("a.md", place, text))
    scoped = await search_scope(asked, FakeIndex(make_chunk(TEXT)), "direct", timeout_s=1)
    assert scoped.selection
    assert scoped.selection.range == place


async def test_a_text_may_hold_what_no_chunk_has_between_those_of_its_range() -> None:
    chunks = [make_chunk("First words"), make_chunk("last words", start=20)]
    asked = query(selection=Selection("a.md", (6, 24), "words (a link) last"))
    assert (await search_scope(asked, FakeIndex(*chunks), "direct", timeout_s=1)).selection
    other = query(selection=Selection("a.md", (6, 24), "words (and very many links) last"))
    with pytest.raises(InvalidInput, match="send the range of the text"):
        await search_scope(other, FakeIndex(*chunks), "direct", timeout_s=1)


async def test_the_direct_policy_searches_only_the_selected_text() -> None:
    scoped = await scope_of(10, 20, long_chunks(), policy="direct")
    assert scoped.scope == Scope("book", 1, (), "a.md", (10, 20))


async def test_a_boosted_selection_leaves_the_whole_book_to_search() -> None:
    scoped = await scope_of(10, 20, long_chunks(), policy="boost")
    assert scoped.scope == Scope("book", 1)
    assert scoped.selection
    assert scoped.selection.text == "a" * 10


async def test_a_text_is_looked_for_in_the_whole_document() -> None:
    index = FakeIndex(*long_chunks())
    scoped = await search_scope(
        query(selection=Selection("a.md", text="bbb ccc")), index, timeout_s=1
    )
    assert scoped.selection
    assert scoped.selection.range == (999, 1007)


@given(st.integers(0, 1504), st.integers(1, 700))
def test_the_selected_text_is_that_of_the_document_at_its_range(start: int, length: int) -> None:
    document = "\n".join(letter * 500 for letter in "abc")
    chunks = [
        make_chunk(letter * 500, start=place * 501, path=("Doc",))
        for place, letter in enumerate("abc")
    ]
    end = min(start + length, 1502)
    assume(start < end and document[start:end].strip())
    scoped = asyncio.run(scope_of(start, end, chunks))
    assert scoped.selection
    assert scoped.selection.text.strip() == document[start:end].strip()


TEXT = "The robot’s knee bends.\n\nStep one: bolt the frame.\nIt weighs 5 kg – no more."


@pytest.mark.parametrize(
    ("selected", "found"),
    [
        ("knee bends", "knee bends"),
        ("  knee bends.\n", "knee bends."),
        ("The robot's knee", "The robot’s knee"),
        ("bends. Step one:", "bends.\n\nStep one:"),
        ("weighs 5 kg - no", "weighs 5 kg – no"),
        ("1. **Step one**: _bolt_ the", "Step one: bolt the"),
        ("[the frame](https://example.org/42) It", "the frame.\nIt"),
        ("| weighs | 5 kg |", "weighs 5 kg"),
    ],
)
def test_selected_text_is_found_whatever_its_white_space_typography_and_markup(
    selected: str, found: str
) -> None:
    start, end = locate_text(selected, [make_chunk(TEXT)])
    assert TEXT[start:end] == found


def test_selected_text_is_found_across_chunks_that_do_not_start_at_zero() -> None:
    chunks = [make_chunk("First words", start=30), make_chunk("last words", start=43)]
    assert locate_text("words last", chunks) == (36, 47)


async def test_a_text_is_looked_for_beside_what_others_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def find(*_: object) -> tuple[int, int]:
        threads.append(threading.current_thread())
        return 0, 5

    monkeypatch.setattr(selections, "locate_text", find)
    asked = query(selection=Selection("a.md", None, "First"))
    await search_scope(asked, FakeIndex(make_chunk("First words")), timeout_s=1)
    assert threads
    assert threading.main_thread() not in threads


FOUR_MB = 4_000_000
LINE = "The pump runs at 40 bar and the valve opens when the oil is warm. "


@pytest.fixture(scope="module")
def megabytes() -> list[Chunk]:
    """A document of 4 MB, with one text at its end that stands nowhere else."""
    text = LINE * 24
    chunks = [make_chunk(text, start=start) for start in range(0, FOUR_MB, len(text))]
    return [*chunks[:-1], make_chunk("Grease the “blue”\n\n\tbearing.", start=chunks[-1].start)]


@pytest.mark.parametrize("selected", ['the "blue" bearing', "**blue** | bearing"])
async def test_others_are_answered_while_a_text_is_looked_for_in_four_megabytes(
    selected: str, megabytes: list[Chunk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selections, "_FEW_CHUNKS", len(megabytes))  # all of them are looked through
    asked = query(selection=Selection("a.md", text=selected))
    looking = asyncio.create_task(search_scope(asked, FakeIndex(*megabytes), timeout_s=60))
    turns = 0
    while not looking.done():
        await asyncio.sleep(0)
        turns += 1
    found = (await looking).selection
    assert found
    assert "bearing" in found.text
    # Where all was looked through at once, these would be four.
    assert turns > 20


@pytest.mark.parametrize("selected", ['the "blue" bearing', "**blue** | bearing"])
async def test_a_text_is_looked_for_in_a_large_document_where_its_words_are(
    selected: str, megabytes: list[Chunk]
) -> None:
    index = FakeIndex(*megabytes)
    asked = query(selection=Selection("a.md", text=selected))
    found = await search_scope(asked, index, "direct", timeout_s=1)
    assert found.selection
    assert found.selection.range[1] > found.selection.range[0] > FOUR_MB - 2 * len(LINE) * 24
    near = [one.overlap for one in index.scopes if one.overlap]
    assert near
    # Neither all of it is read, nor more than what may hold the selection.
    assert index.most_read < 20


async def test_a_text_of_common_words_is_still_found_in_a_large_document(
    megabytes: list[Chunk],
) -> None:
    asked = query(selection=Selection("a.md", text="…the…"))
    found = await search_scope(asked, FakeIndex(*megabytes), "direct", timeout_s=60)
    assert found.selection
    assert found.selection.text == "the"


class SlowIndex(FakeIndex):
    """One from which a whole document takes for ever."""

    async def read_chunks(
        self, scope: Scope, *, most: int | None = None, timeout_s: float
    ) -> list[Chunk]:
        if scope.overlap is None:
            await asyncio.Event().wait()
        return await super().read_chunks(scope, most=most, timeout_s=timeout_s)


@pytest.mark.parametrize("selected", ["a red bearing", "Nothing says zebra"])
async def test_a_text_that_is_nowhere_near_in_a_large_document_is_refused_in_time(
    selected: str, megabytes: list[Chunk]
) -> None:
    asked = query(selection=Selection("a.md", text=selected))
    with pytest.raises(InvalidInput, match="say the selection's start and end"):
        await search_scope(asked, SlowIndex(*megabytes), timeout_s=0.2)


@pytest.mark.parametrize(("selected", "is_there"), [("a red bearing", False), ("the blue", True)])
def test_a_document_of_megabytes_is_folded_only_where_its_letters_are_the_same(
    selected: str, is_there: bool, megabytes: list[Chunk], monkeypatch: pytest.MonkeyPatch
) -> None:
    folded: list[int] = []

    def fold_and_note(text: str) -> FoldedText:
        folded.append(len(text))
        return fold(text)

    monkeypatch.setattr(selections, "fold", fold_and_note)
    with nullcontext() if is_there else pytest.raises(InvalidInput, match="not found"):
        locate_text(selected, megabytes)
    assert sum(folded) < 2 * FOUR_MB / 10


@pytest.mark.parametrize(
    "before", [0, 5, *range(selections._STEP - 20, selections._STEP + 4, 4), 190_000]
)
def test_a_text_is_found_wherever_it_stands_in_a_large_document(before: int) -> None:
    text = "x" * before + " the  knee\nbends " + "y" * (200_000 - before)
    assert locate_text("The knee bends".lower(), [make_chunk(text)]) == (before + 1, before + 16)


def test_chunks_that_overlap_make_the_document_they_are_of() -> None:
    chunks = [make_chunk("two three", start=4), make_chunk("one two", start=0)]
    assert locate_text("one two three", chunks) == (0, 13)


@pytest.mark.parametrize("selected", ["nowhere to be found", "***", "…"])
def test_selected_text_that_is_not_there_is_refused(selected: str) -> None:
    with pytest.raises(InvalidInput, match="not found"):
        locate_text(selected, [make_chunk(TEXT)])
