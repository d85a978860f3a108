"""Wire the generation service together: the only module that picks adapters."""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import grpc

from libs.embedding import Embedder, close_models
from libs.embedding.choice import open_embedder
from libs.language.asked_in import load_lexicons
from libs.ml import LogisticModel, load_model
from libs.profiles import load_profile
from libs.rpc.server import Register
from libs.rpc.transport import OPEN, Transport
from libs.settings import SettingsError
from libs.tokens import TokenCounter
from services.generation.adapters.records.postgres_answers import PostgresAnswers
from services.generation.adapters.records.postgres_audit import PostgresAuditLog
from services.generation.adapters.records.postgres_review import PostgresReview
from services.generation.checks.words_verifier import WordsVerifier
from services.generation.clients import RetrievalClient
from services.generation.confidence import ANSWER_FEATURES
from services.generation.ensemble import VerifierEnsemble
from services.generation.exchange import Exchanges
from services.generation.extractive import support
from services.generation.extractive.answerer import ExtractiveAnswerer
from services.generation.extractive.features import FEATURES
from services.generation.language_model.model_verifier import Judge, ModelVerifier
from services.generation.pipeline import EXTRACTIVE, Pipeline
from services.generation.ports import Answerer, PassageSource, Verifier
from services.generation.records.ports import AuditLog, KeptAnswers, Records, ReviewStore
from services.generation.replay import RECORDED, NoRecord, RecordedAnswer, RecordedAnswerer
from services.generation.server import GenerationServicer, ReviewServicer
from services.generation.settings import OPENAI_URL, Settings
from services.generation.suggestions.starters import Starters

ANTHROPIC_URL = "https://api.anthropic.com"


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
    log: Records | None = None,
    embedder: Embedder | None = None,
    transport: Transport = OPEN,
    retain: Callable[[], Awaitable[None]] | None = None,
) -> Service:
    """Open what is not given; begin `retain` each hour. Raises SettingsError for a bad setting."""
    async with AsyncExitStack() as opened:
        counter = TokenCounter(settings.cache_dir)
        if source is None:
            source = client = RetrievalClient(settings.retrieval, transport)
            opened.push_async_callback(client.close)
        if answerers is None:
            answerers = open_answerers(settings, opened)
        if answerers.keys() - {"extractive"}:
            _load_vocabularies(settings, counter)
        audit, answers, review = await _open_records(settings, opened, log, retain)
        pipeline = Pipeline(
            source=source,
            answerers=answerers,
            log=audit,
            counter=counter,
            prompt_tokens=settings.prompt_tokens,
            ensemble=_open_ensemble(settings, opened),
            answerer=settings.answerer,
            model=settings.model,
            profiles=settings.profiles,
            confidence=_load_fitted(settings.confidence, ANSWER_FEATURES),
            embedder=embedder or _open_embedder(settings, answerers, opened),
            made_with=describe_settings(settings),
        )
        opened.push_async_callback(pipeline.close)
        servicer = GenerationServicer(Exchanges(pipeline, answers), answers, Starters(source))
        register = [servicer.register, *([ReviewServicer(review).register] if review else [])]
        return Service(_register_all(register), opened.pop_all().aclose)
    raise AssertionError("the block above returns or raises")


@asynccontextmanager
async def open_replaying(
    settings: Settings, recorded: RecordedAnswer, source: PassageSource
) -> AsyncIterator[Pipeline]:
    """Open what rebuilds an answer by these settings, with what a model wrote of it then.

    No model is asked, to judge neither: rules alone do.
    """
    use = recorded.answer.model_use
    answerers: dict[str, Answerer] = {
        EXTRACTIVE: _open_extractive(settings),
        RECORDED: RecordedAnswerer(recorded.response, use.model if use else ""),
    }
    rules = ",".join(name for name in settings.verifiers if name != "model") or "words"
    async with AsyncExitStack() as opened:
        pipeline = Pipeline(
            source=source,
            answerers=answerers,
            log=NoRecord(),
            counter=TokenCounter(settings.cache_dir),
            prompt_tokens=settings.prompt_tokens,
            ensemble=_open_ensemble(replace(settings, verifier=rules), opened),
            answerer=recorded.answerer,
            model=recorded.made_with.get("model") or settings.model,
            profiles=settings.profiles,
            confidence=_load_fitted(settings.confidence, ANSWER_FEATURES),
            embedder=_open_embedder(settings, answerers, opened),
            made_with=describe_settings(settings),
        )
        opened.push_async_callback(pipeline.close)
        yield pipeline


