"""What is made once is kept as far as its bytes fit."""

from services.gateway.adapters.code_process import _size_of as size_of_code
from services.gateway.adapters.formula_process import _size_of as size_of_formula
from services.gateway.adapters.kept_work import KeptWork
from services.gateway.model.code import Code, CodePart
from services.gateway.model.formulas import Formula

ROOM = 6400


async def keep(sizes: list[int]) -> list[int]:
    """Return which tasks are kept, by their numbers, of those that take so many bytes each."""
    work = KeptWork[int, int](lambda task: task, lambda task, _: sizes[task], ROOM)
    await work.do(range(len(sizes)), 60)
    return [*work.kept]


async def test_the_newest_whose_bytes_fit_together_are_kept() -> None:
    assert await keep([100] * 64) == [*range(64)]
    assert await keep([100] * 200) == [*range(136, 200)]
    assert await keep([50] * 200) == [*range(72, 200)]


async def test_a_large_result_that_would_drive_out_many_is_not_kept() -> None:
    assert await keep([100, 101, ROOM, 100]) == [0, 3]


def test_sizes_of_formulas_and_code_grow_with_their_text_and_the_result() -> None:
    assert size_of_formula(Formula("x" * 4000), "y" * 60_000) > 64_000
    assert size_of_formula(Formula("π" * 4000), "") > 8000
    parts = [CodePart(0, 1, "name")] * 2000
    assert size_of_code(Code("python", "x" * 20_000), parts) > 300_000
