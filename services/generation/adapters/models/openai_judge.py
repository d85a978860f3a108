"""Asks a chat model behind an OpenAI-compatible API to judge sentences, as structured output."""

from functools import partial

from openai.types.chat import ChatCompletion

from libs.errors import ModelUnavailable
from services.generation.adapters.models.openai_answerer import ERRORS, open_client
from services.generation.adapters.models.openai_dialect import (
    Dialect,
    is_whole_ending,
    read_content,
    send_adapting,
)
from services.generation.language_model.calls import NO_ANSWER, ModelCaller, Unfinished
from services.generation.language_model.judging import RULES, SCHEMA, Reply
from services.generation.language_model.thoughts import without_thoughts
from services.generation.transcript import Usage


class OpenAIJudge:
    """Judges by `model` at `url`. Close it when done.

    A server that refuses structured output or another option is asked without it from then on.
    """

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self._client = open_client(url, key)
        self._model = model
        self._dialect = Dialect()
        self._caller = ModelCaller(ERRORS)

    async def close(self) -> None:
        await self._client.close()

    async def judge(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        return await self._caller.judge(
            partial(self._ask, statements, max_tokens, allowed_s), allowed_s
        )

    async def _ask(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        async def send(dialect: Dialect) -> ChatCompletion:
            said: ChatCompletion = await self._client.chat.completions.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": RULES},
                    {"role": "user", "content": statements},
                ],
                timeout=allowed_s,
                **dialect.options(max_tokens, temperature=0.0),
                **dialect.structure("verdicts", SCHEMA),
            )
            return said

        said, self._dialect = await send_adapting(self._dialect, send)
        choice, use = said.choices[0], said.usage
        if not is_whole_ending(choice.finish_reason):
            raise Unfinished
        text = without_thoughts(read_content(choice.message.content))
        if not text.strip():
            raise ModelUnavailable(NO_ANSWER)
        usage = Usage(use.prompt_tokens or 0, use.completion_tokens or 0) if use else Usage()
        return Reply(text, self._model, usage)
