"""What a server of OpenAI's API takes: learnt from what it refuses, since models differ."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import openai
from openai.types import CompletionUsage

from libs.failure_log import is_too_long, words_of
from services.generation.language_model.thinking import ThinkingRoom
from services.generation.transcript import NO_USAGE, Usage

T = TypeVar("T")

_THOUGHTS = ("thinking", "reasoning")
_TEXTS = (None, "text", "output_text")
FILTERED = "content_filter"
"""How an answer ends that a provider's filter cut off."""

CUT_OFF = "length"
"""How a model ends that came to the bound of what it may write."""
_WHOLE = ("stop", "eos", "eos_token", "end_turn", "stop_sequence")

_LEAST_EFFORT = "minimal"
_OTHER_EFFORTS = ("none", "low")
"""What is asked of a model that does not take the least one and lists these."""
_EFFORT = re.compile(r"effort|reasoning value|support thinking", re.IGNORECASE)
_STRUCTURE = re.compile(r"response_?format|schema|stream_?options|structured", re.IGNORECASE)
_BOUNDS = ("max_tokens", "max_completion_tokens")
_OF_SIZE = re.compile(r"too large|at most|maximum|exceed|less than|greater than", re.IGNORECASE)
"""Of a bound that is known and has a value that is not taken."""
_COUNTED: dict[str, Any] = {"stream_options": {"include_usage": True}}


@dataclass(frozen=True)
class Dialect:
    """The options that a model is sent.

    `structured` asks for JSON by a schema, and for a count of tokens in streams; a model that thinks
    before it writes takes no temperature, and bounds the length by another name. `effort` is how much
    it is asked to think: None of a model that is not known to think, "" of one that takes none.
    """

    structured: bool = True
    tempered: bool = True
    counts_thoughts: bool = False
    effort: str | None = None

    def options(self, max_tokens: int, temperature: float, room: ThinkingRoom) -> dict[str, Any]:
        """Return the bound of all that is written and, if they are taken, temperature and effort."""
        tokens = max_tokens + room.tokens(known=self.counts_thoughts)
        name = _BOUNDS[self.counts_thoughts]
        tempered = {"temperature": temperature} if self.tempered else {}
        effort = {"reasoning_effort": self.effort} if self.effort else {}
        return {name: tokens, **tempered, **effort}

    def of_thinker(self) -> "Dialect":
        """Return the dialect of a model that was seen thinking: it is asked to think the least.

        One that thinks although it was asked not to is asked to think little.
        """
        effort = {None: _LEAST_EFFORT, "none": "low"}.get(self.effort, self.effort)
        return replace(self, effort=effort)

    def structure(self, name: str, schema: dict[str, object]) -> dict[str, Any]:
        """Return what asks for JSON by a schema, if it is taken."""
        if not self.structured:
            return {}
        asked = {"name": name, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": asked}}

    def counted(self) -> dict[str, Any]:
        """Return what asks a stream to count its tokens, if it is taken."""
        return _COUNTED if self.structured else {}

    def without_what_is_refused(self, error: Exception) -> "Dialect | None":
        """Return the dialect without what a server says it can't take; None when it says nothing."""
        if not isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError)):
            return None
        if is_too_long(error):  # it names the bound too, and another name makes it no shorter
            return None
        said = f"{words_of(error)} {error.param or ''}"
        renamed = any(name in said for name in _BOUNDS) and not _OF_SIZE.search(said)
        adapted = replace(
            self,
            counts_thoughts=self.counts_thoughts is not renamed,
            tempered=self.tempered and "temperature" not in said,
            structured=self.structured and not _STRUCTURE.search(said),
            effort=self._effort_after(said, renamed=renamed),
        )
        return adapted if adapted != self else None

    def _effort_after(self, said: str, *, renamed: bool) -> str | None:
        """Return what to ask of thinking after a refusal, by which the bound may get its other name."""
        if self.effort and _EFFORT.search(said):
            return _next_effort(self.effort, said)
        if not renamed or self.effort == "":
            return self.effort
        return None if self.counts_thoughts else _LEAST_EFFORT


class Adaptation:
    """The dialects that one request is sent in, one after the other: no one twice."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._sent = {dialect}

    def adapts(self, error: Exception) -> bool:
        """Leave out what the server refused, if it says so; say whether that is something new."""
        adapted = self.dialect.without_what_is_refused(error)
        if adapted is None or adapted in self._sent:
            return False
        self._sent.add(adapted)
        self.dialect = adapted
        return True


def _next_effort(refused: str, said: str) -> str:
    """Return the least effort that a refusal lists, "" where it lists none that was not refused."""
    listed = re.findall(r"\w+", said) if refused == _LEAST_EFFORT else []
    return next((effort for effort in _OTHER_EFFORTS if effort in listed), "")


def count_tokens(usage: CompletionUsage | None) -> Usage:
    """Return what a server counted; nothing is known of a count that it leaves out."""
    if usage is None:
        return NO_USAGE
    thought = getattr(usage.completion_tokens_details, "reasoning_tokens", None)
    return Usage(
        usage.prompt_tokens or 0,
        usage.completion_tokens or 0,
        thought if isinstance(thought, int) else 0,
    )


def thought_of(message: object) -> str:
    """Return what a message, or a piece of one, has of thoughts in a field of their own."""
    told = (getattr(message, name, None) for name in ("reasoning_content", "reasoning"))
    return next((thought for thought in told if isinstance(thought, str) and thought), "")


def is_whole_ending(reason: str | None) -> bool:
    """Whether a model says that it came to its end; some servers say so in words of their own."""
    return (reason or "").lower() in _WHOLE


def read_content(content: object) -> str:
    """Return the text of a message: one string, or parts of which those that are thoughts are left out.

    Raises TypeError for what is neither.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError("content is not text")
    return "".join(map(_read_part, content))


def _read_part(part: object) -> str:
    kind, text = (part.get("type"), part.get("text")) if isinstance(part, dict) else ("", None)
    if kind in _THOUGHTS:
        return ""
    if kind not in _TEXTS or not isinstance(text, str):
        raise TypeError("a part of the content is not text")
    return text


async def send_adapting(
    dialect: Dialect, send: Callable[[Dialect], Awaitable[T]]
) -> tuple[T, Dialect]:
    """Send a request without what is refused, and return what comes with the dialect that was taken.

    Raises what `send` raises.
    """
    adaptation = Adaptation(dialect)
    while True:
        try:
            return await send(adaptation.dialect), adaptation.dialect
        except openai.APIStatusError as error:
            if not adaptation.adapts(error):
                raise
