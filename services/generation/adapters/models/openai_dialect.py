"""What a server of OpenAI's API takes: learnt from what it refuses, since models differ."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import openai

T = TypeVar("T")

_THOUGHTS = ("thinking", "reasoning")
_TEXTS = (None, "text", "output_text")
_WHOLE = ("stop", "eos", "eos_token", "end_turn", "stop_sequence")

_STRUCTURE = re.compile(r"response_?format|schema|stream_?options|structured", re.IGNORECASE)
_COUNTED: dict[str, Any] = {"stream_options": {"include_usage": True}}


@dataclass(frozen=True)
class Dialect:
    """The options that a model is sent.

    `structured` asks for JSON by a schema, and for a count of tokens in streams; a model that thinks
    before it writes takes no temperature, and bounds the length by another name.
    """

    structured: bool = True
    tempered: bool = True
    counts_thoughts: bool = False

    def options(self, max_tokens: int, temperature: float) -> dict[str, Any]:
        """Return the bound of the answer's length and, if it is taken, the temperature."""
        name = "max_completion_tokens" if self.counts_thoughts else "max_tokens"
        tempered = {"temperature": temperature} if self.tempered else {}
        return {name: max_tokens, **tempered}

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
        said = str(error)
        if not self.counts_thoughts and "max_completion_tokens" in said:
            return replace(self, counts_thoughts=True)
        if self.tempered and "temperature" in said:
            return replace(self, tempered=False)
        if self.structured and _STRUCTURE.search(said):
            return replace(self, structured=False)
        return None


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
    while True:
        try:
            return await send(dialect), dialect
        except openai.APIStatusError as error:
            adapted = dialect.without_what_is_refused(error)
            if adapted is None:
                raise
            dialect = adapted
