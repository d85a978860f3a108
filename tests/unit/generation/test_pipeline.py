"""The order of stages and events, on fakes."""

import asyncio
from dataclasses import replace

import pytest

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.errors import DeadlineExceeded, ModelUnavailable
from libs.tokens import TokenCounter
from services.generation.model import (
    Answer,
    CheckKind,
    Citation,
    Claim,
    ConfidenceLevel,
    DraftSentence,
    PassageScores,
    PassagesFound,
    RefusalCode,
    Selection,
    SentenceReleased,
    Verdict,
)
from services.generation.pipeline import Pipeline
from services.generation.score import describe_answer, name_level, score_answer
from services.generation.suggest import INTRODUCTIONS
from tests.support.generation_fakes import (
    PASSAGE_TEXTS,
    PASSAGES,
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    passage,
    question,
    quoting,
    search_result,
)

FIRST = "A hydraulic actuator turns the pressure of a fluid into force."
SECOND = "It holds 21 MPa without a gearbox."
THIRD = "Hydraulic lines do not tolerate dirt."
INVENTED = DraftSentence("Actuators sing.", ())


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture
def log():
    return FakeAuditLog()


@pytest.fixture
def ask(counter, log):
    async def ask(*draft, source=None, left_s=5.0, **fields):
        set_current_budget(Budget(left_s, stages.GENERATION))
        pipeline = Pipeline(
            source=source or FakeSource(),
            answerers={"extractive": FakeAnswerer(list(draft))},
            log=log,
            counter=counter,
            prompt_tokens=6000,
        )
        try:
            return [event async for event in pipeline.answer_question(question(**fields))]
        finally:
            await pipeline.close()

    return ask


def texts(events):
    return [event.sentence.text for event in events if isinstance(event, SentenceReleased)]


async def test_sentences_are_released_as_they_pass(ask):
    events = await ask(quoting(FIRST), quoting(SECOND))
    assert isinstance(events[0], PassagesFound)
    assert texts(events) == [FIRST, SECOND]
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert answer.text == f"{FIRST} {SECOND}"


async def test_a_thing_that_no_passage_mentions_is_named_and_the_confidence_is_not_high(ask):
    alone = (await ask(quoting(FIRST), quoting(THIRD), text="What are hydraulic actuators?"))[-1]
    half = (await ask(quoting(FIRST), quoting(THIRD), text="Hydraulic actuators versus radar?"))[-1]
    assert (alone.unmentioned, half.unmentioned) == ((), ("radar",))
    assert half.confidence < alone.confidence / 2
    refused = (await ask(INVENTED, text="Hydraulic actuators versus radar?"))[-1]
    assert refused.unmentioned == ()


async def test_after_a_failure_sentences_wait_for_the_whole(ask):
    events = await ask(quoting(FIRST), INVENTED, quoting(SECOND), quoting(THIRD))
    assert texts(events) == [FIRST, SECOND, THIRD]
    assert [citation.number for citation in events[-1].citations] == [1, 2, 3]


async def test_when_most_fails_what_was_not_yet_released_never_is(ask):
    events = await ask(quoting(FIRST), INVENTED, quoting(SECOND), INVENTED, INVENTED)
    assert texts(events) == [FIRST]
    assert events[-1].refusal.code is RefusalCode.NOT_VERIFIED
    assert (events[-1].sentences, events[-1].citations) == ((), ())


@pytest.mark.parametrize("text", ["Thanks!", "hello there", "Thank you very much, bye", "Hi :)"])
async def test_a_courtesy_is_answered_without_a_search(ask, log, text):
    source = FakeSource()
    (answer,) = await ask(quoting(FIRST), source=source, text=text)
    assert answer.refusal.code is RefusalCode.NO_QUESTION
    assert source.searched == []
    assert log.rows[0].answer.refusal is answer.refusal


async def test_an_empty_draft_says_that_the_book_does_not(ask):
    events = await ask()
    assert events[-1].refusal.code is RefusalCode.NOT_COVERED


async def test_the_row_is_stored_before_the_answer_is_shown(ask, log):
    order = []
    append = log.append

    async def note(row, allowed_s):
        await append(row, allowed_s)
        order.append("row")

    log.append = note
    events = await ask(quoting(FIRST))
    assert order == ["row"]
    assert isinstance(events[-1], Answer)
    assert log.rows[0].answer.sentences == events[-1].sentences


async def test_timings_of_retrieval_are_in_the_answer(ask):
    events = await ask(quoting(FIRST))
    assert [timing.stage for timing in events[-1].timings][:2] == [
        "generation.rewrite",
        "generation.retrieve",
    ]


async def test_stages_run_in_the_order_of_the_table_and_none_after_a_closed_gate(ask):
    def run_in(events):
        return list(dict.fromkeys(timing.stage for timing in events[-1].timings))

    names = [stage.name for stage in stages.GENERATION if stage is not stages.REPHRASE]
    assert run_in(await ask(quoting(FIRST))) == names
    closed = FakeSource(search_result(passed=False))
    run = run_in(await ask(quoting(FIRST), source=closed))
    assert run == [stages.REWRITE.name, stages.RETRIEVE.name, stages.RECORD.name]


