"""Asks a chat model behind an OpenAI-compatible API to judge sentences, as structured output."""

from typing import Any

from libs.errors import ModelUnavailable
from services.generation.adapters.openai_answerer import ERRORS, open_client, refuses_options
from services.generation.language_model.calls import (
    NO_ANSWER,
    ModelCaller,
    is_failure,
)
from services.generation.language_model.judging import RULES, SCHEMA, Reply
from services.generation.transcript import Usage

_STRUCTURED: dict[str, Any] = {
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "verdicts", "strict": True, "schema": SCHEMA},
    }
}


class OpenAIJudge:
    """Judges by `model` at `url`. Close it when done.

    A server that refuses structured output is asked without it from then on.
    """

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self._client = open_client(url, key)
        self._model = model
        self._structured = True
        self._caller = ModelCaller(ERRORS)

    async def close(self) -> None:
        await self._client.close()

    async def judge(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        with self._caller.breaker.watch(is_failure):
            try:
                return await self._ask(statements, max_tokens, allowed_s)
            except ERRORS.in_streams as error:
                if not self._structured or not refuses_options(error):
                    raise ERRORS.break_off(error) from error
            self._structured = False
            try:
                return await self._ask(statements, max_tokens, allowed_s)
            except ERRORS.in_streams as error:
                raise ERRORS.break_off(error) from error

    async def _ask(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        said = await self._client.chat.completions.create(
            model=self._model,
            messages=[
                {"role": "system", "content": RULES},
                {"role": "user", "content": statements},
            ],
            temperature=0.0,
            max_tokens=max_tokens,
            timeout=allowed_s,
            **(_STRUCTURED if self._structured else {}),
        )
        text: str | None = said.choices[0].message.content
        if not text:
            raise ModelUnavailable(NO_ANSWER)
        use = said.usage
        usage = Usage(use.prompt_tokens, use.completion_tokens) if use else Usage()
        return Reply(text, self._model, usage)
