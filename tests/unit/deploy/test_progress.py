"""What an operator sees of a job where no bars can be drawn."""

import io

import pytest
from rich.console import Console

from deploy.cli.progress import LineDisplay


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def display(file: io.StringIO, clock: Clock) -> LineDisplay:
    return LineDisplay(Console(file=file), clock)


def job(documents: int = 0, chunks: int = 0, known: int = 0, **more: object) -> dict[str, object]:
    counted = {"documents_done": documents, "chunks_done": chunks, "chunks_total": known}
    return {"book": "b", "documents_total": 100, **counted, **more}


def test_a_line_is_there_before_any_passage_is_known(
    display: LineDisplay, file: io.StringIO
) -> None:
    display.show(job())
    assert file.getvalue() == "  b: 0 of 100 documents\n"


def test_lines_go_on_where_all_the_passages_known_so_far_are_done(
    display: LineDisplay, file: io.StringIO, clock: Clock
) -> None:
    for second in range(40):
        clock.now_s = float(second)
        display.show(job(second, 10 * second, 10 * second))
    assert file.getvalue().splitlines() == [
        "  b: 0 of 100 documents",
        "  b: 10 of 100 documents, 100 of 100 passages",
        "  b: 20 of 100 documents, 200 of 200 passages",
        "  b: 30 of 100 documents, 300 of 300 passages",
    ]


def test_a_job_that_has_not_come_on_is_not_told_again(
    display: LineDisplay, file: io.StringIO, clock: Clock
) -> None:
    for second in range(40):
        clock.now_s = float(second)
        display.show(job(1))
    display.show(job(2, 5, 10, left_s=3.2))
    assert file.getvalue().splitlines() == [
        "  b: 1 of 100 documents",
        "  b: 2 of 100 documents, 5 of 10 passages, about 3 s left",
    ]
