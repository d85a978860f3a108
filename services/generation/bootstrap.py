"""Wire the generation service together: the only module that picks adapters."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from libs.calibration import load_calibration
from libs.profiles import load_profile
from libs.rpc.server import Register
from libs.settings import SettingsError
from libs.tokens import TokenCounter
from services.generation.adapters.extractive_answerer import ExtractiveAnswerer
from services.generation.adapters.postgres_audit import PostgresAuditLog
from services.generation.clients import RetrievalClient
from services.generation.pipeline import Pipeline
from services.generation.ports import Answerer, AuditLog, PassageSource
from services.generation.server import GenerationServicer
from services.generation.settings import Settings

_ANSWERERS = ("extractive", "openai", "anthropic")
_OPENAI_URL = "https://api.openai.com/v1"
_ANTHROPIC_URL = "https://api.anthropic.com"


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
            answerers = _open_answerers(settings, opened)
        if answerers.keys() - {"extractive"}:
            _load_vocabularies(settings, counter)
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
            model=settings.model,
            profiles=settings.profiles,
            confidence=load_calibration(settings.confidence),
        )
        opened.push_async_callback(pipeline.close)
        return Service(GenerationServicer(pipeline).register, opened.pop_all().aclose)
    raise AssertionError("the block above returns or raises")


def _open_answerers(settings: Settings, opened: AsyncExitStack) -> dict[str, Answerer]:
    """Open the answerers that the settings or, without a word from them, the profiles ask for."""
    if settings.answerer not in ("", *_ANSWERERS):
        known = " or ".join(_ANSWERERS)
        raise SettingsError(f"GENERATION_ANSWERER must be {known}, not {settings.answerer!r}")
    _require_key(settings)
    names = {settings.answerer} if settings.answerer else _answerers_of_profiles(settings.profiles)
    answerers: dict[str, Answerer] = {
        "extractive": ExtractiveAnswerer(load_calibration(settings.ranking))
    }
    if "openai" in names:
        # Imported here: it takes 0.6 s and 20 MB that a service without a model need not spend.
        from services.generation.adapters.openai_answerer import (  # noqa: PLC0415
            OpenAIAnswerer,
        )

        answerers["openai"] = model = OpenAIAnswerer(
            url=settings.model_url or settings.openai_url,
            key=settings.model_key or settings.openai_key,
            model=settings.model,
        )
        opened.push_async_callback(model.close)
    if "anthropic" in names:
        from services.generation.adapters.anthropic_answerer import (  # noqa: PLC0415
            AnthropicAnswerer,
        )

        answerers["anthropic"] = claude = AnthropicAnswerer(
            url=settings.model_url or _ANTHROPIC_URL,
            key=settings.model_key or settings.anthropic_key,
            model=settings.model,
        )
        opened.push_async_callback(claude.close)
    return answerers


def _require_key(settings: Settings) -> None:
    """Refuse a model that is asked for by name and can't answer; one of a profile may not be asked."""
    keys = {
        "openai": ("OPENAI_API_KEY", settings.openai_key, settings.openai_url == _OPENAI_URL),
        "anthropic": ("ANTHROPIC_API_KEY", settings.anthropic_key, True),
    }
    name, key, needed = keys.get(settings.answerer, ("", "", False))
    if needed and not (key or settings.model_key or settings.model_url):
        raise SettingsError(
            f"GENERATION_ANSWERER={settings.answerer}: set {name} or GENERATION_MODEL_KEY or, for a "
            "server of your own, GENERATION_MODEL_URL"
        )


def _load_vocabularies(settings: Settings, counter: TokenCounter) -> None:
    # No question has the time that loading takes.
    for name in _profile_names(settings.profiles):
        model = settings.model or load_profile(name, settings.profiles).generation.model
        counter.of_model(model)


def _profile_names(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("*.toml")]


def _answerers_of_profiles(folder: Path) -> set[str]:
    return {load_profile(name, folder).generation.answerer for name in _profile_names(folder)}
