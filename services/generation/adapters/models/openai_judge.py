"""Asks a chat model behind an OpenAI-compatible API to judge sentences, as structured output."""

from functools import partial

from openai.types.chat import ChatCompletion

from libs.errors import ModelUnavailable
from services.generation.adapters.models.openai_answerer import ERRORS, open_client
from services.generation.adapters.models.openai_dialect import (
    CUT_OFF,
    Dialect,
    count_tokens,
    is_whole_ending,
    read_content,
    send_adapting,
    thought_of,
)
from services.generation.language_model.calls import NO_ANSWER, ModelCaller, Unfinished
from services.generation.language_model.judging import RULES, SCHEMA, Reply
from services.generation.language_model.thinking import ThinkingRoom, tokens_of_thought
from services.generation.language_model.thoughts import without_thoughts


class OpenAIJudge:
    """Judges by `model` at `url`. Close it when done.

    A server that refuses structured output or another option is asked without it from then on.
    """

    def __init__(self, *, url: str, key: str, model: str) -> None:
        self._client = open_client(url, key)
        self._model = model
        self._dialect = Dialect()
        self._room = ThinkingRoom()
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
                **dialect.options(max_tokens, temperature=0.0, room=self._room),
                **dialect.structure("verdicts", SCHEMA),
            )
            return said

        said, self._dialect = await send_adapting(self._dialect, send)
        return self._read(said)

    def _read(self, said: ChatCompletion) -> Reply:
        """Return the reply of a completion, and learn from it what the model thinks.

        Raises Unfinished for one that is cut off; one without an ending has to be whole to be read.
        """
        choice, usage = said.choices[0], count_tokens(said.usage)
        content = read_content(choice.message.content)
        text = without_thoughts(content)
        thought = len(thought_of(choice.message)) + len(content) - len(text)
        if thought_tokens := usage.thinking_tokens or tokens_of_thought(thought):
            self._room.learn(thought_tokens)
            self._dialect = self._dialect.of_thinker()
        if choice.finish_reason == CUT_OFF and not text.strip():
            self._room.widen()
        if choice.finish_reason and not is_whole_ending(choice.finish_reason):
            raise Unfinished
        if choice.message.tool_calls or choice.message.refusal:
            raise Unfinished
        if not text.strip():
            raise ModelUnavailable(NO_ANSWER)
        return Reply(text, self._model, usage)
