"""Pages of a PDF as they are printed: drawn, searched, and refused, in a process that may die."""

import struct
from collections.abc import Sequence
from typing import Any

import pytest

from libs.errors import InvalidInput, NotFound, Unavailable
from services.ingest.adapters.page_process import PageProcess
from services.ingest.model.views import PageBox
from services.ingest.original import OriginalPages
from services.ingest.parsers.pdf.drawing import Wanted, draw_page, find_on_page
from tests.support.pdf_files import pdf_of, text_at

PAGES = [
    [
        *(
            text_at(60, 700, "The wheel turns."),
            text_at(60, 400, "The gate is shut. The wheel turns."),
        ),
        *(text_at(60, 300, "It is long and goes on in the"), text_at(60, 288, "next line of it.")),
    ],
    [text_at(60, 700, "Another page, with the end of what began before.")],
]
BOOK = pdf_of(PAGES)


def test_a_page_is_a_picture_of_its_size() -> None:
    png = draw_page(BOOK, 1)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (917, 1223)


def test_a_huge_page_is_drawn_small() -> None:
    huge = BOOK.replace(b"/MediaBox[0 0 600 800]", b"/MediaBox[0 0 6e3 8e3]")
    width, height = struct.unpack(">II", draw_page(huge, 1)[16:24])
    assert max(width, height) <= 1601


def test_a_sentence_of_a_page_has_a_box_where_it_stands() -> None:
    [box] = find_on_page(BOOK, 1, Wanted("The gate is shut."))
    assert box.left == pytest.approx(0.1, abs=0.01)
    assert box.top == pytest.approx(0.49, abs=0.02)
    assert box.height < 0.03


def test_a_sentence_said_twice_is_found_by_the_words_before_it() -> None:
    [first] = find_on_page(BOOK, 1, Wanted("The wheel turns."))
    [second] = find_on_page(BOOK, 1, Wanted("The wheel turns.", before="The gate is shut. "))
    assert (first.top < 0.2, second.top > 0.4) == (True, True)
    assert second.left > first.left


def test_each_line_has_a_box_of_its_own() -> None:
    boxes = find_on_page(BOOK, 1, Wanted("goes on in the next line"))
    assert len(boxes) == 2
    assert boxes[0].top < boxes[1].top


def test_a_sentence_that_runs_over_two_pages_has_a_box_on_each_for_its_part() -> None:
    [box] = find_on_page(BOOK, 2, Wanted("It is here. Another page, with the end"))
    assert box.left == pytest.approx(0.1, abs=0.01)
    assert find_on_page(BOOK, 2, Wanted("Nothing of this kind is said.")) == []
    assert find_on_page(BOOK, 2, Wanted("…")) == []


def test_the_cells_of_a_row_are_found_where_each_stands() -> None:
    cells = [
        text_at(60, 700, "capital expenditure"),
        text_at(300, 700, "in"),
        text_at(400, 700, "2018"),
    ]
    boxes = find_on_page(pdf_of([cells]), 1, Wanted("2018 | capital expenditure"))
    assert sorted(box.left for box in boxes) == pytest.approx([0.1, 0.667], abs=0.01)


def test_a_page_that_is_not_there_and_a_file_that_is_no_pdf_are_refused() -> None:
    for number in (0, 3, -1):
        with pytest.raises(NotFound):
            draw_page(BOOK, number)
    with pytest.raises(InvalidInput):
        draw_page(b"%PDF-1.5\n", 1)


async def test_a_process_draws_finds_and_refuses() -> None:
    drawer = PageProcess(timeout_s=60, memory_mib=1024)
    assert await drawer.draw(BOOK, 2) == draw_page(BOOK, 2)
    found = await drawer.find(BOOK, 1, "The wheel turns.", "The gate is shut. ")
    wanted = Wanted("The wheel turns.", "The gate is shut. ")
    assert [*map(tuple, found)] == [tuple(box) for box in find_on_page(BOOK, 1, wanted)]
    with pytest.raises(NotFound, match="no such page"):
        await drawer.draw(BOOK, 3)
    with pytest.raises(NotFound, match="can't be drawn"):
        await drawer.draw(b"no file", 1)


async def test_a_page_that_takes_too_long_is_given_up() -> None:
    drawer = PageProcess(timeout_s=0.001, memory_mib=1024)
    with pytest.raises(Unavailable, match="takes too long"):
        await drawer.draw(BOOK, 1)


class Fakes:
    """A book of one document with a file, and what draws its pages."""

    def __init__(self) -> None:
        self.drawn: list[int] = []
        self.wanted: list[tuple[str, str]] = []

    async def get_texts(self, _book: str, _edition: int, paths: Sequence[str]) -> dict[str, str]:
        return dict.fromkeys(paths, "One two three.")

    async def find_hash(self, _book: str, _edition: int, path: str) -> str:
        if path != "a.pdf":
            raise NotFound("no file")
        return "h"

    async def read(self, _book: str, _content_hash: str) -> bytes:
        return b"file"

    async def draw(self, data: bytes, page: int) -> bytes:
        self.drawn.append(page)
        return b"page %d of %s" % (page, data)

    async def find(self, _data: bytes, _page: int, text: str, before: str) -> list[PageBox]:
        self.wanted.append((text, before))
        return [PageBox(0, 0, 1, 1)]


@pytest.fixture
def fakes() -> Fakes:
    return Fakes()


@pytest.fixture
def pages(fakes: Fakes) -> OriginalPages:
    all_ports: Any = fakes
    return OriginalPages(all_ports, all_ports, all_ports)


async def test_a_page_is_drawn_once(pages: OriginalPages, fakes: Fakes) -> None:
    drawn = [await pages.draw("book", 1, "a.pdf", number) for number in (1, 1, 2, 1)]
    assert drawn == [b"page 1 of file", b"page 1 of file", b"page 2 of file", b"page 1 of file"]
    assert fakes.drawn == [1, 2]
    with pytest.raises(NotFound):
        await pages.draw("book", 1, "b.pdf", 1)


@pytest.mark.parametrize("between", [(-1, 2), (3, 3), (4, 2), (0, 15)])
async def test_a_range_that_the_text_has_not_is_refused(
    pages: OriginalPages, between: tuple[int, int]
) -> None:
    with pytest.raises(InvalidInput, match="range"):
        await pages.find("book", 1, "a.pdf", 1, between)


async def test_a_range_is_looked_for_with_what_stands_before_it(
    pages: OriginalPages, fakes: Fakes
) -> None:
    assert await pages.find("book", 1, "a.pdf", 1, (4, 7)) == [PageBox(0, 0, 1, 1)]
    assert fakes.wanted == [("two", "One ")]


def test_words_that_a_page_draws_in_another_order_are_found_as_they_are_read() -> None:
    moves = "60 700 Td [(The) -3100 (turns by wind.)] TJ 20 0 Td (wheel) Tj"
    page = [f"BT /F1 10 Tf {moves} ET"]
    found = find_on_page(pdf_of([page]), 1, Wanted("The wheel turns by wind."))
    assert [round(box.left * 600) for box in found] == [60]
