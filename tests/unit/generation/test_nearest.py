"""What stands nearest to a question is quoted beside a refusal, word for word."""

from dataclasses import replace

import pytest

from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.model import (
    BlockKind,
    Citation,
    Passage,
    RefusalCode,
    SearchResult,
    Selection,
    Verdict,
)
from services.generation.nearest import MOST, quote_nearest
from services.generation.refuse import refuse_unwritten
from tests.support.generation_fakes import PASSAGE_TEXTS, passage, question, search_result

SCORED = (
    passage(PASSAGE_TEXTS[0], scores=(0.2, 0.1, 0.9)),
    passage(PASSAGE_TEXTS[1], scores=(0.5, 0.0)),
)


def near(passages: tuple[Passage, ...] = SCORED) -> SearchResult:
    found = search_result(passages, passed=False, probability=0.2)
    return replace(found, gate=replace(found.gate, near=True))


def test_the_sentences_nearest_to_the_question_come_first_word_for_word() -> None:
    cited = quote_nearest(near(), question("How clean must the pipes be?"))
    assert [one.quote for one in cited] == [
        "Hydraulic lines do not tolerate dirt.",
        "An electric motor is cleaner and reaches 92 % efficiency.",
        "A hydraulic actuator turns the pressure of a fluid into force.",
    ]
    assert [one.number for one in cited] == list(range(1, MOST + 1))
    assert {one.verdict for one in cited} == {Verdict.EXACT}
    for one, held in zip(cited, (SCORED[0], SCORED[1], SCORED[0]), strict=True):
        start = held.locator.start
        assert held.text[one.locator.start - start : one.locator.end - start] == one.quote


def _place(cited: Citation) -> tuple[str, int, int]:
    return cited.locator.document, cited.locator.start, cited.locator.end


def test_the_same_sentence_in_two_places_is_quoted_once() -> None:
    again = replace(SCORED[0], locator=replace(SCORED[0].locator, document="again.mdx"))
    cited = quote_nearest(near((SCORED[0], again)), question("How clean must the pipes be?"))
    assert len({one.quote for one in cited}) == len(cited) == MOST


def test_nothing_on_another_subject_is_quoted() -> None:
    far = search_result(SCORED, passed=False, probability=0.2)
    assert quote_nearest(far, question("Who wrote the opera Tosca?")) == ()


def test_text_that_the_reader_selected_is_not_quoted_to_them() -> None:
    selected = Selection("actuators.mdx", 0, 60, "")
    quoted = quote_nearest(near(), question("Who built it?", selection=selected))
    assert quoted
    assert not any(selected.touches(*_place(one)) for one in quoted)


def test_a_span_too_long_for_a_glance_is_left_out() -> None:
    long = replace(
        SCORED[0], text="x" * 500, spans=(replace(SCORED[0].spans[0], start=0, end=500),)
    )
    long = replace(long, locator=replace(long.locator, start=0, end=500))
    assert [one.locator.document for one in quote_nearest(near((long,)), question())] == []


@pytest.mark.parametrize(
    ("asked", "quotes"), [("How clean must the pipes be?", MOST), ("Wie sauber sind die Rohre?", 0)]
)
def test_a_refusal_quotes_a_book_that_is_in_the_language_of_the_question(
    asked: str, quotes: int
) -> None:
    texts = load_profile("default").refusals
    asking = question(asked, language="en")
    refusal = refuse_unwritten(near(), asking, analyse_question(asked, "en"), texts)
    assert refusal is not None
    assert refusal.code is RefusalCode.NOT_COVERED
    assert len(refusal.nearest) == quotes


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        (BlockKind.PARAGRAPH, "## Clean the pipes", False),
        (BlockKind.CODE, "# Clean the pipes.\n# All of them.", False),
        (BlockKind.CODE, "// Clean the pipes.", False),
        (BlockKind.CODE, "# Clean the pipes.\nflush --all", True),
        (BlockKind.CODE, "--clean-pipes", True),
        (BlockKind.CODE, "#include <clean/pipes.h>", True),
        (BlockKind.PARAGRAPH, "#3 pipes have to be clean.", True),
        (BlockKind.PARAGRAPH, "-- Clean the pipes, he said.", True),
    ],
)
def test_a_title_or_a_comment_alone_is_not_quoted(kind: BlockKind, text: str, shown: bool) -> None:
    span = replace(SCORED[0].spans[0], start=0, end=len(text), kind=kind)
    where = replace(SCORED[0].locator, start=0, end=len(text))
    held = replace(SCORED[0], text=text, spans=(span,), locator=where)
    quoted = quote_nearest(near((held,)), question("How clean must the pipes be?"))
    assert [one.quote for one in quoted] == [text] * shown
