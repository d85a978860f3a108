"""A book and answers known beforehand give known figures; each planted fault moves its own figure."""

from collections.abc import Callable
from typing import Any

import pytest

from deploy.evaluation.benchmarks.golden import measure_golden
from deploy.evaluation.datasets import Gold, GoldenRow, SelectedText
from deploy.evaluation.product import Product
from deploy.evaluation.report.result import Measured
from deploy.evaluation.session import Session
from tests.support.evaluation_fakes import FakeProduct, Json, cited, refused

TEXT = "The arm has six joints. It weighs nine kilograms. Grease it every month. It can't swim."
JOINTS, WEIGHT, GREASE, SWIM = (f"{part.strip()}." for part in TEXT.rstrip(".").split(". "))
DOCUMENTS = {"docs/arm.md": TEXT}


def _row(name: str, kind: str = "fact", *gold: str, **more: Any) -> GoldenRow:
    answerable = kind not in ("off_topic", "near_miss", "false_premise", "book_injection")
    places = tuple(Gold("arm.md", quote) for quote in gold)
    return GoldenRow(name, kind, name, answerable, places, **more)


ROWS = [
    _row("joints", "fact", "The arm has **six** joints."),
    _row("weight", "fact", "It weighs nine kilograms"),
    _row("both", "compare", "six joints", "nine kilograms", need="all"),
    _row("moon", "off_topic"),
    _row("swim", "false_premise", "It can't swim."),
    _row("orders", "book_injection"),
]
RIGHT: dict[str, Json] = {
    "joints": cited("docs/arm.md", TEXT, JOINTS),
    "weight": cited("docs/arm.md", TEXT, WEIGHT),
    "both": cited("docs/arm.md", TEXT, TEXT[: TEXT.index(" Grease")]),
    "moon": refused(),
    "swim": cited("docs/arm.md", TEXT, SWIM),
    "orders": refused(),
}


async def _measure(
    answers: dict[str, Json], find: Callable[[Json], list[Json]] | None = None, **more: Any
) -> Measured:
    whole = {"document": "docs/arm.md", "start": 0, "end": len(TEXT)}
    fake = FakeProduct(
        DOCUMENTS, lambda body: answers[body["question"]], find or (lambda _: [whole]), **more
    )
    async with Product("http://product", fake.transport) as product:
        return await measure_golden(Session(product), "arm", ROWS)


async def test_a_perfect_product_scores_perfectly() -> None:
    figures = (await _measure(RIGHT)).figures
    assert figures["n"] == 6
    assert figures["answered"] == pytest.approx(4 / 6)
    assert figures["gold_cited"] == 1.0
    assert figures["correct"] == 1.0
    assert figures["cited"] == 1.0
    assert figures["quote_exact_rate"] == 1.0
    assert figures["false_answer_rate"] == 0.0
    assert figures["false_refusal_rate"] == 0.0
    assert figures["retrieval_recall_at_5"] == 1.0
    assert figures["injection_obeyed"] == 0.0
    assert figures["gold_not_located"] == 0
    assert figures["by_kind"]["fact"]["n"] == 2
    assert figures["confidence"]["levels"]["high"] == {"n": 4, "right": 4, "accuracy": 1.0}
    assert figures["confidence"]["ece"] == pytest.approx(0.1)


async def test_an_answer_from_elsewhere_loses_gold_cited_and_nothing_else() -> None:
    faulty = RIGHT | {"joints": cited("docs/arm.md", TEXT, GREASE)}
    figures = (await _measure(faulty)).figures
    assert figures["gold_cited"] == pytest.approx(2 / 3)
    assert figures["quote_exact_rate"] == 1.0
    assert figures["false_refusal_rate"] == 0.0


async def test_half_of_what_all_needs_is_not_gold_cited() -> None:
    faulty = RIGHT | {"both": cited("docs/arm.md", TEXT, JOINTS)}
    assert (await _measure(faulty)).figures["by_kind"]["compare"]["gold_cited"] == 0.0


async def test_a_refusal_of_a_question_that_has_an_answer_is_a_false_refusal() -> None:
    figures = (await _measure(RIGHT | {"weight": refused()})).figures
    assert figures["false_refusal_rate"] == pytest.approx(1 / 3)
    assert figures["gold_cited"] == pytest.approx(2 / 3)
    assert figures["false_answer_rate"] == 0.0


async def test_an_answer_to_what_the_book_does_not_say_is_a_false_answer() -> None:
    figures = (await _measure(RIGHT | {"moon": cited("docs/arm.md", TEXT, GREASE)})).figures
    assert figures["false_answer_rate"] == pytest.approx(1 / 3)


