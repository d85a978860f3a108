"""What a reader sees of a draft, at each level of proof."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from libs.budget import stages
from libs.budget.budget import Budget
from libs.embedding import Embedder, Vectors
from libs.errors import ModelUnavailable, Unavailable
from libs.profiles import load_profile
from services.generation.ensemble import VERIFIER_LATE, VERIFIER_UNUSABLE
from services.generation.model import (
    CheckKind,
    Claim,
    DraftSentence,
    Grounding,
    Selection,
    SentenceKind,
    SentenceRole,
)
from services.generation.ports import UnusableVerdictError
from services.generation.transcript import Usage
from services.generation.verify import Verification
from tests.support.displays import passages_of, show_verbatim
from tests.support.generation_fakes import PASSAGES, FakeVerifier, ensemble, quoting
from tests.support.retrieval_fakes import FakeEmbedder

FIRST = "A hydraulic actuator turns the pressure of a fluid into force."
SECOND = "It holds 21 MPa without a gearbox."
THIRD = "Hydraulic lines do not tolerate dirt."
TRUE = DraftSentence("Fluid pressure becomes force in a hydraulic actuator.", (Claim(1, FIRST),))
OTHER = DraftSentence("Dirt is not tolerated by hydraulic lines.", (Claim(1, THIRD),))
FALSE = DraftSentence(
    "A hydraulic actuator turns 99 MPa of a fluid into force.", (Claim(1, FIRST),)
)
QUESTION = "What does a hydraulic actuator do?"
SUPPORTED, VERBATIM, CITED = Grounding.SUPPORTED, Grounding.VERBATIM, Grounding.CITED


class BrokenEmbedder(FakeEmbedder):
    """A model that does not answer."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise Unavailable("It does not answer.")


def verification(
    level: Grounding,
    verifier: Any = None,
    *,
    question: str = QUESTION,
    selection: Selection | None = None,
    left_s: float = 5.0,
    stand_in: Any = None,
    embedder: Embedder | None = None,
    **settings: Any,
) -> Verification:
    return Verification(
        PASSAGES,
        question=question,
        selection=selection,
        level=level,
        settings=replace(load_profile("").generation, **settings),
        ensemble=ensemble(verifier, stand_in),
        budget=Budget(left_s, stages.GENERATION),
        embedder=embedder or FakeEmbedder(),
    )


async def written(*sentences: DraftSentence) -> AsyncIterator[Any]:
    for sentence in sentences:
        yield sentence


async def check(
    level: Grounding, *sentences: DraftSentence, verifier: Any = None, **more: Any
) -> tuple[list[str], Any]:
    """The texts released, and what the draft came to."""
    checking = verification(level, verifier, **more)
    released = [item.sentence.text async for item in checking.release(written(*sentences))]
    return released, checking.verified


async def test_a_sentence_in_other_words_is_shown_when_its_verifier_gives_enough() -> None:
    _, verified = await check(SUPPORTED, TRUE, verifier=FakeVerifier(otherwise=0.83))
    [sentence] = verified.sentences
    assert (sentence.text, sentence.kind) == (TRUE.text, SentenceKind.PARAPHRASED)
    assert sentence.probability == 0.83
    assert CheckKind.ENTAILMENT in [item.kind for item in sentence.checks]
    assert [item.quote for item in verified.citations] == [FIRST]


async def test_the_books_own_words_need_no_verifier() -> None:
    verifier = FakeVerifier(otherwise=0.0)
    _, verified = await check(SUPPORTED, quoting(FIRST), verifier=verifier)
    [sentence] = verified.sentences
    assert (sentence.kind, sentence.probability) == (SentenceKind.QUOTED, 1.0)
    assert verifier.asked == []


@pytest.mark.parametrize(
    ("draft", "kind"), [(TRUE, CheckKind.ENTAILMENT), (FALSE, CheckKind.NUMBERS)]
)
async def test_the_proof_stands_in_for_a_claim_that_fails_by_its_wording(
    draft: DraftSentence,
    kind: CheckKind | int | str,
) -> None:
    released, verified = await check(SUPPORTED, draft, verifier=FakeVerifier(otherwise=0.2))
    assert released == [FIRST]
    [sentence] = verified.sentences
    assert (sentence.kind, sentence.stands_in) == (SentenceKind.QUOTED, True)
    [withheld] = verified.withheld
    assert (withheld.text, withheld.replaced) == (draft.text, True)
    assert withheld.checks[-1].kind is kind


