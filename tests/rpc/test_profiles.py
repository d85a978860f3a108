"""Each of the four documents' own numbers and texts, through the service with a scripted model."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest
from quoth.generation.v1 import answer_pb2, generation_service_pb2
from quoth.generation.v1.generation_service_pb2 import (
    ROLE_ASSISTANT,
    ROLE_USER,
    AnswerQuestionResponse,
    Message,
)

from libs.profiles import load_profile
from libs.question.analyse import QuestionAnalysis
from services.generation.language_model.lines import parse_line
from services.generation.language_model.messages import render_messages
from services.generation.model import PassageScores, Prompt, Question, SearchResult
from services.generation.transcript import Transcript
from tests.support.generation_fakes import (
    PASSAGE_TEXTS,
    FakeSource,
    ask,
    passage,
    prompt,
    search_result,
    serving,
)

TRUE = "A hydraulic actuator turns the pressure of a fluid into force."
PATH = ("Module 1", "Actuators", "Hydraulic Systems")
FOUND = tuple(
    replace(
        passage(text, section_path=PATH, page=42, url="/actuators"),
        scores=PassageScores(fused=0.85, dense=0.8),
    )
    for text in PASSAGE_TEXTS
)


class Writing:
    """An answerer that writes a model's text, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.prompts: list[Prompt] = []

    async def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncIterator[Any]:
        self.prompts.append(prompt)
        transcript.response = self.text
        for line in self.text.split("\n"):
            for sentence in parse_line(line):
                yield sentence


class Doubtful(FakeSource):
    """Falls short of the threshold for the first question, and not for those after it."""

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        await super().search(question, analysis, allowed_s)
        text = "Hydraulic systems are machines that press oil."
        told = passage(text, document=text, section_path=PATH)
        first = len(self.searched) == 1
        return search_result(FOUND if first else (told,), probability=0.4 if first else 0.8)


