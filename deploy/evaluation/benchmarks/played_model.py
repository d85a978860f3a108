"""A played chat server for recorded drafts and a recorded judge's verdicts."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deploy.evaluation.benchmarks.obedient_model import read_sources
from deploy.evaluation.quotations import squeeze
from services.generation.language_model.judging import RULES

Json = dict[str, Any]


@dataclass(frozen=True)
class RecordedDraft:
    """What a model once wrote for a golden question; no sentences when it declined."""

    row_id: str
    question: str
    sentences: Sequence[Json]
    confidence: float = 0.8


@dataclass
class PlayedModel:
    """Replays one draft at a time. `verdicts` are the judge's, by sentence; 0 for one it never saw."""

    verdicts: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: list[int] = field(default_factory=list)
    _draft: RecordedDraft | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def tell(self, draft: RecordedDraft | None) -> None:
        """Say which draft to play."""
        with self._lock:
            self._draft = draft

    def reply(self, prompt: str) -> str:
        """Return the verdicts, or the draft with the sources that its quotes stand in."""
        if RULES in prompt:
            return self._judge(prompt[prompt.index(RULES) + len(RULES) :])
        draft = self._draft
        if draft is None:
            return json.dumps({"sentences": [], "confidence": 0.0})
        sources = {number: squeeze(text) for number, text in read_sources(prompt).items()}
        if not sources:
            return ""  # asked to make a follow-up whole, which was not recorded: the rules do it
        self.prompt_tokens.append(len(prompt) // 4)
        said = [
            {
                "text": sentence["text"],
                "citations": [
                    {"source": _find_source(item["quote"], sources), "quote": item["quote"]}
                    for item in sentence["citations"]
                ],
            }
            for sentence in draft.sentences
        ]
        return json.dumps({"sentences": said, "confidence": draft.confidence}, ensure_ascii=False)

    def _judge(self, statements: str) -> str:
        asked = json.loads(statements)
        verdicts = [
            {"number": item["number"], "probability": self.verdicts.get(item["sentence"], 0.0)}
            for item in asked
        ]
        return json.dumps({"verdicts": verdicts})


def _find_source(quote: str, sources: Mapping[int, str]) -> int:
    """Return the source that holds the quote; the first where none does, which then fails its check."""
    wanted = squeeze(quote)
    return next((number for number, text in sources.items() if wanted in text), min(sources))