async def test_what_retrieval_left_out_is_told(ask):
    found = search_result()
    degraded = type(found)(found.passages, found.gate, degraded=("mark",))
    events = await ask(quoting(FIRST), source=FakeSource(degraded))
    assert events[-1].degraded == ("mark",)


async def test_a_hanging_model_is_the_deadline_of_its_stage(ask, log):
    with pytest.raises(DeadlineExceeded) as caught:
        await ask(quoting(FIRST), None, left_s=0.4)
    assert caught.value.stage == "generation.complete"
    assert log.rows[0].error == "deadline_exceeded"


async def test_without_time_for_it_the_model_is_not_asked(ask, log):
    with pytest.raises(DeadlineExceeded) as caught:
        await ask(quoting(FIRST), left_s=0.05)
    assert caught.value.stage == "generation.rewrite"  # the floors of all stages are kept back


async def test_a_model_that_fails_in_the_middle_leaves_a_row_and_no_answer(ask, log):
    with pytest.raises(ModelUnavailable):
        await ask(quoting(FIRST), ModelUnavailable("The language model does not answer."))
    assert log.rows[0].error == "model_unavailable"
    assert log.rows[0].search is not None


async def test_a_bug_leaves_a_row_too(ask, log):
    with pytest.raises(ZeroDivisionError):
        await ask(ZeroDivisionError())
    assert log.rows[0].error == "internal"


async def test_a_question_about_a_name_that_no_passage_knows_is_refused(ask):
    (answer,) = await ask(quoting(FIRST), text="What does an XJ900 hydraulic actuator do?")
    assert answer.refusal.code is RefusalCode.NOT_COVERED
    marked = Selection("03-actuators.mdx", 0, 4)
    events = await ask(quoting(FIRST), text="Is it an XJ900?", selection=marked)
    assert texts(events) == [FIRST]


async def test_marked_text_without_a_question_does_not_pass_a_gate(ask):
    source = FakeSource(search_result(passed=False))
    marked = Selection("actuators.mdx", 21, 40)
    assert texts(await ask(quoting(FIRST), source=source, text="", selection=marked)) == [FIRST]
    assert texts(await ask(quoting(FIRST), source=source, selection=marked)) == []


async def test_a_draft_without_end_is_cut(ask):
    events = await ask(*[quoting(FIRST)] * 500)
    assert len(events[-1].sentences) == 60


async def test_a_reader_who_left_is_recorded(counter, log):
    set_current_budget(Budget(5.0, stages.GENERATION))
    answerer = FakeAnswerer([quoting(FIRST), None])
    pipeline = Pipeline(
        source=FakeSource(),
        answerers={"extractive": answerer},
        log=log,
        counter=counter,
        prompt_tokens=6000,
    )
    events = pipeline.answer_question(question())
    await anext(events)
    waiting = asyncio.ensure_future(anext(events))
    await waiting
    await events.aclose()
    await pipeline.close()
    assert answerer.closed
    assert log.rows[0].error == "cancelled"


def citing(text):
    start = PASSAGES[0].locator.start + PASSAGE_TEXTS[0].index(text)
    place = type(PASSAGES[0].locator)("actuators.mdx", start, start + len(text))
    return Citation(1, text, place, "c", text, Verdict.EXACT)


def test_confidence_grows_with_the_quoted_unit_and_the_lead_of_its_passage():
    found = search_result()  # every unit scores 0.5
    sure = score_answer(found, (citing(FIRST),))
    assert score_answer(found, ()) < sure
    ahead = replace(PASSAGES[0], scores=PassageScores(blended=1.0))
    assert score_answer(search_result((ahead, *PASSAGES[1:])), (citing(FIRST),)) > sure


def test_an_answer_that_stands_out_is_told_from_one_of_many_pieces_about_as_good():
    places = [citing(FIRST).locator]
    alone = describe_answer(search_result(), places)
    first = PASSAGES[0]
    best = replace(first, units=(replace(first.units[0], score=1.0), *first.units[1:]))
    assert alone["rivals"] > describe_answer(search_result((best, *PASSAGES[1:])), places)["rivals"]
    assert describe_answer(search_result((best, *PASSAGES[1:])), places)["rivals"] == 0.0
    everywhere = [passage.locator for passage in PASSAGES]
    assert alone["sources"] == 1
    assert describe_answer(search_result(), everywhere)["sources"] == len(PASSAGES)


def test_confidence_is_a_probability_whatever_was_found():
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
def test_confidence_has_three_levels(confidence, level):
    assert name_level(confidence) is level


LEAKS = "A leak is a hole in a line. It grows under pressure."
PUMPS = passage(LEAKS, document=LEAKS, section_path=("Actuators", "Hydraulic pumps"))


class Answering(FakeSource):
    """Refuses the first question; what is asked after it is answered when it holds the word."""

    word = "hydraulic"
    probability = 0.3

    async def search(self, question, searched, allowed_s):
        await super().search(question, searched, allowed_s)
        passed = len(self.searched) > 1 and self.word in searched
        return search_result(
            [PUMPS], passed=passed, probability=0.9 if passed else self.probability
        )