@pytest.fixture
def answer(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    async def answer(
        profile: str,
        text: str,
        *,
        found: SearchResult | None = None,
        source: FakeSource | None = None,
        **fields: Any,
    ) -> tuple[list[AnswerQuestionResponse], Writing]:
        writing = Writing(text)
        cache = tmp_path_factory.getbasetemp() / "cache"
        source = source or FakeSource(found or search_result(FOUND))
        async with serving(cache, source=source, answerers={"extractive": writing}) as stub:
            events = await ask(stub, profile=profile, **fields)
        return events, writing

    return answer


def messages(count: int) -> list[Message]:
    return [
        generation_service_pb2.Message(role=(ROLE_USER, ROLE_ASSISTANT)[n % 2], content=f"m{n}")
        for n in range(count)
    ]


def rendered(profile: str) -> tuple[str, str]:
    asked = replace(prompt(FOUND), settings=load_profile(profile).generation)
    system, user = render_messages(asked)
    return str(system["content"]), str(user["content"])


async def test_integrated_cites_by_number_and_rejects_the_whole_for_one_invention(
    answer: Callable[..., Any],
) -> None:
    events, writing = await answer("integrated", f"{TRUE} [Source 1]", history=messages(10))
    assert [sentence.text for sentence in events[-1].answer.sentences] == [TRUE]
    assert len(writing.prompts[0].history) == 10
    reworded = "The hydraulic actuator turns pressure of a fluid into force."
    events, _ = await answer("integrated", f"{reworded} [Source 1]")
    assert events[-1].answer.citations[0].verdict == answer_pb2.VERDICT_SUPPORTED
    assert events[-1].answer.citations[0].quote == TRUE
    events, _ = await answer("integrated", f"{TRUE} [Source 1]\nPenguins invented the wheel.")
    refusal = events[-1].answer.refusal
    assert refusal.message == "Unable to provide a reliable answer from the book content."
    events, _ = await answer("integrated", "", found=search_result(FOUND, passed=False))
    assert (
        events[-1].answer.refusal.message
        == "The book does not contain information about this topic."
    )
    system, user = rendered("integrated")
    assert "Cite sources using [Source N] notation for every factual claim" in system
    assert "The book does not contain sufficient information about [topic]." in system
    assert "[Source 1]\n[data" in user
    settings = load_profile("integrated").generation
    assert (settings.model, settings.temperature, settings.max_tokens) == ("gpt-4-turbo", 0.3, 800)


async def test_textbook_takes_five_messages_and_names_sections(answer: Callable[..., Any]) -> None:
    _, writing = await answer("textbook", f"{TRUE} [Source 1]", history=messages(8))
    assert [message.content for message in writing.prompts[0].history] == [
        "m3",
        "m4",
        "m5",
        "m6",
        "m7",
    ]
    assert "Section: Module 1 > Actuators > Hydraulic Systems" in rendered("textbook")[1]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await answer("textbook", "", question="a b " * 900)
    assert "Query exceeds 1000 tokens (1800 tokens)" in str(caught.value.details())


async def test_academic_shows_nothing_before_all_has_passed(answer: Callable[..., Any]) -> None:
    quote = "turns the pressure of a fluid into force"
    text = f'{TRUE} [Source: Hydraulic Systems (Page 42) - "{quote}"]\nConfidence: 0.93'
    events, _ = await answer("academic", text)
    final = events[-1].answer
    assert final.confidence == pytest.approx(0.6 * 0.85 + 0.4 * 0.93)
    assert final.confidence_level == answer_pb2.CONFIDENCE_LEVEL_HIGH
    assert final.citations[0].quote == TRUE  # the whole sentence: the part proves too little
    events, _ = await answer("academic", f"{text}\nLie one.\nLie two.\nLie three.")
    assert [event.WhichOneof("event") for event in events] == ["passages", "answer"]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await answer("academic", "", question="x" * 1001)
    assert "Query exceeds 1000 characters (1001 characters)" in str(caught.value.details())
    system, _ = rendered("academic")
    for part in ("CRITICAL RULES:", "Confidence: 0.93", "HALLUCINATION → REJECT"):
        assert part in system
    assert "This question is not covered in the provided book excerpts." in system


async def test_course_cites_sections_and_is_as_sure_as_its_passages_are_near(
    answer: Callable[..., Any],
) -> None:
    events, _ = await answer(
        "course", f"{TRUE} [Section: Module 1 > Actuators > Hydraulic Systems]"
    )
    final = events[-1].answer
    assert final.confidence == pytest.approx(0.8)
    assert final.citations[0].locator.url == "/actuators"
    events, _ = await answer("course", f"{TRUE} [Section: Pneumatic Systems]")
    assert events[-1].answer.refusal.code == answer_pb2.REFUSAL_CODE_NOT_VERIFIED
    system, user = rendered("course")
    assert "Answer ONLY using provided context. Cite sections." in system
    assert (
        "Section: Module 1 > Actuators > Hydraulic Systems | Relevance: 0.85 | A hydraulic" in user
    )
    assert list(final.suggested_questions) == []
    events, _ = await answer(
        "course", f"{TRUE} [Section: Module 1 > Actuators > Hydraulic Systems]", source=Doubtful()
    )
    assert events[-1].answer.sentences
    assert list(events[-1].answer.suggested_questions) == ["What are hydraulic systems?"]
    nothing = search_result((), passed=False, related=("One", "Two", "Three"))
    events, _ = await answer("course", "", found=nothing)
    assert (
        events[-1].answer.refusal.message
        == "I couldn't find relevant content. Related topics: One, Two, Three"
    )


TEXTS = {
    "integrated": (
        "The book does not contain information about this topic.",
        "The book does not contain information about this topic.",
        "Unable to answer from book content",
        "Unable to provide a reliable answer from the book content.",
    ),
    "academic": (
        "This question is not covered in the Physical AI textbook",
        "This question is not covered in the Physical AI textbook: unable to find relevant content",
        "This question is not covered in the provided book excerpts.",
        "Unable to provide a reliable answer from the book content.",
    ),
    "course": (
        "I couldn't find relevant content. Related topics: Pumps, Motors, Gears",
        "The book does not contain information about this topic.",
        "The book does not contain information about this topic.",
        "Unable to provide a reliable answer from the book content.",
    ),
}
"""Of each document what a reader is told: nothing found, not covered, declined, not verified."""
TEXTS["default"] = TEXTS["textbook"] = TEXTS["course"]
CODES = ("NOTHING_FOUND", "NOT_COVERED", "NOT_COVERED", "NOT_VERIFIED")


@pytest.mark.parametrize("cause", range(4))
@pytest.mark.parametrize("profile", TEXTS)
async def test_a_refusal_has_the_words_of_its_document_and_its_cause(
    answer: Callable[..., Any], profile: str, cause: int
) -> None:
    near = ("Pumps", "Motors", "Gears")
    passages = () if cause == 0 else FOUND
    found = search_result(passages, passed=cause > 1, related=near)
    draft = "Pumps are blue." if cause == 3 else ""
    events, writing = await answer(
        profile, draft, found=found, book_title="Physical AI: an introduction"
    )
    refusal = events[-1].answer.refusal
    assert refusal.message == TEXTS[profile][cause]
    assert refusal.code == answer_pb2.RefusalCode.Value(f"REFUSAL_CODE_{CODES[cause]}")
    assert tuple(refusal.related_sections) == near
    assert len(writing.prompts) == (cause > 1)


async def test_a_refusal_leaves_out_what_it_does_not_know(answer: Callable[..., Any]) -> None:
    nothing = search_result((), passed=False, related=())
    events, _ = await answer("course", "", found=nothing)
    assert events[-1].answer.refusal.message == "I couldn't find relevant content."
    events, _ = await answer("academic", "", found=nothing)
    said = events[-1].answer.refusal.message
    assert said == "This question is not covered in the robots textbook"


@pytest.mark.parametrize("marker", ["[Source 9]", "[Source 0]"])
async def test_integrated_rejects_the_whole_for_a_source_that_there_is_not(
    answer: Callable[..., Any], marker: str
) -> None:
    draft = f"{TRUE} [Source 1]\nIt holds 21 MPa without a gearbox. {marker}"
    events, _ = await answer("integrated", draft)
    assert events[-1].answer.refusal.code == answer_pb2.REFUSAL_CODE_NOT_VERIFIED
    events, _ = await answer("default", draft)
    assert [sentence.text for sentence in events[-1].answer.sentences] == [TRUE]