def describe_settings(settings: Settings) -> dict[str, str]:
    """Return the settings that decide what an answer says, files by their digest; for the record."""
    return {
        "answerer": settings.answerer,
        "model": settings.model,
        "verifier": settings.verifier,
        "prompt_tokens": str(settings.prompt_tokens),
        "ranking": _digest(settings.ranking),
        "support": _digest(settings.support),
        "confidence": _digest(settings.confidence),
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _register_all(registering: Sequence[Register]) -> Register:
    def register(server: grpc.aio.Server) -> None:
        for one in registering:
            one(server)

    return register


async def _open_records(
    settings: Settings,
    opened: AsyncExitStack,
    given: Records | None,
    retain: Callable[[], Awaitable[None]] | None,
) -> tuple[AuditLog, KeptAnswers, ReviewStore | None]:
    """Open the record; one that is given can't be reviewed."""
    if given is not None:
        return given, given, None
    database = await PostgresAuditLog.open(settings.postgres_dsn, retain)
    opened.push_async_callback(database.close)
    return database, PostgresAnswers(database.pool), PostgresReview(database.pool)


def _open_extractive(settings: Settings) -> Answerer:
    load_lexicons()
    return ExtractiveAnswerer(
        _load_fitted(settings.ranking, FEATURES),
        _load_fitted(settings.support, support.FEATURES),
    )


def _load_fitted(path: Path, features: Collection[str]) -> LogisticModel:
    """Load coefficients. Raises SettingsError for a file that another version fitted."""
    model = load_model(path)
    model.require_features(features)
    return model


def open_answerers(settings: Settings, opened: AsyncExitStack) -> dict[str, Answerer]:
    """Open the answerers that the settings or, without a word from them, the profiles ask for."""
    names = {settings.answerer} if settings.answerer else _usable_answerers(settings)
    answerers: dict[str, Answerer] = {"extractive": _open_extractive(settings)}
    if "openai" in names:
        # Imported here: it takes 0.6 s and 20 MB that a service without a model need not spend.
        from services.generation.adapters.models.openai_answerer import (  # noqa: PLC0415
            OpenAIAnswerer,
        )

        answerers["openai"] = model = OpenAIAnswerer(
            url=settings.model_url or settings.openai_url,
            key=settings.model_key or settings.openai_key,
            model=settings.model,
        )
        opened.push_async_callback(model.close)
    if "anthropic" in names:
        from services.generation.adapters.models.anthropic_answerer import (  # noqa: PLC0415
            AnthropicAnswerer,
        )

        # Where a profile chooses it, the model's key and address are those of the other API.
        is_chosen = settings.answerer == "anthropic"
        answerers["anthropic"] = claude = AnthropicAnswerer(
            url=(settings.model_url if is_chosen else "") or ANTHROPIC_URL,
            key=(settings.model_key if is_chosen else "") or settings.anthropic_key,
            model=settings.model,
        )
        opened.push_async_callback(claude.close)
    return answerers


def _open_embedder(
    settings: Settings, answerers: dict[str, Answerer], opened: AsyncExitStack
) -> Embedder | None:
    """Open what compares a model's uncited sentences with passages, where a profile asks for that."""
    asked = [load_profile(name, settings.profiles) for name in _profile_names(settings.profiles)]
    wanted = any(profile.generation.uncited_similarity > 0 for profile in asked)
    if not wanted or not answerers.keys() - {"extractive"}:
        return None
    embedder = open_embedder(settings.cache_dir, "questions")
    opened.push_async_callback(close_models, embedder)
    return embedder


def _open_ensemble(settings: Settings, opened: AsyncExitStack) -> VerifierEnsemble:
    """Open the verifiers that are named. Raises SettingsError for one that can't be used."""
    words = WordsVerifier()
    verifiers: list[Verifier] = [words] if "words" in settings.verifiers else []
    if "model" in settings.verifiers:
        verifiers.append(ModelVerifier(_open_judge(settings, opened)))
    if "nli" in settings.verifiers and settings.nli_dir:
        verifiers.append(_open_network(settings.nli_dir))
    return VerifierEnsemble(verifiers, words)


def _open_judge(settings: Settings, opened: AsyncExitStack) -> Judge:
    """Open the model that judges, behind the API of the one that answers; OpenAI's when none does."""
    model = settings.verifier_model or settings.model
    if settings.answerer == "anthropic":
        from services.generation.adapters.models.anthropic_judge import (  # noqa: PLC0415 - as below
            AnthropicJudge,
        )

        claude = AnthropicJudge(
            url=settings.model_url or ANTHROPIC_URL,
            key=settings.model_key or settings.anthropic_key,
            model=model,
        )
        opened.push_async_callback(claude.close)
        return claude
    from services.generation.adapters.models.openai_judge import OpenAIJudge  # noqa: PLC0415 - as below

    judge = OpenAIJudge(
        url=settings.model_url or settings.openai_url,
        key=settings.model_key or settings.openai_key,
        model=model,
    )
    opened.push_async_callback(judge.close)
    return judge


def _open_network(folder: Path) -> Verifier:
    try:
        from services.generation.adapters.models.onnx_verifier import OnnxVerifier  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise SettingsError("GENERATION_VERIFIER=nli: pip install 'quoth[nli]'") from error
    return OnnxVerifier(folder)


def _load_vocabularies(settings: Settings, counter: TokenCounter) -> None:
    # No question has the time that loading takes.
    for name in _profile_names(settings.profiles):
        model = settings.model or load_profile(name, settings.profiles).generation.model
        counter.of_model(model)


def _profile_names(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("*.toml")]


def _usable_answerers(settings: Settings) -> set[str]:
    """Return the answerers that profiles name, without those of providers that no key is there for."""
    folder = settings.profiles
    named = {load_profile(name, folder).generation.answerer for name in _profile_names(folder)}
    reached = {
        "openai": settings.openai_key or settings.openai_url != OPENAI_URL,
        "anthropic": settings.anthropic_key,
    }
    return {name for name in named if reached.get(name, True)}