async def test_the_proof_is_in_its_place_and_there_once() -> None:
    again = replace(FALSE, text="A hydraulic actuator makes 50 kN of force.")
    released, verified = await check(SUPPORTED, quoting(SECOND), FALSE, OTHER, again)
    assert released == [f"{FIRST} {SECOND}", OTHER.text]
    assert [item.replaced for item in verified.withheld] == [True, True]


async def test_a_quote_of_part_of_a_sentence_is_replaced_by_the_whole() -> None:
    part = DraftSentence("Lines like dirt.", (Claim(1, "Hydraulic lines do not"),))
    for level in (VERBATIM, SUPPORTED):
        verifier = FakeVerifier(otherwise=0.1)
        released, _ = await check(level, part, verifier=verifier, question="Which lines?")
        assert released == [THIRD]


async def test_a_piece_that_turns_its_sentence_round_is_not_the_books_own() -> None:
    torn = DraftSentence("lines do", (Claim(1, "Hydraulic lines do not tolerate dirt."),))
    piece = DraftSentence("tolerate dirt.", (Claim(1, "Hydraulic lines do not tolerate dirt."),))
    for draft in (torn, piece):
        released, verified = await check(SUPPORTED, draft, verifier=FakeVerifier(otherwise=0.1))
        assert draft.text not in released
        assert verified.withheld[0].text == draft.text


@pytest.mark.parametrize(
    "text",
    [
        "It holds 21 MPa with a gearbox.",
        "Hydraulic lines tolerate dirt.",
        "Siemens lines do not tolerate dirt.",
    ],
)
async def test_a_copy_with_one_thing_changed_is_no_paraphrase(text: str) -> None:
    quote = THIRD if "dirt" in text else SECOND
    question = "What do lines and actuators hold and tolerate?"
    altered = DraftSentence(text, (Claim(1, quote),))
    released, verified = await check(SUPPORTED, altered, question=question)
    shown = THIRD if quote is THIRD else f"{FIRST} {SECOND}"
    assert (released, verified.withheld[0].replaced) == ([shown], True)


async def test_a_frame_around_a_sentence_of_the_book_is_no_paraphrase() -> None:
    framed = DraftSentence(f"The reader has to do this: {THIRD}", (Claim(1, THIRD),))
    released, verified = await check(SUPPORTED, framed, question="Which lines?")
    assert (released, verified.withheld[0].replaced) == ([THIRD], True)
    known = "Fluid, pressure, force, twenty-one MPa, gearbox and actuator"
    within = DraftSentence(f"{known}: {THIRD}", (Claim(1, THIRD),))
    released, _ = await check(SUPPORTED, within, question="Which lines have 21 MPa?")
    assert released == [within.text]


async def test_a_sentence_without_a_true_quotation_has_no_stand_in() -> None:
    unquoted = DraftSentence("It makes 99 MPa.", (Claim(2),))
    stray = DraftSentence("Wires hum at 99 Hz.", (Claim(2, PASSAGES[1].text[:57]),))
    released, verified = await check(SUPPORTED, unquoted, question="What is a yacht?")
    assert (released, verified.withheld[0].replaced) == ([], False)
    released, verified = await check(SUPPORTED, stray, question="Who wrote poems?")
    assert (released, verified.withheld[0].replaced) == ([], False)


async def test_any_quote_of_the_selected_text_stands_in() -> None:
    released, _ = await check(
        SUPPORTED, FALSE, question="What is this?", selection=Selection("a.mdx")
    )
    assert released == [FIRST]


@pytest.mark.parametrize(
    ("text", "question", "denies"),
    [
        ("No: actuators do not sing.", "When do actuators sing?", True),
        ("Actuators don't sing.", "When do actuators sing?", True),
        ("Actuators sing.", "When do actuators sing?", False),
        ("Actuators do not sing.", "Why do actuators not sing?", False),
    ],
)
async def test_a_draft_denies_what_its_first_lost_sentence_denies_and_the_question_does_not(
    text: str, question: str, denies: bool
) -> None:
    verified = verification(SUPPORTED, question=question)
    async for _ in verified.release(
        written(DraftSentence(text, (Claim(1, "nowhere to be seen"),)))
    ):
        pass
    assert verified.denies_question is denies


async def test_without_a_quote_a_sentence_in_other_words_is_not_supported() -> None:
    named = DraftSentence(f"In this book: {FIRST[:-1]}, gladly.", (Claim(1),))
    _, verified = await check(SUPPORTED, named)
    assert verified.sentences == ()


