"""Read a draft as a language model streams it, whether it writes JSON or lines.

A model that returns structured output writes `{"sentences": [{"text": "…", "citations": [{"source": 1,
"quote": "…"}]}], "confidence": 0.9}`; each sentence is taken as soon as its object is closed.
"""

import json
import re
from dataclasses import replace
from typing import Any

from libs.errors import ModelUnavailable
from services.generation.language_model.lines import DraftParser, mend, parse_line
from services.generation.language_model.messages import is_declined
from services.generation.model import Claim, DraftSentence

RULES = """
Write the answer as one JSON object instead of lines:
{"sentences": [{"text": "Sentence.", "citations": [{"source": N, "quote": "exact quote"}]}],
"confidence": how sure you are, from 0 to 1}
Without marks in the text. When the sources do not answer the question, "sentences" is empty."""

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "citations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "source": {"type": "integer"},
                                "quote": {"type": "string"},
                            },
                            "required": ["source", "quote"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["text", "citations"],
                "additionalProperties": False,
            },
        },
        "confidence": {"type": "number"},
    },
    "required": ["sentences", "confidence"],
    "additionalProperties": False,
}
"""Strict mode wants every property required and none besides."""

UNREADABLE = "The language model's answer can't be read. Try again."

_PREAMBLE = r"(?:[^\n\[\]{}`]{1,120}:[ \t]*\n\s*)?"
"""What some models say before the object: "Here is the JSON:"."""
_FENCE = re.compile(rf"\s*{_PREAMBLE}(?:```(?:json)?\s*)?(?=\{{)")
_UNDECIDED = re.compile(
    rf"\s*(?:[^\n\[\]{{}}`]{{0,120}}|{_PREAMBLE}(?:`{{1,3}}(?:j(?:s(?:on?)?)?)?\s*)?)\Z"
)
_LIST = re.compile(
    r"""\s*\{(?:\s*"\w{1,40}"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|true|false|null)\s*,)*+"""
    r"""\s*"sentences"\s*:\s*\["""
)
"""An object has no order: what is short may stand before the list."""
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


class DraftReader:
    """Reads what a model streams. Raises ModelUnavailable for an object that is no draft."""

    def __init__(self) -> None:
        self._text = ""
        self._lines: DraftParser | None = None
        self._at = 0

    def feed(self, text: str) -> list[DraftSentence]:
        """Take more text; return the sentences that it completes."""
        if self._lines is not None:
            return self._lines.feed(text)
        self._text += text
        if _FENCE.match(self._text):
            return self._take() if "}" in text else []
        if _UNDECIDED.match(self._text):
            return []
        self._lines = DraftParser()
        return self._lines.feed(self._text)

    @property
    def is_closed(self) -> bool:
        """Whether the text is an object to its end, which one that was cut off is not."""
        begin = _FENCE.match(self._text)
        if self._lines is not None or begin is None:
            return False
        try:
            _DECODER.raw_decode(self._text, begin.end())
        except (ValueError, RecursionError):
            return False
        return True

    def finish(self) -> list[DraftSentence]:
        """Return what is left of lines; nothing is left of an object."""
        if self._lines is not None:
            return self._lines.finish()
        if self._at:
            return []
        if "{" in self._text or not self._text.strip():
            raise ModelUnavailable(UNREADABLE)
        lines = DraftParser()
        return [*lines.feed(self._text), *lines.finish()]

    def _take(self) -> list[DraftSentence]:
        if not self._at:
            fence = _FENCE.match(self._text)
            opened = _LIST.match(self._text, fence.end() if fence else 0)
            if opened is None:
                return []
            self._at = opened.end()
        found: list[DraftSentence] = []
        while True:
            between = _BETWEEN.match(self._text, self._at)
            at = between.end() if between else self._at
            if self._text[at : at + 1] != "{":
                return found
            try:
                item, self._at = _DECODER.raw_decode(self._text, at)
            except ValueError:
                return found
            except RecursionError as error:  # nested deeper than any draft
                raise ModelUnavailable(UNREADABLE) from error
            found += _read_sentence(item)


def _read_sentence(item: dict[str, Any]) -> list[DraftSentence]:
    """Return the sentences of one object; each has all its claims."""
    text = item.get("text")
    if not isinstance(text, str):
        raise ModelUnavailable(UNREADABLE)
    if is_declined(text):
        return []
    listed = item.get("citations")
    held = map(_read_claim, listed if isinstance(listed, list) else ())
    claims = [claim for claim in held if claim is not None]
    lines = [sentence for line in mend(text).split("\n") for sentence in parse_line(line)]
    return [replace(sentence, claims=(*sentence.claims, *claims)) for sentence in lines]


def _read_claim(held: object) -> Claim | None:
    if not isinstance(held, dict):
        return None
    source, quote = held.get("source"), held.get("quote")
    if type(source) is not int or not isinstance(quote, str):
        return None
    return Claim(source, mend(quote))