async def test_a_refusal_suggests_only_what_the_book_answers(ask):
    source = Answering()
    events = await ask(source=source)
    refusal = events[-1].refusal
    assert refusal.code is RefusalCode.NOT_COVERED
    assert refusal.suggested_questions
    assert refusal.suggested_questions == ("What are hydraulic pumps?",)
    assert source.searched[1:] == ["What are hydraulic pumps?", "What is a leak?"]


async def test_a_question_far_from_the_book_is_shown_what_introduces_it(ask):
    source = Answering()
    source.probability = 0.01
    refusal = (await ask(source=source))[-1].refusal
    assert refusal.suggested_questions == ("What are hydraulic pumps?",)
    first, second = INTRODUCTIONS
    raised = ["What are hydraulic pumps?", "What is a leak?"]
    assert source.searched[1:] == [first, *raised, second, "What is a leak?"]


async def test_where_nothing_near_is_answered_the_book_is_introduced(ask):
    source = Answering()
    source.word = "nothing of it"
    refusal = (await ask(source=source))[-1].refusal
    assert refusal.suggested_questions == ()
    assert [text for text in source.searched if text in INTRODUCTIONS] == list(INTRODUCTIONS)


async def test_where_a_part_of_the_book_holds_nothing_the_nearest_sections_of_the_whole_are_named(
    ask,
):
    class Elsewhere(FakeSource):
        async def search(self, question, searched, allowed_s):
            await super().search(question, searched, allowed_s)
            if question.section_path:
                return search_result((), passed=False, probability=0.0, related=())
            return search_result(related=("Pumps", "Motors"))

    refusal = (await ask(source=Elsewhere(), section_path=("Nowhere",)))[-1].refusal
    assert refusal.code is RefusalCode.NOTHING_FOUND
    assert refusal.related_sections == ("Pumps", "Motors")
    assert refusal.message == "I couldn't find relevant content. Related topics: Pumps, Motors"
    refusal = (await ask(source=Elsewhere(), section_path=("Nowhere",), left_s=0.9))[-1].refusal
    assert refusal.message == "I couldn't find relevant content."


async def test_a_source_that_fails_leaves_a_refusal_without_suggestions(ask):
    class Failing(Answering):
        async def search(self, question, searched, allowed_s):
            found = await super().search(question, searched, allowed_s)
            if len(self.searched) > 1:
                raise TimeoutError
            return found

    events = await ask(source=Failing())
    assert events[-1].refusal.suggested_questions == ()


async def test_without_time_nothing_is_suggested(ask):
    source = Answering()
    events = await ask(source=source, left_s=0.9)
    assert events[-1].refusal.suggested_questions == ()
    assert len(source.searched) == 1


async def test_every_check_is_in_the_receipt(ask):
    answer = (await ask(quoting(FIRST)))[-1]
    [sentence] = answer.sentences
    assert [check.kind for check in sentence.checks] == [
        CheckKind.SOURCE,
        CheckKind.QUOTE,
        CheckKind.MARKUP,
        CheckKind.WORDING,
        CheckKind.CONSISTENCY,
    ]
    assert all(check.passed and check.reason for check in (*sentence.checks, *answer.checks))
    assert [check.kind for check in answer.checks] == [CheckKind.ADDRESS]


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
async def test_what_is_withheld_says_why(ask, log, draft, kind, reason):
    answer = (await ask(quoting(SECOND), draft))[-1]
    [withheld] = answer.withheld
    assert (withheld.checks[-1].kind, withheld.checks[-1].passed) == (kind, False)
    assert reason in withheld.checks[-1].reason
    assert log.rows[-1].answer.withheld[0].text == draft.text


async def test_what_says_otherwise_than_before_is_withheld(ask):
    quote = "In short, it holds 21 MPa without a gearbox."
    agreeing = DraftSentence(quote, (Claim(1, SECOND),))
    answer = (await ask(quoting(SECOND), agreeing))[-1]
    assert [check.kind for check in answer.sentences[1].checks][-1] is CheckKind.CONSISTENCY


async def test_what_did_not_fit_is_named(counter, log):
    set_current_budget(Budget(5.0, stages.GENERATION))
    pipeline = Pipeline(
        source=FakeSource(),
        answerers={"extractive": FakeAnswerer([quoting(FIRST)])},
        log=log,
        counter=counter,
        prompt_tokens=50,
    )
    events = [event async for event in pipeline.answer_question(question())]
    await pipeline.close()
    assert events[-1].left_out == (PASSAGES[1].chunk_id,)


@pytest.mark.parametrize(
    ("model", "kept"), [("gpt-4-0613", 1), ("gpt-4o-mini", 2), ("somebody-elses", 2)]
)
async def test_a_prompt_is_packed_to_the_models_own_window(counter, log, model, kept):
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
        answerer="openai",
        model=model,
    )
    [_ async for _ in pipeline.answer_question(question())]
    await pipeline.close()
    assert len(answerer.prompts[0].passages) == kept
