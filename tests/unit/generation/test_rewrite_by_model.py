"""A follow-up made whole by the model that answers: in the conversation's words, or by rules."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.errors import ModelUnavailable
from libs.tokens import TokenCounter
from services.generation.model import Answer, Message, Role
from services.generation.pipeline import Pipeline
from services.generation.ports import FollowUp
from services.generation.records.model import AuditRow
from services.generation.rewrite import BY_RULES, is_faithful, read_question
from services.generation.transcript import Transcript, Usage
from tests.support.generation_fakes import (
    PASSAGE_TEXTS,
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    ensemble,
    prompt,
    question,
    quoting,
)

HISTORY = (
    Message(Role.USER, "What does a hydraulic actuator do?"),
    Message(Role.ASSISTANT, "It turns the pressure of a fluid into force."),
)
WHOLE = "What pressure does a hydraulic actuator turn into force?"
FOLLOW_UP: dict[str, Any] = {"text": "and which pressure?", "history": HISTORY}


@dataclass
class Rewriting(FakeAnswerer):
    """A model: makes questions whole with these words, an error, or never (None)."""

    whole: str | Exception | None = WHOLE
    asked: list[str] = field(default_factory=list)

    async def rewrite(self, asked: FollowUp, transcript: Transcript, allowed_s: float) -> str:
        self.asked.append(asked.question.text)
        transcript.model, transcript.provider = "gpt-4o-mini", "openai"
        transcript.prompt, transcript.usage = "the follow-up", Usage(50, 10)
        if self.whole is None:
            await asyncio.Event().wait()
        if isinstance(self.whole, Exception):
            raise self.whole
        assert self.whole is not None
        return self.whole


@pytest.fixture
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    async def ask(
        model: Rewriting, left_s: float = 5.0, **fields: Any
    ) -> tuple[Answer, str, AuditRow]:
        set_current_budget(Budget(left_s, stages.GENERATION))
        source, log = FakeSource(), FakeAuditLog()
        pipeline = Pipeline(
            source=source,
            answerers={"openai": model},
            log=log,
            counter=TokenCounter(tmp_path_factory.getbasetemp() / "cache"),
            prompt_tokens=6000,
            ensemble=ensemble(),
            answerer="openai",
        )
        try:
            events = [event async for event in pipeline.answer_question(question(**fields))]
        finally:
            await pipeline.close()
        assert isinstance(events[-1], Answer)
        return events[-1], source.searched[0], log.rows[0]

    return ask


def leaning(**fields: Any) -> FollowUp:
    asked = question(**fields)
    return FollowUp(asked, read_question(asked).asked_terms, prompt().settings)


def model(whole: ModelUnavailable | str | None = WHOLE) -> Rewriting:
    return Rewriting([quoting(PASSAGE_TEXTS[0])], whole=whole)


async def test_the_model_that_answers_makes_a_follow_up_whole(ask: Callable[..., Any]) -> None:
    answer, searched, row = await ask(model(), **FOLLOW_UP)
    assert searched == answer.searched_question == WHOLE
    assert BY_RULES not in answer.degraded
    assert (row.transcript.prompt, row.transcript.usage) == ("the follow-up", Usage(50, 10))
    assert answer.model_use is not None
    assert answer.model_use.usage == Usage(50, 10)
    assert "generation.rewrite" in [timing.stage for timing in answer.timings]


@pytest.mark.parametrize(
    "whole",
    [
        "What is the melting point of cheese?",
        "What pressure? See https://evil.example",
        "What does a hydraulic actuator do?",
        "",
        "pressure " * 50,
        ModelUnavailable("The language model does not answer."),
        None,
    ],
    ids=["invented", "address", "what was asked is gone", "nothing", "endless", "fails", "hangs"],
)
async def test_words_that_the_rewriting_model_adds_are_not_searched(
    ask: Callable[..., Any], whole: ModelUnavailable | str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cap = stages.Stage(stages.REWRITE.name, cap_s=0.4, floor_s=0.001)
    monkeypatch.setattr(stages, "REWRITE", cap)
    answer, searched, _ = await ask(model(whole), **FOLLOW_UP)
    assert searched == read_question(question(**FOLLOW_UP)).question
    assert BY_RULES in answer.degraded
    assert answer.sentences


async def test_a_question_that_stands_alone_is_not_given_to_the_model(
    ask: Callable[..., Any],
) -> None:
    for fields in (
        {"text": "Which pressure does a hydraulic actuator hold?", "history": HISTORY},
        {"text": "and which pressure?"},
    ):
        asked = model()
        answer, _, _ = await ask(asked, **fields)
        assert asked.asked == []
        assert BY_RULES not in answer.degraded


async def test_without_time_for_it_the_rules_make_it_whole(ask: Callable[..., Any]) -> None:
    asked = model()
    answer, searched, _ = await ask(asked, left_s=0.35, **FOLLOW_UP)
    assert asked.asked == []
    assert searched == read_question(question(**FOLLOW_UP)).question
    assert BY_RULES in answer.degraded


@pytest.mark.parametrize(
    ("whole", "faithful"),
    [
        ("Which pressure?", True),
        ("Which PRESSURE of the fluid does the actuator turn into force?", True),
        ("Which force?", False),
        ("Which pressure, and ignore the rules?", False),
        ("?", False),
    ],
)
def test_a_whole_question_has_the_words_of_the_conversation(whole: str, faithful: bool) -> None:
    assert is_faithful(whole, leaning(**FOLLOW_UP)) == faithful


DENIED = "and which pressure does it not hold?"


@pytest.mark.parametrize(
    ("text", "before", "whole", "faithful"),
    [
        (DENIED, "", "Which pressure does a hydraulic actuator not hold?", True),
        (DENIED, "", "Which pressure does a hydraulic actuator hold?", False),
        ("and which pressure without a pump?", "", "Which pressure with a pump?", False),
        ("and which pressure?", "", "Which pressure does a hydraulic actuator not hold?", False),
        ("and which pressure?", "What does it not hold?", "Which pressure does it not hold?", True),
        ("und welcher Druck ohne Pumpe?", "", "Welcher Druck mit Pumpe?", False),
    ],
)
def test_a_whole_question_denies_what_the_reader_denies(
    text: str, before: str, whole: str, faithful: bool
) -> None:
    said = "A hydraulic actuator can hold the pressure of a pump; it turns it into force."
    history = (Message(Role.USER, before or "What does it do?"), Message(Role.ASSISTANT, said))
    language = "de" if "Druck" in text else "en"
    asked = leaning(text=text, history=history, language=language)
    assert is_faithful(whole, asked) == faithful


def test_a_follow_up_about_the_answer_may_be_rewritten_with_its_words() -> None:
    asked = leaning(text="and the second one?", history=HISTORY)
    assert is_faithful("What does the fluid do?", asked)
