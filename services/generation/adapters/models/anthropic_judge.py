"""Asks a Claude model to judge sentences; its answer is read as JSON."""

from functools import partial

from anthropic.types import MessageParam

from libs.errors import ModelUnavailable
from services.generation.adapters.models.anthropic_answerer import ERRORS, open_client
from services.generation.language_model.calls import NO_ANSWER, ModelCaller, Unfinished
from services.generation.language_model.judging import RULES, Reply
from services.generation.language_model.thoughts import without_thoughts
from services.generation.transcript import Usage


class AnthropicJudge:
    """Judges by `model` at `url`. Close it when done."""

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self._client = open_client(url, key)
        self._model = model
        self._caller = ModelCaller(ERRORS)

    async def close(self) -> None:
        await self._client.close()

    async def judge(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        return await self._caller.judge(
            partial(self._ask, statements, max_tokens, allowed_s), allowed_s
        )

    async def _ask(self, statements: str, max_tokens: int, allowed_s: float) -> Reply:
        messages: list[MessageParam] = [{"role": "user", "content": statements}]
        said = await self._client.messages.create(
            model=self._model,
            system=RULES,
            messages=messages,
            max_tokens=max_tokens,
            timeout=allowed_s,
        )
        if said.stop_reason != "end_turn":
            raise Unfinished
        text = without_thoughts(
            "".join(block.text for block in said.content if block.type == "text")
        )
        if not text.strip():
            raise ModelUnavailable(NO_ANSWER)
        use = said.usage
        usage = Usage(use.input_tokens or 0, use.output_tokens or 0) if use else Usage()
        return Reply(text, self._model, usage)
