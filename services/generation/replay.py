"""Rebuild a recorded answer, and say how it differs: the same question, edition and draft, again.

Everything is done anew but what a language model wrote: that is read from the row, as it was read then.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from typing import Any

import msgspec
from typing_extensions import override

from libs.budget import Budget, stages
from libs.budget.budget import set_current_budget
from services.generation.language_model.structured import DraftReader
from services.generation.model import (
    Answer,
    Citation,
    DraftSentence,
    Message,
    Prompt,
    Sentence,
    SentenceReleased,
)
from services.generation.pipeline import EXTRACTIVE, NO_MODEL, Pipeline
from services.generation.ports import Answerer, FollowUp, QuestionRewriter
from services.generation.records.model import AuditRow
from services.generation.records.ports import AuditLog
from services.generation.transcript import Transcript

RECORDED = "recorded"
"""Name of the answerer that says what a model wrote."""
UNKNOWN_SETTINGS = "the row does not say what settings it was made with: they may be others now"
_BESIDE = {"answer_id", "question", "create_time", "timings", "model_use", "verifier_use"}
"""What can't be the same again: when, how long, and what a model took."""
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True)
class RecordedAnswer:
    """What a row has of an answer; `response` is what a language model wrote, "" without one."""

    answer: Answer
    history: tuple[Message, ...]
    response: str
    made_with: Mapping[str, str]

    @property
    def answerer(self) -> str:
        """Who rebuilds it; "" is whom the profile names, who was not there."""
        if NO_MODEL in self.answer.degraded:
            return ""
        named = self.made_with.get("answerer", RECORDED if self.response else EXTRACTIVE)
        return EXTRACTIVE if named == EXTRACTIVE else RECORDED


@dataclass(frozen=True)
class SentenceChange:
    """A sentence with its quotations, as recorded and as rebuilt; None where it is not there."""

    recorded: str | None
    rebuilt: str | None

    @property
    def is_same(self) -> bool:
        return self.recorded == self.rebuilt


@dataclass(frozen=True)
class Replayed:
    """An answer rebuilt. `others` names what differs beside the sentences; `notes` what may be why."""

    identical: bool
    sentences: Sequence[SentenceChange]
    others: Sequence[str]
    notes: Sequence[str]


class RecordedAnswerer(Answerer, QuestionRewriter):
    """Says what a language model wrote of one answer: its draft, and the question made whole."""

    def __init__(self, response: str, model: str) -> None:
        self._left = response
        self._model = model

    @override
    async def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        transcript.model, transcript.response = self._model, self._left
        reader = DraftReader()
        for sentence in [*reader.feed(self._left), *reader.finish()]:
            yield sentence

    @override
    async def rewrite(self, asked: FollowUp, transcript: Transcript, allowed_s: float) -> str:
        # A question made whole is one line, and stands before the draft.
        written, _, self._left = self._left.partition("\n")
        transcript.model, transcript.response = self._model, written
        return written


class NoRecord(AuditLog):
    """Takes rows and keeps none: what is rebuilt is no answer that anybody was given."""

    @override
    async def append(self, row: AuditRow, allowed_s: float) -> None:
        return

    @override
    async def release(
        self, row: AuditRow, sentences: Sequence[SentenceReleased], allowed_s: float
    ) -> None:
        return


async def replay(recorded: RecordedAnswer, pipeline: Pipeline) -> Replayed:
    """Answer the question again and compare. Raises what answering raises."""
    # No reader waits: what a busy machine leaves out would only look like another answer.
    set_current_budget(Budget(stages.TOTAL_S, stages.GENERATION, clock=lambda: 0.0))
    # Neither a session nor a repeated request: it is asked by nobody.
    question = replace(recorded.answer.question, history=recorded.history)
    rebuilt: Answer | None = None
    async for event in pipeline.answer_question(question, as_it_passes=False):
        if isinstance(event, Answer):
            rebuilt = event
    assert rebuilt is not None
    return compare(recorded, rebuilt, pipeline.made_with(rebuilt.profile))


def compare(recorded: RecordedAnswer, rebuilt: Answer, now: Mapping[str, str]) -> Replayed:
    """Say how an answer differs from the recorded one; `now` is what it was made with."""
    before = recorded.answer
    after = replace(rebuilt, **{name: getattr(before, name) for name in _BESIDE})
    others = [
        f"{name}: {_as_json(getattr(before, name))} then, {_as_json(getattr(after, name))} now"
        for name in (item.name for item in fields(Answer))
        if name not in ("sentences", "citations")
        and _encode(getattr(before, name)) != _encode(getattr(after, name))
    ]
    return Replayed(
        _encode(before) == _encode(after),
        list(_compare_sentences(_lines(before), _lines(after))),
        others,
        [*_compare_settings(recorded.made_with, now), *_notes(before, after)],
    )


def _compare_sentences(before: list[str], after: list[str]) -> Iterator[SentenceChange]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        then, now = before[start:end], after[other_start:other_end]
        if kind == "equal":
            yield from (SentenceChange(text, text) for text in then)
            continue
        for number in range(max(len(then), len(now))):
            yield SentenceChange(
                then[number] if number < len(then) else None,
                now[number] if number < len(now) else None,
            )


def _lines(answer: Answer) -> list[str]:
    """Return each sentence with its quotations and their places; of a refusal its message."""
    if answer.refusal:
        return [answer.refusal.message]
    return [_line(sentence, answer.citations) for sentence in answer.sentences]


def _line(sentence: Sentence, citations: Sequence[Citation]) -> str:
    quotes = [
        f'{one.verdict.value} "{one.quote}" ({one.locator.document} '
        f"{one.locator.start}-{one.locator.end})"
        for one in citations
        if one.number in sentence.citations
    ]
    return f"{sentence.text} [{sentence.kind.value}: {'; '.join(quotes)}]"


def _compare_settings(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    if not before:
        return [UNKNOWN_SETTINGS]
    return [
        f"settings: {name} was {before.get(name) or 'nothing'}, is {now.get(name) or 'nothing'}"
        for name in sorted(before.keys() | now.keys())
        if before.get(name, "") != now.get(name, "")
    ]


def _notes(before: Answer, after: Answer) -> list[str]:
    notes = []
    for when, answer in (("then", before), ("now", after)):
        if answer.degraded:
            notes.append(f"left out {when} for lack of time: {', '.join(answer.degraded)}")
    if before.verifier_use:
        notes.append("a language model judged sentences then; rules alone do now")
    return notes


def _encode(value: Any) -> bytes:
    return _ENCODER.encode(value)


def _as_json(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
