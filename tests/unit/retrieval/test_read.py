"""A passage that several sections or pages share answers only with what was asked for."""

from dataclasses import replace

import pytest
from msgspec import structs

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.errors import InvalidInput
from libs.vectors.packed import take_rows, unpack_rows
from libs.vectors.schema import Scope
from services.retrieval.model import HEADING, Chunk, Query, Selection
from services.retrieval.pipeline import search_passages
from services.retrieval.read import hold_within
from tests.support.retrieval_fakes import STAMP, make_chunk, make_tools

LINES = (
    "Pruning",
    "Olives are pruned in winter.",
    "Harvest",
    "Olives are gathered in autumn.",
    "They go to the mill at once.",
)
PRUNING, HARVEST = ("Grove", "Pruning"), ("Grove", "Harvest")
QUERY = Query("book", 1, "When are olives gathered?")


def make_shared() -> Chunk:
    """Make a chunk of two chapters, and of two pages from the second one's last line on."""
    text = "\n".join(LINES)
    chunk = make_chunk(text, start=100, path=PRUNING, also=HARVEST, page=41)
    later, last = 100 + text.index(LINES[2]), 100 + text.index(LINES[4])
    kinds = [HEADING if at in (0, 2) else span.kind for at, span in enumerate(chunk.spans)]
    return structs.replace(
        chunk,
        url="u#anchor",
        spans=tuple(s._replace(kind=k) for s, k in zip(chunk.spans, kinds, strict=True)),
        sections=((100, PRUNING, "anchor"), (later, HARVEST, "harvest")),
        page_breaks=((last, 42),),
    )


def only(scope: Scope, chunk: Chunk) -> Chunk:
    return hold_within({"c": chunk}, scope)["c"]


def texts(chunk: Chunk) -> tuple[str, ...]:
    return tuple(map(chunk.text_of, chunk.spans))


@pytest.fixture(autouse=True)
def budget() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))


def test_a_section_has_no_more_than_its_own_text() -> None:
    shared = make_shared()
    held = only(Scope("book", 1, HARVEST), shared)
    assert texts(held) == LINES[2:]
    assert held.text == "\n".join(LINES[2:])
    assert (held.section_path, held.url, held.page) == (HARVEST, "u#harvest", 41)
    assert "winter" not in held.terms
    rows = unpack_rows(held.span_vectors, 3, STAMP.dimensions)
    whole = unpack_rows(shared.span_vectors, 5, STAMP.dimensions)
    assert (rows == whole[2:]).all()
    assert texts(only(Scope("book", 1, PRUNING), shared)) == LINES[:2]


def test_a_page_has_no_more_than_its_own_text() -> None:
    held = only(Scope("book", 1, page="42"), make_shared())
    assert (texts(held), held.page, held.page_breaks) == (LINES[4:], 42, ())
    assert held.section_path == HARVEST
    assert texts(only(Scope("book", 1, page="41"), make_shared())) == LINES[:4]


def test_a_chunk_within_stays_as_it_is_and_one_outside_goes() -> None:
    shared = make_shared()
    assert only(Scope("book", 1, ("Grove",)), shared) is shared
    assert hold_within({"c": shared}, Scope("book", 1, ("Other",))) == {}


def test_an_edition_that_does_not_say_where_sections_begin_is_read_whole() -> None:
    old = structs.replace(make_shared(), sections=())
    assert only(Scope("book", 1, HARVEST), old) is old


def test_rows_that_do_not_fit_are_left_for_who_reads_them_to_refuse() -> None:
    assert take_rows(b"abc", 2, [1]) == b"abc"


@pytest.mark.parametrize(
    ("asked", "lines"),
    [({"section_path": HARVEST}, LINES[2:]), ({"page": "42"}, LINES[4:]), ({}, LINES)],
)
async def test_a_selection_in_a_part_of_the_book_is_answered_from_that_part(
    asked: dict[str, object], lines: tuple[str, ...]
) -> None:
    selected = replace(QUERY, selection=Selection("a.md", (140, 210)), **asked)  # type: ignore[arg-type]
    found = await search_passages(selected, make_tools(make_shared()))
    [item] = found.passages
    assert texts(item.passage.chunk) == lines


async def test_a_selection_beside_the_page_that_is_named_is_refused() -> None:
    asked = replace(QUERY, selection=Selection("a.md", (100, 110)), page="43")
    with pytest.raises(InvalidInput, match="no page 43"):
        await search_passages(asked, make_tools(make_shared()))


@pytest.mark.parametrize(
    ("asked", "lines"),
    [({"chapter": "Pruning"}, LINES[:2]), ({"page": "42"}, LINES[4:])],
)
async def test_a_search_of_a_part_of_the_book_shows_nothing_beside_it(
    asked: dict[str, object], lines: tuple[str, ...]
) -> None:
    found = await search_passages(replace(QUERY, **asked), make_tools(make_shared()))  # type: ignore[arg-type]
    [item] = found.passages
    assert texts(item.passage.chunk) == lines
    assert len(item.span_scores) == len(lines)


def test_a_page_that_its_source_labels_is_asked_for_by_its_label() -> None:
    shared = structs.replace(make_shared(), page_labels=((41, "x"), (42, "1")))
    assert texts(only(Scope("book", 1, page="1"), shared)) == LINES[4:]
    assert texts(only(Scope("book", 1, page="X"), shared)) == LINES[:4]
    assert shared.label_of(41) == "x"
    assert not shared.has_page("42", shared.start, shared.end)