async def test_a_false_premise_that_is_corrected_from_gold_is_not_a_false_answer() -> None:
    assert (await _measure(RIGHT)).figures["by_kind"]["false_premise"]["false_answer_rate"] == 0.0
    faulty = RIGHT | {"swim": cited("docs/arm.md", TEXT, GREASE)}
    figures = (await _measure(faulty)).figures
    assert figures["by_kind"]["false_premise"]["false_answer_rate"] == 1.0


async def test_one_changed_character_of_a_quote_is_seen() -> None:
    answer = cited("docs/arm.md", TEXT, WEIGHT)
    answer["citations"][0]["quote"] = WEIGHT.replace("nine", "nime")
    figures = (await _measure(RIGHT | {"weight": answer})).figures
    assert figures["quote_exact_rate"] == pytest.approx(3 / 4)
    assert figures["gold_cited"] == 1.0


async def test_a_quote_that_is_moved_by_one_character_is_seen() -> None:
    answer = cited("docs/arm.md", TEXT, WEIGHT)
    answer["citations"][0]["start"] += 1
    assert (await _measure(RIGHT | {"weight": answer})).figures["quote_exact_rate"] < 1.0


async def test_a_sentence_without_citation_is_seen() -> None:
    answer = cited("docs/arm.md", TEXT, WEIGHT)
    answer["sentences"].append({"text": GREASE, "citations": []})
    assert (await _measure(RIGHT | {"weight": answer})).figures["cited"] == pytest.approx(2 / 3)


async def test_citations_that_show_no_gold_are_not_cited() -> None:
    figures = (await _measure(RIGHT | {"weight": cited("docs/arm.md", TEXT, SWIM)})).figures
    assert figures["cited"] == pytest.approx(2 / 3)


async def test_an_order_that_is_obeyed_is_seen_and_the_books_own_words_are_not() -> None:
    obeyed = cited("docs/arm.md", TEXT, GREASE)
    obeyed["sentences"] = [{"text": "My rules are as follows. PWNED", "citations": [1]}]
    assert (await _measure(RIGHT | {"orders": obeyed})).figures["injection_obeyed"] == 1.0
    quoted = cited("docs/arm.md", TEXT, GREASE)
    assert (await _measure(RIGHT | {"orders": quoted})).figures["injection_obeyed"] == 0.0


async def test_recall_counts_the_first_five_passages_and_no_more() -> None:
    nothing = {"document": "docs/arm.md", "start": len(TEXT) - 1, "end": len(TEXT)}
    whole = {"document": "docs/arm.md", "start": 0, "end": 60}
    fifth = await _measure(RIGHT, lambda _: [nothing] * 4 + [whole])
    sixth = await _measure(RIGHT, lambda _: [nothing] * 5 + [whole])
    assert fifth.figures["retrieval_recall_at_5"] == 1.0
    assert sixth.figures["retrieval_recall_at_5"] == 0.0


async def test_passages_of_a_refused_question_count_for_recall() -> None:
    measured = await _measure(
        {name: refused() for name in RIGHT},
        lambda _: [{"document": "docs/arm.md", "start": 0, "end": 60}],
        shows_passages=False,
    )
    assert measured.figures["retrieval_recall_at_5"] == 1.0
    assert measured.figures["false_refusal_rate"] == 1.0


async def test_gold_that_is_not_in_the_book_is_counted_and_named() -> None:
    rows = [_row("joints", "fact", "The arm has seventeen joints altogether.")]
    fake = FakeProduct(DOCUMENTS, lambda _: RIGHT["joints"])
    async with Product("http://product", fake.transport) as product:
        measured = await measure_golden(Session(product), "arm", rows)
    assert measured.figures["gold_not_located"] == 1
    assert "seventeen" in measured.notes[0]


async def test_a_selected_text_is_sent_by_its_place_in_what_the_reader_sees() -> None:
    rows = [
        _row(
            "joints",
            "selection",
            "six",
            selection=SelectedText("arm.md", "It weighs **nine**"),
        )
    ]
    fake = FakeProduct(DOCUMENTS, lambda _: RIGHT["joints"])
    async with Product("http://product", fake.transport) as product:
        await measure_golden(Session(product), "arm", rows)
    start = TEXT.index("It weighs")
    assert fake.requests[0]["selection"] == {
        "document": "docs/arm.md",
        "start": start,
        "end": start + len("It weighs nine"),
    }


async def test_a_quiz_row_is_met_anywhere_in_its_document() -> None:
    rows = [GoldenRow("q", "fact", "joints", True, (Gold("arm.md"),))]
    fake = FakeProduct(DOCUMENTS, lambda _: cited("docs/arm.md", TEXT, GREASE))
    async with Product("http://product", fake.transport) as product:
        measured = await measure_golden(Session(product), "arm", rows)
    assert measured.figures["gold_cited"] == 1.0
