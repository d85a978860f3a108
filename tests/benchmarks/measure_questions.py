"""Measure searching and answering: CPU by process, wall time by stage."""

from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean

from tests.benchmarks.asking import Asked, asking
from tests.benchmarks.corpora import Question
from tests.benchmarks.figures import Figures, percentile
from tests.benchmarks.product import Product

PERCENTILES = (50, 95, 99)
Ask = Callable[[int, str, Asked], Awaitable[None]]


async def measure_questions(
    figures: Figures, product: Product, book: str, questions: Sequence[Question], number: int
) -> None:
    """Search, ask, and ask as a stream, `number` questions each, one after the other."""
    async with asking(product.url, book, questions) as asker:
        for kind in (asker.search, asker.answer, asker.stream):  # connections and code paths
            for warm in range(3):
                await kind(warm, "warm up", Asked())
        searched = await _measure(figures, product, "search", asker.search, number)
        answered = await _measure(figures, product, "answer", asker.answer, number)
        streamed = await _measure(figures, product, "stream", asker.stream, number)
    hits = [
        questions[place % len(questions)].is_found_in(passages)
        for place, passages in enumerate(searched.passages)
    ]
    figures.add("search.gold_in_top", fmean(hits), "of questions", better="higher")
    figures.add("answer.answered", answered.answered / number, "of questions", better="higher")
    _add_percentiles(figures, "stream.first_event", streamed.first_event_ms)
    for stage, values in answered.stages_ms.items():
        _add_percentiles(figures, f"stage.{stage}", values)


async def _measure(figures: Figures, product: Product, kind: str, ask: Ask, number: int) -> Asked:
    asked = Asked()
    with product.measured() as use:
        for place in range(number):
            # As they are in the first turn: a peer is asked the same words.
            await ask(place, "" if kind == "search" else kind, asked)
    for process, seconds in use.seconds.items():
        figures.add(f"{kind}.cpu.{process}", 1e3 * seconds / number, "ms CPU")
    figures.add(f"{kind}.cpu.total", 1e3 * use.total_s / number, "ms CPU", guarded=True)
    figures.add(f"{kind}.refused", asked.refused, "")
    _add_percentiles(figures, f"{kind}.wall", asked.walls_ms)
    return asked


def _add_percentiles(figures: Figures, name: str, values: Sequence[float]) -> None:
    for share in PERCENTILES:
        figures.add(f"{name}.p{share}", percentile(values, share / 100), "ms")
