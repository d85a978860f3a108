"""Formulas of a book: one that takes long holds up nobody but itself."""

import asyncio
import time
from pathlib import Path

import pytest

from services.gateway.adapters.formula_process import FormulaProcess
from services.gateway.model.formulas import Formula

GOOD = Formula(r"\frac{a}{b}")


@pytest.fixture
def drawer() -> FormulaProcess:
    return FormulaProcess()


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "tex",
    ["(" * 60, "[" * 60, "(" * 4000, "{" * 4000, "{" * 1900 + "x" + "}" * 1900, r"\sqrt" * 700],
)
async def test_a_formula_of_many_brackets_does_not_block_the_event_loop(
    drawer: FormulaProcess, tex: str
) -> None:
    begun = time.monotonic()
    drawing = asyncio.create_task(drawer.draw([Formula(tex), GOOD]))
    longest = 0.0
    while not drawing.done():
        before = time.monotonic()
        await asyncio.sleep(0.005)
        longest = max(longest, time.monotonic() - before)
    drawn = await drawing
    assert drawn[0] == ""
    assert time.monotonic() - begun < 4
    assert longest < 1


async def test_a_formula_that_takes_too_long_is_given_up_once_and_the_others_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.gateway.adapters.formula_process._MOST_OPEN", 1000)
    drawer = FormulaProcess(total_s=30)
    first, *_ = await drawer.draw([Formula("(" * 39)])
    begun = time.monotonic()
    again = await drawer.draw([Formula("(" * 39), GOOD])
    assert (first, again[0]) == ("", "")
    assert "<mfrac>" in again[1]
    assert [*drawer._work.kept] == [Formula("(" * 39), GOOD]
    assert await drawer.draw([GOOD]) == [again[1]]
    assert time.monotonic() - begun < 20


async def test_a_formula_that_is_late_comes_back_empty_and_is_drawn_the_next_time() -> None:
    drawer = FormulaProcess(total_s=0)
    assert await drawer.draw([GOOD]) == [""]
    drawer._total_s = 30
    assert "<mfrac>" in (await drawer.draw([GOOD]))[0]


@pytest.mark.control("V15")
async def test_the_drawing_process_has_no_key_in_its_environment(
    monkeypatch: pytest.MonkeyPatch, drawer: FormulaProcess
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    await drawer.draw([GOOD])
    environ = Path(f"/proc/{drawer._child._children[0].pid}/environ")
    environment = await asyncio.to_thread(environ.read_bytes)
    assert b"canary" not in environment


async def test_the_process_ends_with_its_owner() -> None:
    drawer = FormulaProcess()
    await drawer.draw([GOOD])
    child = drawer._child._children[0]
    del drawer
    for _ in range(100):
        if child.poll() is not None:
            break
        await asyncio.sleep(0.05)
    assert child.poll() is not None
