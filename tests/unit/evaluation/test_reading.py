"""What a reader has of an answer; each way to look better than one is moves another figure."""

from typing import Any

import pytest

from deploy.evaluation.benchmarks.golden import LocatedGold, score_row, summarise
from deploy.evaluation.datasets import Gold, GoldenRow
from deploy.evaluation.product import BookText, Reply
from deploy.evaluation.quotations import Text

ANSWER = "Grease the bearings once a month."
BESIDE = "Wipe the old grease off before."
ELSEWHERE = "The arm was built in a small town by the sea."
FAR = "Nothing here is about that matter at all, whatever it may look like to a reader. " * 8
BOOK = f"{ANSWER} {BESIDE}\n{ELSEWHERE}\n{FAR}{ANSWER[:-1]}, or so."
TEXT = BookText(
    {"a.md": Text(BOOK)},
    {"a.md": [(0, len(BOOK)), (0, BOOK.index(ELSEWHERE)), (BOOK.index(ELSEWHERE), len(BOOK))]},
)
PLACES = ((("a.md", (0, len(ANSWER)))),)


def answer(*quotes: str, support: int = 0, problem: str = "") -> Reply:
    """Return an answer that quotes each of `quotes` in a sentence; the last ones are support."""
    citations = [
        {
            "n": number,
            "quote": quote,
            "document": "a.md",
            "start": BOOK.index(quote),
            "end": BOOK.index(quote) + len(quote),
        }
        for number, quote in enumerate(quotes, 1)
    ]
    sentences = [
        {
            "text": quote,
            "citations": [number],
            "role": "support" if number > len(quotes) - support else "lead",
        }
        for number, quote in enumerate(quotes, 1)
    ]
    held = {
        "text": " ".join(quotes),
        "sentences": sentences,
        "citations": citations,
        "refusal": None if quotes else {"code": "not_covered"},
        "confidence": {"score": 0.9, "level": "high"},
    }
    return Reply([], None if problem else held, problem, 1.0)


def score(
    reply: Reply, *, kind: str = "fact", answerable: bool = True, **more: Any
) -> dict[str, Any]:
    gold = Gold("a.md", ANSWER)
    row = GoldenRow("1", kind, "How often?", answerable, (gold,) if answerable else (), **more)
    return score_row(row, [LocatedGold(gold, PLACES)] if answerable else [], reply, TEXT)


def test_gold_is_first_only_in_the_first_sentence() -> None:
    assert score(answer(ANSWER, ELSEWHERE))["gold_first"] == 1.0
    second = score(answer(ELSEWHERE, ANSWER))
    assert (second["gold_first"], second["gold_in_three"]) == (0.0, 1.0)


def test_gold_after_three_sentences_is_not_in_three() -> None:
    fourth = score(answer(ELSEWHERE, BESIDE, FAR[:40], ANSWER))
    assert (fourth["gold_in_three"], fourth["gold_cited"]) == (0.0, 1.0)


def test_a_whole_page_as_the_first_sentence_does_not_count_beyond_its_beginning() -> None:
    page = BOOK[BOOK.index(FAR) : len(BOOK)]
    gold = LocatedGold(Gold("a.md", "x"), (("a.md", (len(BOOK) - 20, len(BOOK))),))
    row = GoldenRow("1", "fact", "How often?", True, (gold.gold,))
    scored = score_row(row, [gold], answer(page), TEXT)
    assert (scored["gold_first"], scored["gold_cited"]) == (0.0, 1.0)


def test_precision_counts_the_golds_section_and_what_says_the_same() -> None:
    assert score(answer(ANSWER, BESIDE))["precision"] == 1.0
    assert score(answer(ANSWER, ELSEWHERE))["precision"] == 0.5
    same = "Grease the bearings once a month, or so."
    assert score(answer(same))["precision"] == 1.0


def test_a_span_outside_the_golds_section_is_not_precise() -> None:
    across = BOOK[len(ANSWER) + 1 : BOOK.index(ELSEWHERE) + len(ELSEWHERE)]
    assert score(answer(across))["precision"] == 0.0


def test_an_answer_to_what_the_book_does_not_say_has_no_precision() -> None:
    scored = score(answer(ELSEWHERE), kind="near_miss", answerable=False)
    assert (scored["precision"], scored["gold_first"]) == (0.0, None)


def test_a_refusal_of_what_the_book_says_has_no_gold_first() -> None:
    refused = score(answer())
    assert (refused["gold_first"], refused["gold_in_three"], refused["precision"]) == (0, 0, None)


def test_both_sides_of_a_comparison_have_to_come_in_three() -> None:
    golds = [LocatedGold(Gold("a.md", quote), _places(quote)) for quote in (ANSWER, ELSEWHERE)]
    row = GoldenRow("1", "compare", "?", True, tuple(item.gold for item in golds), need="all")
    half = score_row(row, golds, answer(ANSWER, BESIDE), TEXT)
    whole = score_row(row, golds, answer(ANSWER, ELSEWHERE), TEXT)
    assert (half["gold_first"], half["gold_in_three"]) == (1.0, 0.0)
    assert whole["gold_in_three"] == 1.0


def _places(quote: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    start = BOOK.index(quote)
    return (("a.md", (start, start + len(quote))),)


def test_support_is_counted_in_the_characters_and_not_in_those_of_the_lead() -> None:
    scored = score(answer(ANSWER, BESIDE, support=1))
    assert scored["characters"] == len(ANSWER) + len(BESIDE)
    assert scored["lead_characters"] == len(ANSWER)


@pytest.mark.parametrize("answerable", [True, False])
def test_an_error_is_wrong_in_every_row(answerable: bool) -> None:
    failed = score(answer(problem="503"), answerable=answerable)
    assert failed["correct"] == 0.0
    name = "false_refusal_rate" if answerable else "false_answer_rate"
    assert failed[name] == 1.0


def test_lengths_are_those_of_answers_alone() -> None:
    rows = [score(answer(ANSWER)), score(answer(ANSWER, BESIDE)), score(answer())]
    figures = summarise(rows, []).figures
    assert figures["characters_p50"] == len(ANSWER) + len(BESIDE) / 2
    assert figures["characters_p90"] > figures["characters_p50"]
    assert figures["citations_p50"] == 1.5
    assert figures["confidence"]["levels"]["high"]["right"] == 2
