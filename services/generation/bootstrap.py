"""Wire the generation service together: the only module that picks adapters."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from libs.rpc.server import Register
from libs.settings import SettingsError
from libs.tokens import TokenCounter
from services.generation.adapters.extractive_answerer import ExtractiveAnswerer
from services.generation.adapters.openai_answerer import OpenAIAnswerer
from services.generation.adapters.postgres_audit import PostgresAuditLog
from services.generation.clients import RetrievalClient
from services.generation.pipeline import Pipeline
from services.generation.ports import Answerer, AuditLog, PassageSource
from services.generation.server import GenerationServicer
from services.generation.settings import Settings


@dataclass(frozen=True)
class Service:
    """What to register with a server, and what to do when it has stopped."""

    register: Register
    close: Callable[[], Awaitable[None]]


async def bootstrap(
    settings: Settings,
    *,
    source: PassageSource | None = None,
    answerers: dict[str, Answerer] | None = None,
    log: AuditLog | None = None,
) -> Service:
    """Open what is not given. Raises SettingsError for a setting that can't be used."""
    async with AsyncExitStack() as opened:
        counter = TokenCounter(settings.cache_dir)
        if source is None:
            source = client = RetrievalClient(settings.retrieval)
            opened.push_async_callback(client.close)
        if answerers is None:
            model = _open_model(settings)
            answerers = {"extractive": ExtractiveAnswerer(), "openai": model}
            opened.push_async_callback(model.close)
        if settings.answerer and settings.answerer not in answerers:
            known = " or ".join(answerers)
            raise SettingsError(f"GENERATION_ANSWERER must be {known}, not {settings.answerer!r}")
        if log is None:
            log = database = await PostgresAuditLog.open(settings.postgres_dsn)
            opened.push_async_callback(database.close)
        pipeline = Pipeline(
            source=source,
            answerers=answerers,
            log=log,
            counter=counter,
            prompt_tokens=settings.prompt_tokens,
            answerer=settings.answerer,
        )
        opened.push_async_callback(pipeline.close)
        return Service(GenerationServicer(pipeline).register, opened.pop_all().aclose)
    raise AssertionError("the block above returns or raises")


def _open_model(settings: Settings) -> OpenAIAnswerer:
    return OpenAIAnswerer(
        url=settings.model_url or settings.openai_url,
        key=settings.model_key or settings.openai_key,
        model=settings.model,
    )
