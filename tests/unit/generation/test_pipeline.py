"""The order of stages and events, on fakes."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

import pytest

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.errors import DeadlineExceeded, ModelUnavailable
from libs.language.lexicon import load_lexicon
from libs.profiles import load_profile
from libs.question.analyse import QuestionAnalysis
from libs.tokens import TokenCounter
from services.generation.confidence import describe_answer, name_level, score_answer
from services.generation.ensemble import VERIFIER_LATE
from services.generation.model import (
    Answer,
    CheckKind,
    Citation,
    Claim,
    ConfidenceLevel,
    Correction,
    DraftSentence,
    Grounding,
    PassageScores,
    PassagesFound,
    Question,
    RefusalCode,
    SearchResult,
    Selection,
    SentenceKind,
    SentenceReleased,
    Verdict,
)
from services.generation.pipeline import NO_MODEL, Pipeline
from services.generation.records import record
from services.generation.records.model import AuditRow
from services.generation.transcript import ModelUse, Usage
from services.generation.writing import NOT_VERIFIED
from tests.support.generation_fakes import (
    PASSAGE_TEXTS,
    PASSAGES,
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    FakeVerifier,
    ensemble,
    passage,
    question,
    quoting,
    search_result,
)
from tests.support.telemetry import Recorded

FIRST = "A hydraulic actuator turns the pressure of a fluid into force."
SECOND = "It holds 21 MPa without a gearbox."
THIRD = "Hydraulic lines do not tolerate dirt."
INVENTED = DraftSentence("Actuators sing.", ())


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture
def log() -> FakeAuditLog:
    return FakeAuditLog()


@pytest.fixture
def ask(counter: TokenCounter, log: FakeAuditLog) -> Callable[..., Any]:
    async def ask(
        *draft: DraftSentence | ModelUnavailable | ZeroDivisionError | None,
        source: FakeSource | None = None,
        left_s: float = 5.0,
        **fields: Any,
    ) -> list[Answer | PassagesFound | SentenceReleased]:
        set_current_budget(Budget(left_s, stages.GENERATION))
        pipeline = Pipeline(
            source=source or FakeSource(),
            answerers={"extractive": FakeAnswerer(list(draft))},
            log=log,
            counter=counter,
            prompt_tokens=6000,
            ensemble=ensemble(),
        )
        try:
            return [event async for event in pipeline.answer_question(question(**fields))]
        finally:
            await pipeline.close()

    return ask


def texts(events: list[Answer | PassagesFound | SentenceReleased]) -> list[str]:
    return [event.sentence.text for event in events if isinstance(event, SentenceReleased)]


@pytest.mark.parametrize(
    ("profile", "degraded"), [("academic", (NO_MODEL,)), ("course", (NO_MODEL,)), ("", ())]
)
async def test_without_a_key_the_book_s_own_sentences_answer_under_a_profile_with_a_model(
    ask: Callable[..., Any], profile: str, degraded: tuple[str, ...]
) -> None:
    answer = (await ask(quoting(FIRST), profile=profile))[-1]
    assert [sentence.text for sentence in answer.sentences] == [FIRST]
    assert answer.degraded[: len(degraded)] == degraded
    assert (NO_MODEL in answer.degraded) == bool(degraded)
    assert answer.model_use is None


async def test_sentences_are_released_as_they_pass(ask: Callable[..., Any]) -> None:
    events = await ask(quoting(FIRST), quoting(SECOND))
    assert isinstance(events[0], PassagesFound)
    assert texts(events) == [FIRST, SECOND]
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert answer.text == f"{FIRST} {SECOND}"


class JumpingClock(datetime):
    """A wall clock that somebody moves."""

    jump = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "JumpingClock":
        return cls.fromtimestamp(datetime.now(tz).timestamp(), tz) + cls.jump


@dataclass
class SourceInAJump(FakeSource):
    """Finds what it is given, while the wall clock is moved."""

    jump: timedelta = timedelta()

    async def search(self, *wanted: Any, **named: Any) -> SearchResult:
        JumpingClock.jump = self.jump
        moved = time.time() + self.jump.total_seconds()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "time", lambda: moved)
            return await super().search(*wanted, **named)


@pytest.mark.fault("T1")
@pytest.mark.parametrize("hours", [1, -1])
async def test_a_clock_that_is_moved_in_the_middle_of_a_question_changes_no_deadline_and_no_id(
    ask: Callable[..., Any], log: FakeAuditLog, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    monkeypatch.setattr(record, "datetime", JumpingClock)
    monkeypatch.setattr(JumpingClock, "jump", timedelta())
    first = (await ask(quoting(FIRST), source=SourceInAJump(jump=timedelta(hours=hours))))[-1]
    second = (await ask(quoting(FIRST)))[-1]
    assert [answer.sentences[0].text for answer in (first, second)] == [FIRST, FIRST]
    assert len({row.log_id for row in log.rows}) == 2
    assert all(0 <= timing.used_ms < 5000 for row in log.rows for timing in row.timings)
    moved = log.rows[1].timestamp - log.rows[0].timestamp
    assert abs(moved - timedelta(hours=hours)) < timedelta(minutes=1)


async def test_a_thing_that_no_passage_mentions_is_named_and_the_confidence_is_not_high(
    ask: Callable[..., Any],
) -> None:
    alone = (await ask(quoting(FIRST), quoting(THIRD), text="What are hydraulic actuators?"))[-1]
    half = (await ask(quoting(FIRST), quoting(THIRD), text="Hydraulic actuators versus radar?"))[-1]
    assert (alone.missing_entities, half.missing_entities) == ((), ("radar",))
    assert half.confidence < alone.confidence / 2
    refused = (await ask(INVENTED, text="Hydraulic actuators versus radar?"))[-1]
    assert refused.missing_entities == ()


async def test_a_plain_question_is_refused_where_the_answer_is_likely_none(
    ask: Callable[..., Any],
) -> None:
    unlike = tuple(passage(text, scores=(0.1, 0.1, 0.1)) for text in PASSAGE_TEXTS)
    found = search_result(unlike, probability=0.5)
    events = await ask(quoting(FIRST), source=FakeSource(found))
    assert events[-1].refusal.code is RefusalCode.NOT_COVERED
    assert (texts(events), events[-1].sentences) == ([], ())
    for other in ({"text": "Hydraulic actuators versus motors?"}, {"profile": "textbook"}):
        told = (await ask(quoting(FIRST), source=FakeSource(found), **other))[-1]
        assert (told.refusal, told.sentences[0].text) == (None, FIRST)
    corrected = replace(found, corrections=(Correction("hydrualic", "hydraulic"),))
    assert (await ask(quoting(FIRST), source=FakeSource(corrected)))[-1].refusal is None


async def test_a_question_is_answered_as_it_was_searched_with_its_words_corrected(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    right = "How strong is a hydraulic actuator?"
    corrections = (Correction("hydrualic", "hydraulic"),)
    found = replace(search_result(), searched_question=right, corrections=corrections)
    asked = "How strong is a hydrualic actuator?"
    answer = (await ask(quoting(FIRST), source=FakeSource(found), text=asked))[-1]
    assert (answer.searched_question, answer.corrections) == (right, corrections)
    assert answer.question.text == asked
    assert log.rows[-1].searched_question == right


async def test_a_question_with_a_name_that_the_book_lacks_is_refused(
    ask: Callable[..., Any],
) -> None:
    found = replace(search_result(), unknown_words=("ufw",))
    refused = (await ask(quoting(FIRST), source=FakeSource(found), text="How strong is ufw?"))[-1]
    assert refused.refusal is not None
    assert [check.reason for check in refused.checks] == ["asks about a name that no passage has"]


async def test_after_a_failure_sentences_wait_for_the_whole(ask: Callable[..., Any]) -> None:
    events = await ask(quoting(FIRST), INVENTED, quoting(SECOND), quoting(THIRD))
    assert texts(events) == [FIRST, SECOND, THIRD]
    assert [citation.number for citation in events[-1].citations] == [1, 2, 3]


async def test_when_most_fails_what_was_not_yet_released_never_is(ask: Callable[..., Any]) -> None:
    events = await ask(quoting(FIRST), INVENTED, quoting(SECOND), INVENTED, INVENTED)
    assert texts(events) == []
    assert events[-1].refusal.code is RefusalCode.NOT_VERIFIED
    assert (events[-1].sentences, events[-1].citations) == ((), ())


@pytest.mark.parametrize(
    "text", ["Thanks!", "hello there", "Thank you very much, bye", "Hi :)", "Hallo", "¡Hola!"]
)
async def test_small_talk_is_answered_without_a_search(
    ask: Callable[..., Any], log: FakeAuditLog, text: str
) -> None:
    source = FakeSource()
    (answer,) = await ask(quoting(FIRST), source=source, text=text)
    assert answer.refusal.code is RefusalCode.NO_QUESTION
    assert source.searched == []
    assert log.rows[0].answer
    assert log.rows[0].answer.refusal is answer.refusal


async def test_an_empty_draft_says_that_the_book_does_not(ask: Callable[..., Any]) -> None:
    events = await ask()
    assert events[-1].refusal.code is RefusalCode.NOT_COVERED


@pytest.mark.invariant("I3")
async def test_the_row_is_stored_before_the_answer_is_shown(
    ask: Callable[..., Any], log: FakeAuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    append = log.append

    async def note(row: AuditRow, allowed_s: float) -> None:
        await append(row, allowed_s)
        order.append("row")

    monkeypatch.setattr(log, "append", note)
    events = await ask(quoting(FIRST))
    assert order == ["row"]
    assert isinstance(events[-1], Answer)
    assert log.rows[0].answer
    assert log.rows[0].answer.sentences == events[-1].sentences


async def test_timings_of_retrieval_are_in_the_answer(ask: Callable[..., Any]) -> None:
    events = await ask(quoting(FIRST))
    assert [timing.stage for timing in events[-1].timings][:2] == [
        "generation.rewrite",
        "generation.retrieve",
    ]


async def test_stages_run_in_the_order_of_the_table_and_none_after_a_closed_gate(
    ask: Callable[..., Any],
) -> None:
    def run_in(events: list[Any]) -> list[str]:
        return list(dict.fromkeys(timing.stage for timing in events[-1].timings))

    seldom = (stages.RECALL, stages.RELEASE)
    names = [stage.name for stage in stages.GENERATION if stage not in seldom]
    assert run_in(await ask(quoting(FIRST))) == names
    closed = FakeSource(search_result(passed=False))
    run = run_in(await ask(quoting(FIRST), source=closed))
    assert run == [stages.REWRITE.name, stages.RETRIEVE.name, stages.RECORD.name]


async def test_steps_that_retrieval_left_out_are_degraded_in_the_answer(
    ask: Callable[..., Any],
) -> None:
    found = search_result()
    degraded = type(found)(found.passages, found.gate, degraded=("mark",))
    events = await ask(quoting(FIRST), source=FakeSource(degraded))
    assert events[-1].degraded == ("mark",)


@pytest.mark.fault("L4")
@pytest.mark.invariant("I5")
async def test_a_hanging_model_is_the_deadline_of_its_stage(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    with pytest.raises(DeadlineExceeded) as caught:
        await ask(quoting(FIRST), None, left_s=0.4)
    assert caught.value.stage == "generation.complete"
    assert log.rows[0].error == "deadline_exceeded"


async def test_without_time_for_it_the_model_is_not_asked(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    with pytest.raises(DeadlineExceeded) as caught:
        await ask(quoting(FIRST), left_s=0.05)
    assert caught.value.stage == "generation.rewrite"  # the floors of all stages are kept back


@pytest.mark.fault("L5")
@pytest.mark.invariant("I3")
async def test_a_model_that_fails_in_the_middle_leaves_a_row_and_no_answer(
    ask: Callable[..., Any], log: FakeAuditLog
) -> None:
    with pytest.raises(ModelUnavailable):
        await ask(quoting(FIRST), ModelUnavailable("The language model does not answer."))
    assert log.rows[0].error == "model_unavailable"
    assert log.rows[0].search is not None


@pytest.mark.invariant("I3")
async def test_a_bug_leaves_a_row_too(ask: Callable[..., Any], log: FakeAuditLog) -> None:
    with pytest.raises(ZeroDivisionError):
        await ask(ZeroDivisionError())
    assert log.rows[0].error == "internal"


async def test_a_question_about_a_name_that_no_passage_knows_is_refused(
    ask: Callable[..., Any],
) -> None:
    *_, answer = await ask(quoting(FIRST), text="What does an XJ900 hydraulic actuator do?")
    assert answer.refusal.code is RefusalCode.NOT_COVERED
    selection = Selection("03-actuators.mdx", 0, 4)
    events = await ask(quoting(FIRST), text="Is it an XJ900?", selection=selection)
    assert texts(events) == [FIRST]


async def test_selected_text_without_a_question_does_not_pass_a_gate(
    ask: Callable[..., Any],
) -> None:
    source = FakeSource(search_result(passed=False))
    selection = Selection("actuators.mdx", 21, 40)
    assert texts(await ask(quoting(FIRST), source=source, text="", selection=selection)) == [FIRST]
    assert texts(await ask(quoting(FIRST), source=source, selection=selection)) == []


async def test_a_draft_without_end_is_cut(ask: Callable[..., Any]) -> None:
    events = await ask(*[INVENTED] * 500)
    assert len(events[-1].withheld) == 60


async def test_a_reader_who_left_is_recorded(counter: TokenCounter, log: FakeAuditLog) -> None:
    set_current_budget(Budget(5.0, stages.GENERATION))
    answerer = FakeAnswerer([quoting(FIRST), None])
    pipeline = Pipeline(
        source=FakeSource(),
        answerers={"extractive": answerer},
        log=log,
        counter=counter,
        prompt_tokens=6000,
        ensemble=ensemble(),
    )
    events = pipeline.answer_question(question())
    await anext(events)
    waiting = asyncio.ensure_future(anext(events))
    await waiting
    await events.aclose()
    await pipeline.close()
    assert answerer.closed
    assert log.rows[0].error == "cancelled"


class Model(FakeAnswerer):
    """A language model, which the pipeline asks by another name than the extractive answerer."""


@pytest.fixture
def ask_model(counter: TokenCounter, log: FakeAuditLog) -> Callable[..., Any]:
    async def ask(
        *draft: DraftSentence,
        found: SearchResult | None = None,
        verifier: FakeVerifier | None = None,
        **fields: Any,
    ) -> list[Any]:
        set_current_budget(Budget(5.0, stages.GENERATION))
        pipeline = Pipeline(
            source=FakeSource(found or search_result()),
            answerers={"openai": Model(list(draft)), "extractive": FakeAnswerer([quoting(SECOND)])},
            log=log,
            counter=counter,
            prompt_tokens=6000,
            ensemble=ensemble(verifier),
            answerer="openai",
        )
        try:
            return [event async for event in pipeline.answer_question(question(**fields))]
        finally:
            await pipeline.close()

    return ask


OWN_WORDS = DraftSentence("A hydraulic actuator makes force of pressure.", (Claim(1, FIRST),))


async def test_a_model_answers_in_its_own_words_when_they_are_supported(
    ask_model: Callable[..., Any], log: FakeAuditLog
) -> None:
    answer = (await ask_model(OWN_WORDS))[-1]
    assert answer.text == OWN_WORDS.text
    assert answer.grounding is Grounding.SUPPORTED
    assert answer.sentences[0].kind is SentenceKind.PARAPHRASED
    assert log.rows[0].answer
    assert log.rows[0].answer.grounding is Grounding.SUPPORTED


async def test_a_models_own_words_are_not_shown_when_the_book_is_in_another_language(
    ask_model: Callable[..., Any],
) -> None:
    answer = (await ask_model(OWN_WORDS, language="de"))[-1]
    assert answer.grounding is Grounding.VERBATIM
    assert answer.text == FIRST


async def test_without_a_model_the_grounding_is_verbatim_in_every_profile(
    ask: Callable[..., Any],
) -> None:
    answer = (await ask(quoting(FIRST)))[-1]
    assert answer.grounding is Grounding.VERBATIM
    assert (await ask(OWN_WORDS))[-1].text == FIRST


async def test_a_draft_that_fails_altogether_gives_way_to_the_books_own_answer(
    ask_model: Callable[..., Any], log: FakeAuditLog
) -> None:
    events = await ask_model(INVENTED, INVENTED)
    answer = events[-1]
    assert texts(events) == [f"{FIRST} {SECOND}"]  # "It" is what the first one names
    assert (answer.text, answer.grounding) == (f"{FIRST} {SECOND}", Grounding.VERBATIM)
    assert NOT_VERIFIED in answer.degraded
    assert [item.text for item in answer.withheld] == [INVENTED.text] * 2
    assert len(log.rows) == 1


async def test_a_model_is_not_given_what_is_far_from_the_question_and_the_extractive_answerer_is(
    ask_model: Callable[..., Any], log: FakeAuditLog
) -> None:
    far = passage(PASSAGE_TEXTS[1], scores=(0.1,) * 9)
    found = search_result((PASSAGES[0], far))
    written = (await ask_model(quoting(FIRST), found=found))[-1]
    assert written.omitted == (far.chunk_id,)
    assert log.rows[0].search
    assert len(log.rows[0].search.passages) == 2
    fell_back = (await ask_model(INVENTED, found=found))[-1]
    assert NOT_VERIFIED in fell_back.degraded
    assert fell_back.omitted == ()


async def test_nothing_is_quoted_in_place_of_a_model_that_denied_what_is_asked(
    ask_model: Callable[..., Any],
) -> None:
    denying = DraftSentence("No, actuators do not sing.", (Claim(1, "no such words in it"),))
    answer = (await ask_model(denying))[-1]
    assert answer.refusal.code is RefusalCode.NOT_VERIFIED
    assert NOT_VERIFIED not in answer.degraded


async def test_a_failed_draft_is_a_refusal_when_the_gate_does_not_say_that_it_answers(
    ask_model: Callable[..., Any],
) -> None:
    unsure = search_result(passed=False, probability=0.49)
    answer = (await ask_model(INVENTED, found=unsure))[-1]
    assert answer.refusal.code in (RefusalCode.NOT_COVERED, RefusalCode.NOT_VERIFIED)
    assert NOT_VERIFIED not in answer.degraded


async def test_a_draft_that_the_profile_rejects_is_a_refusal(ask_model: Callable[..., Any]) -> None:
    answer = (await ask_model(quoting(FIRST), INVENTED, profile="integrated"))[-1]
    assert answer.refusal.code is RefusalCode.NOT_VERIFIED
    assert NOT_VERIFIED not in answer.degraded


async def test_a_model_that_declines_is_told_from_a_closed_gate(
    ask_model: Callable[..., Any],
) -> None:
    assert (await ask_model())[-1].refusal.code is RefusalCode.DECLINED
    closed = search_result(passed=False, probability=0.01)
    assert (await ask_model(found=closed))[-1].refusal.code is RefusalCode.NOT_COVERED


async def test_the_gate_is_wider_for_a_model_which_may_decline(
    ask_model: Callable[..., Any], ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shy = search_result(passed=False, probability=0.3)
    profile = load_profile("")
    relaxed = replace(profile, retrieval=replace(profile.retrieval, gate_threshold_model=0.2))
    monkeypatch.setattr("services.generation.pipeline.load_profile", lambda *_: relaxed)
    assert (await ask_model(quoting(FIRST), found=shy))[-1].text == FIRST
    refused = (await ask(quoting(FIRST), source=FakeSource(shy)))[-1]
    assert refused.refusal.code is RefusalCode.NOT_COVERED
    failed = (await ask_model(INVENTED, found=shy))[-1]
    assert failed.refusal.code is RefusalCode.NOT_VERIFIED


async def test_a_late_verifier_is_named_in_the_answer(ask_model: Callable[..., Any]) -> None:
    late = FakeVerifier({OWN_WORDS.text: ModelUnavailable("It does not answer.")})
    answer = (await ask_model(OWN_WORDS, verifier=late))[-1]
    assert (answer.text, answer.degraded) == (FIRST, (VERIFIER_LATE,))


async def test_tokens_of_judging_are_reported_apart_from_those_of_writing(
    ask_model: Callable[..., Any], log: FakeAuditLog
) -> None:
    judge = FakeVerifier(model="gpt-4o-mini", usage=Usage(1_000_000, 100_000))
    quoted = DraftSentence("A fluid's pressure becomes a force.", (Claim(1, FIRST),))
    answer = (await ask_model(OWN_WORDS, quoted, quoting(FIRST), verifier=judge))[-1]
    assert answer.verifier_use == ModelUse("gpt-4o-mini", Usage(2_000_000, 200_000), 0.42)
    assert log.rows[0].answer
    assert log.rows[0].answer.verifier_use == answer.verifier_use
    assert (await ask_model(quoting(FIRST), verifier=judge))[-1].verifier_use is None


async def test_tokens_of_judging_are_measured_apart_from_those_of_writing(
    ask_model: Callable[..., Any], recorded: Recorded
) -> None:
    judge = FakeVerifier(model="gpt-4o-mini", usage=Usage(1_000_000, 100_000))
    await ask_model(OWN_WORDS, verifier=judge)
    tokens = {
        (point["quoth.purpose"], point["gen_ai.token.type"]): count
        for point, count in recorded["gen_ai.client.token.usage"]
    }
    assert tokens == {("judge", "input"): 1_000_000, ("judge", "output"): 100_000}
    [(attributes, dollars)] = recorded["quoth.model.cost"]
    assert (attributes["quoth.purpose"], dollars) == ("judge", pytest.approx(0.21))
    # It reads while the draft is written: what it waited for is no time of its own.
    assert recorded["gen_ai.client.operation.duration"] == []


def citing(text: str) -> Citation:
    start = PASSAGES[0].locator.start + PASSAGE_TEXTS[0].index(text)
    place = type(PASSAGES[0].locator)("actuators.mdx", start, start + len(text))
    return Citation(1, text, place, "c", text, Verdict.EXACT)


def test_confidence_grows_with_the_quoted_sentence_and_the_lead_of_its_passage() -> None:
    found = search_result()  # every span scores 0.5
    sure = score_answer(found, (citing(FIRST),))
    assert score_answer(found, ()) < sure
    ahead = replace(PASSAGES[0], scores=PassageScores(fused=1.0))
    assert score_answer(search_result((ahead, *PASSAGES[1:])), (citing(FIRST),)) > sure


def test_an_answer_that_stands_out_is_told_from_one_of_many_pieces_about_as_good() -> None:
    places = [citing(FIRST).locator]
    alone = describe_answer(search_result(), places)
    first = PASSAGES[0]
    best = replace(first, spans=(replace(first.spans[0], score=1.0), *first.spans[1:]))
    assert (
        alone["log_similar_spans"]
        > describe_answer(search_result((best, *PASSAGES[1:])), places)["log_similar_spans"]
    )
    assert describe_answer(search_result((best, *PASSAGES[1:])), places)["log_similar_spans"] == 0.0
    everywhere = [passage.locator for passage in PASSAGES]
    assert alone["quoted_passages"] == 1
    assert describe_answer(search_result(), everywhere)["quoted_passages"] == len(PASSAGES)


def test_confidence_is_a_probability_whatever_was_found() -> None:
    assert 0 < score_answer(search_result(()), ()) < 1
    assert 0 < score_answer(search_result(PASSAGES[:1]), (citing(FIRST),)) < 1


@pytest.mark.parametrize(
    ("confidence", "level"),
    [
        (0.0, ConfidenceLevel.LOW),
        (0.699, ConfidenceLevel.LOW),
        (0.70, ConfidenceLevel.MEDIUM),
        (0.85, ConfidenceLevel.MEDIUM),
        (0.851, ConfidenceLevel.HIGH),
    ],
)
def test_confidence_has_three_levels(confidence: float, level: ConfidenceLevel) -> None:
    assert name_level(confidence) is level


LEAKS = "A leak is a hole in a line. Hydraulic pumps are machines that move oil."
PUMPS = passage(LEAKS, document=LEAKS, section_path=("Actuators", "Hydraulic pumps"))


class Answering(FakeSource):
    """Refuses the first question; what is asked after it is answered when it holds the word."""

    word = "hydraulic"
    probability = 0.3

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        await super().search(question, analysis, allowed_s)
        passed = len(self.searched) > 1 and self.word in analysis.question
        return search_result(
            (PUMPS,), passed=passed, probability=0.9 if passed else self.probability
        )


async def test_a_refusal_suggests_only_what_the_book_answers(ask: Callable[..., Any]) -> None:
    source = Answering()
    events = await ask(source=source)
    refusal = events[-1].refusal
    assert refusal.code is RefusalCode.NOT_COVERED
    assert refusal.suggested_questions
    assert refusal.suggested_questions == ("What are hydraulic pumps?",)
    assert source.searched[1:] == ["What are hydraulic pumps?", "What is a leak?"]


async def test_a_question_far_from_the_book_is_shown_what_introduces_it(
    ask: Callable[..., Any],
) -> None:
    source = Answering()
    source.probability = 0.01
    refusal = (await ask(source=source))[-1].refusal
    assert refusal.suggested_questions == ("What are hydraulic pumps?",)
    first, second = load_lexicon("en").introductions
    raised = ["What are hydraulic pumps?", "What is a leak?"]
    # What both introductions raise is asked once.
    assert source.searched[1:] == [first, *raised, second]


async def test_the_book_is_introduced_when_nothing_near_is_answered(
    ask: Callable[..., Any],
) -> None:
    source = Answering()
    source.word = "nothing of it"
    refusal = (await ask(source=source))[-1].refusal
    assert refusal.suggested_questions == ()
    introductions = load_lexicon("en").introductions
    assert tuple(text for text in source.searched if text in introductions) == introductions


async def test_the_nearest_sections_of_the_whole_book_are_named_when_a_part_holds_nothing(
    ask: Callable[..., Any],
) -> None:
    class Elsewhere(FakeSource):
        async def search(
            self, question: Question, analysis: QuestionAnalysis, allowed_s: float
        ) -> SearchResult:
            await super().search(question, analysis, allowed_s)
            if question.section_path or question.page:
                return search_result((), passed=False, probability=0.0, related=())
            return search_result(related=("Pumps", "Motors"))

    refusal = (await ask(source=Elsewhere(), section_path=("Nowhere",)))[-1].refusal
    assert refusal.code is RefusalCode.NOTHING_FOUND
    assert refusal.related_sections == ("Pumps", "Motors")
    assert refusal.message.startswith("I found nothing on this in the part you chose, and looked")
    assert refusal.message.endswith("Related topics: Pumps, Motors")
    refusal = (await ask(source=Elsewhere(), page="9"))[-1].refusal
    assert refusal.related_sections == ("Pumps", "Motors")
    refusal = (await ask(source=Elsewhere(), section_path=("Nowhere",), left_s=0.9))[-1].refusal
    assert refusal.message.endswith("and looked nowhere else.")


async def test_a_source_that_fails_leaves_a_refusal_without_suggestions(
    ask: Callable[..., Any],
) -> None:
    class Failing(Answering):
        async def search(
            self, question: Question, analysis: QuestionAnalysis, allowed_s: float
        ) -> SearchResult:
            found = await super().search(question, analysis, allowed_s)
            if len(self.searched) > 1:
                raise TimeoutError
            return found

    events = await ask(source=Failing())
    assert events[-1].refusal.suggested_questions == ()


async def test_without_time_nothing_is_suggested(ask: Callable[..., Any]) -> None:
    source = Answering()
    events = await ask(source=source, left_s=0.9)
    assert events[-1].refusal.suggested_questions == ()
    assert len(source.searched) == 1


async def test_every_check_is_in_the_receipt(ask: Callable[..., Any]) -> None:
    answer = (await ask(quoting(FIRST)))[-1]
    [sentence] = answer.sentences
    assert [check.kind for check in sentence.checks] == [
        CheckKind.SOURCE,
        CheckKind.QUOTE,
        CheckKind.MARKUP,
        CheckKind.CLAUSES,
        CheckKind.CONSISTENCY,
    ]
    assert all(check.passed and check.reason for check in (*sentence.checks, *answer.checks))
    assert [check.kind for check in answer.checks] == [CheckKind.ENTITIES]


@pytest.mark.parametrize(
    ("draft", "kind", "reason"),
    [
        (INVENTED, CheckKind.SOURCE, "no source is named"),
        (DraftSentence(FIRST, (Claim(9, FIRST),)), CheckKind.SOURCE, "there is no such source"),
        (DraftSentence(FIRST, (Claim(1, "Pumps sing all day."),)), CheckKind.QUOTE, "not stand"),
        (
            DraftSentence(FIRST, (Claim(1, "A hydraulic actuator do not tolerate dirt."),)),
            CheckKind.QUOTE,
            "glued",
        ),
        (
            DraftSentence("It holds 22 MPa without a gearbox.", (Claim(1, SECOND),)),
            CheckKind.NUMBERS,
            "a number",
        ),
    ],
)
async def test_a_withheld_sentence_has_the_reason(
    ask: Callable[..., Any], log: FakeAuditLog, draft: DraftSentence, kind: CheckKind, reason: str
) -> None:
    answer = (await ask(quoting(SECOND), draft))[-1]
    [withheld] = answer.withheld
    assert (withheld.checks[-1].kind, withheld.checks[-1].passed) == (kind, False)
    assert reason in withheld.checks[-1].reason
    assert log.rows[-1].answer
    assert log.rows[-1].answer.withheld[0].text == draft.text


async def test_a_sentence_is_checked_for_agreement_with_those_before_it(
    ask: Callable[..., Any],
) -> None:
    quote = "In short, it holds 21 MPa without a gearbox."
    agreeing = DraftSentence(quote, (Claim(1, SECOND),))
    answer = (await ask(quoting(FIRST), agreeing))[-1]
    assert [check.kind for check in answer.sentences[1].checks][-1] is CheckKind.CONSISTENCY


async def test_passages_that_did_not_fit_the_prompt_are_named(
    counter: TokenCounter, log: FakeAuditLog
) -> None:
    set_current_budget(Budget(5.0, stages.GENERATION))
    pipeline = Pipeline(
        source=FakeSource(),
        answerers={"extractive": FakeAnswerer([quoting(FIRST)])},
        log=log,
        counter=counter,
        prompt_tokens=50,
        ensemble=ensemble(),
    )
    events = [event async for event in pipeline.answer_question(question())]
    await pipeline.close()
    assert isinstance(events[-1], Answer)
    assert events[-1].omitted == (PASSAGES[1].chunk_id,)


@pytest.mark.parametrize(
    ("model", "kept"), [("gpt-4-0613", 1), ("gpt-4o-mini", 2), ("somebody-elses", 2)]
)
async def test_a_prompt_is_packed_to_the_models_own_window(
    counter: TokenCounter, log: FakeAuditLog, model: str, kept: int
) -> None:
    words = "force " * 4_000
    both = tuple(passage(words + text, document=words + text) for text in PASSAGE_TEXTS)
    answerer = FakeAnswerer([])
    # Time stands still: a vocabulary may have to be loaded, which a service has done by then.
    set_current_budget(Budget(5.0, stages.GENERATION, clock=lambda: 0.0))
    pipeline = Pipeline(
        source=FakeSource(search_result(both)),
        answerers={"openai": answerer},
        log=log,
        counter=counter,
        prompt_tokens=20_000,
        ensemble=ensemble(),
        answerer="openai",
        model=model,
    )
    [_ async for _ in pipeline.answer_question(question())]
    await pipeline.close()
    assert len(answerer.prompts[0].passages) == kept
