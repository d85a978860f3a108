"""What is on record when a reader sees it, on fakes: a draft's pauses are where it waits for them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.errors import DeadlineExceeded, ModelUnavailable, Unavailable
from libs.tokens import TokenCounter
from services.generation.model import (
    Answer,
    DraftSentence,
    PassagesFound,
    Prompt,
    RefusalCode,
    SentenceReleased,
)
from services.generation.pipeline import Pipeline
from services.generation.transcript import Transcript
from tests.support.generation_fakes import (
    FakeAuditLog,
    FakeSource,
    ensemble,
    question,
    quoting,
)

FIRST = "A hydraulic actuator turns the pressure of a fluid into force."
SECOND = "It holds 21 MPa without a gearbox."
THIRD = "Hydraulic lines do not tolerate dirt."
INVENTED = DraftSentence("Actuators sing.", ())
PAUSE = None

pytestmark = pytest.mark.invariant("I3")


@dataclass
class PausingAnswerer:
    """Writes its sentences; at a PAUSE it waits until `resume` is called."""

    draft: tuple[DraftSentence | Exception | None, ...]
    resumed: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        for sentence in self.draft:
            if sentence is PAUSE:
                await self.resumed.acquire()
            elif isinstance(sentence, Exception):
                raise sentence
            else:
                yield sentence

    def resume(self) -> None:
        self.resumed.release()


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TokenCounter(tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture
def log() -> FakeAuditLog:
    return FakeAuditLog()


@dataclass
class Reading:
    """A pipeline, what it is asked with, and what a reader has seen of its answer."""

    pipeline: Pipeline
    answerer: PausingAnswerer
    seen: list[Any] = field(default_factory=list)

    async def read(self, *, as_it_passes: bool = True) -> list[Any]:
        """Read all; the draft goes on when the reader has seen a sentence."""
        set_current_budget(Budget(5.0, stages.GENERATION))
        try:
            async for event in self.pipeline.answer_question(question(), as_it_passes=as_it_passes):
                self.seen.append(event)
                if isinstance(event, SentenceReleased):
                    self.answerer.resume()
        finally:
            await self.pipeline.close()
        return self.seen

    @property
    def texts(self) -> list[str]:
        return [event.sentence.text for event in self.seen if isinstance(event, SentenceReleased)]


@pytest.fixture
def reading(counter: TokenCounter, log: FakeAuditLog) -> Callable[..., Reading]:
    def reading(*draft: DraftSentence | Exception | None) -> Reading:
        answerer = PausingAnswerer(draft)
        pipeline = Pipeline(
            source=FakeSource(),
            answerers={"extractive": answerer},
            log=log,
            counter=counter,
            prompt_tokens=6000,
            ensemble=ensemble(),
        )
        return Reading(pipeline, answerer)

    return reading


async def test_every_sentence_is_on_record_when_it_is_seen(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    asked = reading(quoting(FIRST), PAUSE, quoting(SECOND), PAUSE, quoting(THIRD))
    set_current_budget(Budget(5.0, stages.GENERATION))
    seen = []
    async for event in asked.pipeline.answer_question(question()):
        if isinstance(event, SentenceReleased):
            recorded = [text for burst in log.releases for text in burst]
            whole = [item.text for row in log.rows if row.answer for item in row.answer.sentences]
            assert event.sentence.text in {*recorded, *whole}
            seen.append(event.sentence.text)
            asked.answerer.resume()
    assert seen == [FIRST, SECOND, THIRD]
    assert [item.sentence.text for item in log.rows[0].released] == [FIRST, SECOND]
    assert log.rows[0].taken_back == ()


async def test_a_draft_that_waits_for_nothing_is_one_row_and_nothing_before_it(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    asked = reading(quoting(FIRST), quoting(SECOND))
    await asked.read()
    assert asked.texts == [FIRST, SECOND]
    assert log.releases == []
    assert len(log.rows) == 1


async def test_sentences_that_come_together_are_recorded_together(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    asked = reading(quoting(FIRST), quoting(SECOND), PAUSE, quoting(THIRD))
    await asked.read()
    assert log.releases == [(FIRST, SECOND)]
    assert asked.texts == [FIRST, SECOND, THIRD]


async def test_a_reader_who_waits_for_the_whole_answer_costs_one_row(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    asked = reading(quoting(FIRST), PAUSE, quoting(SECOND))
    asked.answerer.resume()
    await asked.read(as_it_passes=False)
    assert log.releases == []
    assert isinstance(asked.seen[-1], Answer)


@pytest.mark.fault("P6", "D3")
async def test_without_the_audit_log_no_sentence_is_seen(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    log.error = Unavailable("The database does not answer.")
    asked = reading(quoting(FIRST), PAUSE)
    with pytest.raises(Unavailable):
        await asked.read()
    assert [type(event) for event in asked.seen] == [PassagesFound]


@pytest.mark.fault("D3")
async def test_an_audit_log_that_hangs_ends_the_answer_before_a_sentence_is_seen(
    reading: Callable[..., Reading], log: FakeAuditLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = stages.Stage(stages.RELEASE.name, cap_s=0.01, floor_s=0.001)
    monkeypatch.setattr(stages, "RELEASE", short)
    log.hangs = True
    asked = reading(quoting(FIRST), PAUSE)
    with pytest.raises(DeadlineExceeded) as caught:
        await asked.read()
    assert caught.value.stage == "generation.release"
    assert asked.texts == []


async def test_sentences_that_were_shown_and_taken_back_are_in_the_row(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    asked = reading(quoting(FIRST), PAUSE, INVENTED, INVENTED)
    answer = (await asked.read())[-1]
    assert asked.texts == [FIRST]
    assert answer.refusal.code is RefusalCode.NOT_VERIFIED
    assert [item.sentence.text for item in log.rows[0].taken_back] == [FIRST]


async def test_sentences_shown_before_a_failure_are_in_its_row(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    broken = ModelUnavailable("The language model does not answer.")
    asked = reading(quoting(FIRST), PAUSE, broken)
    with pytest.raises(ModelUnavailable):
        await asked.read()
    (row,) = log.rows
    assert (row.answer, row.error) == (None, "model_unavailable")
    assert [item.sentence.text for item in row.released] == [FIRST]


async def test_sentences_shown_to_a_reader_who_left_are_in_the_row(
    reading: Callable[..., Reading], log: FakeAuditLog
) -> None:
    set_current_budget(Budget(5.0, stages.GENERATION))
    asked = reading(quoting(FIRST), PAUSE)
    events = asked.pipeline.answer_question(question())
    await anext(events)
    await anext(events)
    await events.aclose()
    await asked.pipeline.close()
    (row,) = log.rows
    assert row.error == "cancelled"
    assert [item.sentence.text for item in row.released] == [FIRST]