async def test_the_fallback_verifier_replaces_a_late_one() -> None:
    for trouble in (None, ModelUnavailable("It does not answer."), TimeoutError()):
        slow = FakeVerifier({TRUE.text: trouble})
        strict = FakeVerifier(otherwise=0.9, threshold=0.95)
        released, verified = await check(
            SUPPORTED, TRUE, verifier=slow, stand_in=strict, left_s=1.0
        )
        assert (released, verified.degraded) == ([FIRST], (VERIFIER_LATE,))
        willing = FakeVerifier(otherwise=0.96, threshold=0.95)
        released, _ = await check(SUPPORTED, TRUE, verifier=slow, stand_in=willing, left_s=1.0)
        assert released == [TRUE.text]


async def test_a_judge_that_says_no_verdict_is_named_with_what_it_took() -> None:
    nonsense = UnusableVerdictError("It can't be read.", "judge-1", Usage(30, 5))
    checking = verification(SUPPORTED, FakeVerifier({TRUE.text: nonsense}))
    released = [item.sentence.text async for item in checking.release(written(TRUE))]
    assert (released, checking.verified.degraded) == ([FIRST], (VERIFIER_UNUSABLE,))
    assert (checking.judging.model, checking.judging.usage) == ("judge-1", Usage(30, 5))


async def test_the_strictest_of_several_verifiers_decides() -> None:
    checking = verification(SUPPORTED)
    checking._ensemble._verifiers = [FakeVerifier(otherwise=0.9), FakeVerifier(otherwise=0.4)]
    released = [item.sentence.text async for item in checking.release(written(TRUE))]
    assert released == [FIRST]


async def test_a_sentence_is_shown_before_the_next_is_written() -> None:
    goes_on = asyncio.Event()

    async def slowly() -> AsyncIterator[Any]:
        yield TRUE
        await goes_on.wait()
        yield OTHER

    checking = verification(SUPPORTED)
    async with aclosing(checking.release(slowly())) as released:
        first = await asyncio.wait_for(anext(released), 2.0)
        assert first.sentence.text == TRUE.text
        goes_on.set()
        assert (await anext(released)).sentence.text == OTHER.text


async def test_the_next_sentence_is_judged_while_the_first_still_is() -> None:
    judged = asyncio.Event()

    class Waiting(FakeVerifier):
        async def _judge(self, text: str) -> float:
            if text == OTHER.text:
                judged.set()
            await judged.wait()
            return 0.9

    released, verified = await check(SUPPORTED, TRUE, OTHER, verifier=Waiting())
    assert released == [TRUE.text, OTHER.text]
    assert verified.degraded == ()


async def test_leaving_ends_reading_and_judging() -> None:
    cancelled = []

    class Hanging(FakeVerifier):
        async def _judge(self, text: str) -> float:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(text)
                raise
            return 0.0

    async def endless() -> AsyncIterator[Any]:
        yield quoting(FIRST)
        yield TRUE
        yield OTHER
        await asyncio.Event().wait()

    checking = verification(SUPPORTED, Hanging())
    async with aclosing(checking.release(endless())) as released:
        await anext(released)
        for _ in range(5):
            await asyncio.sleep(0)
    for _ in range(5):
        await asyncio.sleep(0)
    assert cancelled == [TRUE.text, OTHER.text]


async def test_cited_asks_only_for_sources_that_there_are() -> None:
    free = DraftSentence("Anything goes, says source one.", (Claim(1),))
    _, verified = await check(
        CITED, free, verifier=FakeVerifier(otherwise=0.0), uncited_similarity=0.6
    )
    [sentence] = verified.sentences
    assert (sentence.kind, len(sentence.citations)) == (SentenceKind.PARAPHRASED, 1)
    [own] = (await check(CITED, quoting(FIRST)))[1].sentences
    assert (own.kind, own.probability) == (SentenceKind.QUOTED, 1.0)


@pytest.mark.parametrize(
    "draft",
    [
        DraftSentence("Cheese is made of milk.", ()),
        DraftSentence(FIRST, (Claim(7),)),
    ],
    ids=["uncited and far from everything", "a source that there is not"],
)
async def test_cited_rejects_the_whole_for_one_invention(
    draft: DraftSentence,
) -> None:
    released, verified = await check(
        CITED, quoting(FIRST), quoting(SECOND), draft, uncited_similarity=0.6, release="strict"
    )
    assert (released, verified.sentences) == ([], ())


@pytest.mark.parametrize("embedder", [FakeEmbedder(delay_s=9.0), BrokenEmbedder()])
async def test_cited_rejects_what_could_not_be_compared(embedder: FakeEmbedder) -> None:
    uncited = DraftSentence(FIRST, ())
    released, verified = await check(
        CITED, uncited, embedder=embedder, left_s=0.3, uncited_similarity=0.6
    )
    assert (released, verified.sentences) == ([], ())


