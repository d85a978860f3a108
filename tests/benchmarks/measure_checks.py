"""Measure what the checks of generation cost a sentence: CPU time of this thread.

python -m tests.benchmarks.measure_checks
"""

import random
import sys
import time
from collections.abc import Iterator
from statistics import median

from services.generation.checks.cite import Citations
from services.generation.language_model.lines import parse_line
from services.generation.model import DraftSentence, Grounding, Passage
from services.generation.proof import examine_sentence
from tests.benchmarks.figures import Figures, percentile
from tests.support.lies import (
    lies_about,
    read_paragraphs,
    rewordings_of,
    to_passage,
    true_sentences,
    worse_lies_about,
)

PASSAGES = 5
PASSAGE_CHARACTERS = 4000
"""What `integrated` finds for a question: five passages of some 800 tokens."""

SENTENCES = 600
SEED = 7

Draft = tuple[str, DraftSentence, tuple[Passage, ...]]


def measure_checks(figures: Figures) -> None:
    """Check sentences that are the book's, reworded, or bent; each against passages it first meets."""
    for kind, spent_ms in sorted(_spend().items()):
        figures.add(f"checks.{kind}.p50", median(spent_ms), "ms CPU")
        figures.add(f"checks.{kind}.p95", percentile(spent_ms, 0.95), "ms CPU")
        figures.add(f"checks.{kind}.max", max(spent_ms), "ms CPU")


def _spend() -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {}
    for kind, draft, passages in _drafts():
        citations = Citations(passages)
        began = time.thread_time()
        examine_sentence(draft, citations, Grounding.VERBATIM)
        spent.setdefault(kind, []).append(1e3 * (time.thread_time() - began))
    return spent


def _drafts() -> list[Draft]:
    """Return sentences in an order in which neighbours have no passage in common."""
    chance = random.Random(SEED)
    passages = list(_passages())
    drafts: list[Draft] = []
    for number, passage in enumerate(passages):
        found = tuple(passages[(number + step) % len(passages)] for step in range(PASSAGES))
        others = true_sentences(found[1].text)
        for sentence in true_sentences(passage.text):
            other = chance.choice(others)
            for kind, lines in (
                ("true", rewordings_of(sentence, other)),
                ("bent", lies_about(sentence, other, chance)),
                ("bent", worse_lies_about(sentence, other, chance)),
            ):
                drafts += [(kind, draft, found) for _, line in lines for draft in parse_line(line)]
    chance.shuffle(drafts)
    return drafts[:SENTENCES]


def _passages() -> Iterator[Passage]:
    text, number = "", 0
    for paragraph in read_paragraphs():
        text = f"{text}\n\n{paragraph}".strip()
        if len(text) >= PASSAGE_CHARACTERS:
            yield to_passage(text, number)
            text, number = "", number + 1


def main() -> None:
    figures = Figures()
    measure_checks(figures)
    for name, figure in figures.all().items():
        spread = f"{figure.low:.2f} to {figure.high:.2f} {figure.unit}"
        sys.stdout.write(f"{name:24} {figure.median:8.2f} {spread}\n")


if __name__ == "__main__":
    main()
