"""Measure an answer of an instant language model with each verifier: time, and CPU of this process.

python -m tests.benchmarks.measure_verifiers

The model writes three sentences in its own words at once, and retrieval has found its passages already:
what is left is what generation adds. A judging model answers at once as well, so that its own time is
to be added; the entailment network is a tiny one, so that a real one's is.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from libs.budget import stages
from libs.budget.budget import Budget, set_current_budget
from libs.tokens import TokenCounter
from services.generation.adapters.models.onnx_verifier import OnnxVerifier
from services.generation.checks.words_verifier import WordsVerifier
from services.generation.ensemble import VerifierEnsemble
from services.generation.language_model.judging import Reply
from services.generation.language_model.model_verifier import ModelVerifier
from services.generation.model import Answer, Claim, DraftSentence, Passage
from services.generation.pipeline import Pipeline
from services.generation.ports import Verifier
from tests.benchmarks.figures import Figures
from tests.support.generation_fakes import (
    FakeAnswerer,
    FakeAuditLog,
    FakeSource,
    question,
    search_result,
)
from tests.support.lies import read_paragraphs, to_passage, true_sentences
from tests.support.tiny_entailment import LAYOUTS, write_tiny_entailment

ANSWERS = 60
SENTENCES = 3
PASSAGES = 5

Drafted = tuple[tuple[Passage, ...], list[DraftSentence]]


class InstantJudge:
    """Finds every sentence supported, at once."""

    async def judge(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        numbers = re.findall(r'"number": (\d+)', statements)
        verdicts = [{"number": int(number), "probability": 0.99} for number in numbers]
        return Reply(json.dumps({"verdicts": verdicts}))


def measure_verifiers(figures: Figures) -> None:
    """Answer the same questions with each verifier, and at `verbatim`, where none is asked."""
    with TemporaryDirectory(prefix="quoth-bench-") as folder:
        network = write_tiny_entailment(Path(folder, "nli"), *LAYOUTS["deberta"])
        verifiers: dict[str, Verifier | None] = {
            "none": None,
            "words": WordsVerifier(),
            "model": ModelVerifier(InstantJudge()),
            "nli": OnnxVerifier(network),
        }
        counter = TokenCounter(Path(folder, "cache"))
        for name, verifier in verifiers.items():
            took_ms, spent_ms = asyncio.run(_answer_all(verifier, counter))
            figures.add(f"verifier.{name}.answer.p50", median(took_ms), "ms")
            figures.add(f"verifier.{name}.answer.cpu", median(spent_ms), "ms CPU")


async def _answer_all(
    verifier: Verifier | None, counter: TokenCounter
) -> tuple[list[float], list[float]]:
    took_ms, spent_ms = [], []
    for number, drafted in enumerate(_drafts()):
        began, spent = time.perf_counter(), time.process_time()
        await _answer(drafted, verifier, counter)
        if number:  # the first one loads what the checks know
            took_ms.append(1e3 * (time.perf_counter() - began))
            spent_ms.append(1e3 * (time.process_time() - spent))
    return took_ms, spent_ms


async def _answer(drafted: Drafted, verifier: Verifier | None, counter: TokenCounter) -> Answer:
    passages, draft = drafted
    words = WordsVerifier()
    # Without a verifier the sentences are taken for the extractive answerer's, which none is asked of.
    name = "openai" if verifier else "extractive"
    # Its clock stands still: what an answer costs is measured here, not whether it is in time.
    set_current_budget(Budget(30.0, stages.GENERATION, clock=lambda: 0.0))
    pipeline = Pipeline(
        source=FakeSource(search_result(passages)),
        answerers={name: FakeAnswerer(draft)},
        log=FakeAuditLog(),
        counter=counter,
        prompt_tokens=60_000,
        ensemble=VerifierEnsemble([verifier or words], words),
        answerer=name,
        model="measured",
    )
    asked = question(" ".join(sentence.text for sentence in draft)[:900])
    events = [event async for event in pipeline.answer_question(asked)]
    await pipeline.close()
    last = events[-1]
    assert isinstance(last, Answer)
    return last


def _drafts() -> list[Drafted]:
    """Return passages with what a model writes of them: one wording of each of their sentences."""
    paragraphs = read_paragraphs()
    passages = [to_passage(text, number) for number, text in enumerate(paragraphs)]
    drafts: list[Drafted] = []
    for number, passage in enumerate(passages):
        told = list(_reword(true_sentences(passage.text)))
        if len(told) < SENTENCES:
            continue
        found = tuple(passages[(number + step) % len(passages)] for step in range(PASSAGES))
        drafts.append((found, told[:SENTENCES]))
    return [drafts[at % len(drafts)] for at in range(ANSWERS + 1)] if drafts else []


def _reword(sentences: Sequence[str]) -> Iterator[DraftSentence]:
    for sentence in sentences:
        spoken = sentence.rstrip(".").split()
        text = " ".join((*spoken[len(spoken) // 2 :], "is said", *spoken[: len(spoken) // 2]))
        yield DraftSentence(f"{text}.", (Claim(1, sentence),))


def main() -> None:
    figures = Figures()
    measure_verifiers(figures)
    for name, figure in figures.all().items():
        sys.stdout.write(f"{name:28} {figure.median:8.2f} {figure.unit}\n")


if __name__ == "__main__":
    main()
