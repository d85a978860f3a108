"""What measuring sees of a product that is busy, slow, or breaks off."""

import asyncio
import io

import httpx
import pytest
from rich.console import Console

from deploy.evaluation import product as product_module
from deploy.evaluation.product import Product, each
from deploy.evaluation.progress import BarProgress, Progress, progress_for
from deploy.rest_client.client import ProblemError


def _problem(status: int) -> httpx.Response:
    headers = {"Content-Type": "application/problem+json"}
    return httpx.Response(status, json={"title": "no", "status": status}, headers=headers)


async def test_a_busy_product_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = iter([_problem(429), _problem(503), httpx.Response(200, json={"passages": []})])
    monkeypatch.setattr(product_module, "_PAUSE_S", 0.0)
    async with Product("http://p", httpx.MockTransport(lambda _: next(replies))) as product:
        assert await product.search("b", {"question": "q"}) == {"passages": []}


async def test_a_search_that_is_wrong_is_not_tried_again() -> None:
    replies = iter([_problem(422)])
    async with Product("http://p", httpx.MockTransport(lambda _: next(replies))) as product:
        with pytest.raises(ProblemError):
            await product.search("b", {"question": "q"})


async def test_a_question_that_timed_out_is_no_answer_and_is_kept_as_a_problem() -> None:
    async with Product("http://p", httpx.MockTransport(lambda _: _problem(504))) as product:
        asked = await product.ask("b", {"question": "q"})
    assert not asked.has_answer
    assert asked.problem
    assert asked.citations == []


async def test_a_stream_that_ends_without_done_is_no_answer() -> None:
    text = 'event: passages\ndata: {"passages": []}\n\n'
    headers = {"Content-Type": "text/event-stream"}
    reply = httpx.MockTransport(lambda _: httpx.Response(200, text=text, headers=headers))
    async with Product("http://p", reply) as product:
        asked = await product.ask("b", {"question": "q"})
    assert not asked.has_answer
    assert asked.passages == []
    assert asked.problem


async def test_an_unknown_book_stops_the_run() -> None:
    async with Product("http://p", httpx.MockTransport(lambda _: _problem(404))) as product:
        with pytest.raises(ProblemError):
            await product.ask("b", {"question": "q"})


async def test_work_is_done_in_order_and_never_more_than_so_much_at_once() -> None:
    under_way, most = 0, 0

    async def work(item: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return item * 2

    done = await each(range(20), work, what="numbers", progress=Progress(), concurrency=3)
    assert done == [item * 2 for item in range(20)]
    assert most == 3


async def test_the_first_failure_is_the_one_that_is_told() -> None:
    async def work(item: int) -> int:
        raise ValueError(f"item {item}")

    with pytest.raises(ValueError, match="item 0"):
        await each([0, 1], work, what="numbers", progress=Progress())


def test_progress_is_a_bar_on_a_terminal_and_nothing_elsewhere() -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True)
    assert isinstance(progress_for(terminal), BarProgress)
    assert not isinstance(progress_for(Console(file=io.StringIO())), BarProgress)
    bar = progress_for(terminal)
    for total in (2, None):
        bar.begin("work", total)
        bar.step()
        bar.set(2, 2)
        bar.end()