async def test_the_passages_are_embedded_once_and_only_where_a_sentence_may_need_it() -> None:
    embedder = FakeEmbedder()
    await check(CITED, quoting(FIRST), embedder=embedder)
    assert embedder.embedded == []
    texts = [passage.text for passage in PASSAGES]
    sentences = (DraftSentence(FIRST, ()), DraftSentence(THIRD, ()))
    await check(CITED, *sentences, embedder=embedder, uncited_similarity=0.1)
    assert sorted(embedder.embedded) == sorted([*texts, FIRST, THIRD])


async def test_cited_shows_an_uncited_sentence_that_is_near_a_passage() -> None:
    _, verified = await check(CITED, DraftSentence(FIRST, ()), uncited_similarity=0.4)
    assert [sentence.text for sentence in verified.sentences] == [FIRST]
    assert verified.sentences[0].citations == (1,)


async def test_no_level_shows_markup_that_is_not_the_books() -> None:
    for level in Grounding:
        link = DraftSentence(f"{FIRST[:-1]}: see https://evil.example.", (Claim(1, FIRST),))
        released, _ = await check(level, link)
        assert not any("evil" in text for text in released)


STEPS = """# Vents

Do this in order:

1. Open the vent plug.
2. Fill the tank to the mark.
3. Close the vent plug.

Then rest the pump:

1. Wait until the pump is cold.
2. Drain the sump of the pump.
"""
OPEN, FILL, CLOSE = "Open the vent plug.", "Fill the tank to the mark.", "Close the vent plug."
WAIT, DRAIN = "Wait until the pump is cold.", "Drain the sump of the pump."
CLOSE_FIRST = f"Do this in order: {CLOSE}"
LATER_LIST = f"Then rest the pump: {WAIT} {DRAIN}"


@pytest.mark.parametrize(
    ("quoted", "shown"),
    [
        ([CLOSE, OPEN], CLOSE_FIRST),
        ([FILL, OPEN, CLOSE], f"Do this in order: {FILL} {CLOSE}"),
        ([OPEN, FILL, CLOSE], f"Do this in order: {OPEN} {FILL} {CLOSE}"),
        ([OPEN, CLOSE, OPEN], f"Do this in order: {OPEN} {CLOSE}"),
        ([WAIT, DRAIN, OPEN, CLOSE], f"{LATER_LIST} Do this in order: {OPEN} {CLOSE}"),
    ],
)
async def test_items_of_a_list_are_shown_in_its_order_or_not_at_all(
    quoted: list[str], shown: str
) -> None:
    passages = passages_of("vents.md", STEPS.encode())
    assert await show_verbatim(passages, [(text, text) for text in quoted], "en") == shown


async def test_items_of_a_list_that_two_passages_share_are_in_its_order_too() -> None:
    steps = [f"Turn the valve number {count} as far as it goes, and wait." for count in range(99)]
    page = "".join(f"1. {step}\n" for step in steps)
    passages = passages_of("valves.md", f"# Valves\n\nDo this in order:\n\n{page}".encode())
    held = [next(step for step in steps if step in one.text) for one in passages[:2]]
    shown = await show_verbatim(passages, [(text, text) for text in reversed(held)], "en")
    assert held[1] in shown
    assert held[0] not in shown


async def test_an_item_that_would_stand_in_behind_a_later_one_is_withheld() -> None:
    passages = passages_of("vents.md", STEPS.encode())
    other = ("First you have to open it wide.", OPEN)
    assert await show_verbatim(passages, [(CLOSE, CLOSE), other], "en") == CLOSE_FIRST


async def test_the_check_of_a_withheld_item_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.PASSAGES", passages_of("vents.md", STEPS.encode()))
    _, verified = await check(VERBATIM, quoting(CLOSE), quoting(OPEN), question="")
    [withheld] = verified.withheld
    last = withheld.checks[-1]
    assert (last.kind, last.passed, withheld.replaced) == (CheckKind.CONSISTENCY, False, False)
    assert "its list has before" in last.reason


async def test_items_that_only_support_an_answer_keep_the_order_of_the_draft() -> None:
    passages = passages_of("vents.md", STEPS.encode())
    checking = Verification(
        passages,
        question="",
        level=VERBATIM,
        settings=load_profile("").generation,
        ensemble=ensemble(),
        budget=Budget(5.0, stages.GENERATION),
    )
    drafts = [quoting(CLOSE), replace(quoting(OPEN), role=SentenceRole.SUPPORT)]
    released = [item.sentence.text async for item in checking.release(written(*drafts))]
    assert released[1] == OPEN
