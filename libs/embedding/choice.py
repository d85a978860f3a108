"""Open the embedder that the environment names: the same for what is indexed and what is asked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from libs.embedding.dimensions import OPENAI_DIMENSIONS
from libs.embedding.port import Embedder
from libs.settings import SettingsError, load_settings, setting

Purpose = Literal["documents", "questions"]

EMBEDDERS = ("local", "local-multilingual", "openai", "cohere")
_KEYS = {"openai": "OPENAI_API_KEY", "cohere": "CO_API_KEY"}
_OPENAI_MODEL = "text-embedding-3-small"
_COHERE_DIMENSIONS = 1024

_TIMEOUT_S: dict[Purpose, float] = {"documents": 60.0, "questions": 0.8}
_RETRIES: dict[Purpose, int] = {"documents": 6, "questions": 1}
_ALLOWED_S: dict[Purpose, float] = {"documents": 300.0, "questions": 0.95}
"""With all retries; a question's stage has a little more, so that being too slow is found here."""


@dataclass(frozen=True)
class EmbedderSettings:
    """Which model makes the vectors; ingest and retrieval need the same."""

    embedder: str = setting(
        "QUOTH_EMBEDDER",
        "`local`, `local-multilingual`, `openai` or `cohere`: where vectors are made.",
        default="local",
        one_of=EMBEDDERS,
    )
    folder: str = setting(
        "QUOTH_EMBEDDER_DIR",
        "Folder of an ONNX model and its tokenizer, for `local`; empty: the packaged model.",
        default="",
    )
    model: str = setting(
        "QUOTH_EMBEDDER_MODEL",
        "Name of the API's model; empty: text-embedding-3-small or embed-english-v3.0.",
        default="",
    )
    dimensions: int = setting(
        "QUOTH_EMBEDDER_DIMENSIONS", "Length of the API's vectors; 0: the model's own.", default=0
    )
    url: str = setting(
        "QUOTH_EMBEDDER_URL", "Base URL of the API; empty: the provider's.", default=""
    )
    key: str = setting(
        "QUOTH_EMBEDDER_KEY",
        "Key of that API; goes before OPENAI_API_KEY and CO_API_KEY.",
        default="",
        secret=True,
    )
    before: str = setting(
        "QUOTH_EMBEDDER_BEFORE",
        "The model that books not yet ingested again are searched by, while they move to "
        "QUOTH_EMBEDDER: `local`, `local:FOLDER`, `local-multilingual`, `openai:MODEL`, "
        "`openai:MODEL@DIMENSIONS` or `cohere:MODEL`; empty: none.",
        default="",
    )


def open_embedder(
    cache_dir: Path, purpose: Purpose, environment: Mapping[str, str] = os.environ
) -> Embedder:
    """Open the embedder that is named. Raises SettingsError for one that can't be used."""
    return _open(load_settings(EmbedderSettings, environment), cache_dir, purpose, environment)


def require_embedders(environment: Mapping[str, str]) -> None:
    """Raise SettingsError, and open nothing, where the models that are named lack what they need."""
    settings = load_settings(EmbedderSettings, environment)
    _require_reachable(settings, environment)
    if settings.before:
        _named_before(settings, environment)


def open_embedder_before(
    cache_dir: Path, environment: Mapping[str, str] = os.environ
) -> Embedder | None:
    """Open the embedder of questions to books that have not moved to the new model yet, if any.

    Raises SettingsError for one that can't be used.
    """
    settings = load_settings(EmbedderSettings, environment)
    if not settings.before:
        return None
    former = _named_before(settings, environment)
    try:
        return _open(former, cache_dir, "questions", environment)
    except SettingsError as error:
        raise SettingsError(f"QUOTH_EMBEDDER_BEFORE: {error}") from error


def _named_before(settings: EmbedderSettings, environment: Mapping[str, str]) -> EmbedderSettings:
    """Return the settings of the former model. Raises SettingsError for one that can't be used."""
    name, _, model = settings.before.partition(":")
    model, _, dimensions = model.partition("@")
    if dimensions and not dimensions.isdecimal():
        raise SettingsError("QUOTH_EMBEDDER_BEFORE: after the @ belongs the length of the vectors")
    former = replace(
        settings,
        embedder=name,
        folder=model if name == "local" else "",
        model="" if name == "local" else model,
        dimensions=int(dimensions or 0),
        # The address and the key are of one provider.
        url=settings.url if name == settings.embedder else "",
        key=settings.key if name == settings.embedder else "",
    )
    try:
        _require_reachable(former, environment)
    except SettingsError as error:
        raise SettingsError(f"QUOTH_EMBEDDER_BEFORE: {error}") from error
    return former


def _require_reachable(settings: EmbedderSettings, environment: Mapping[str, str]) -> None:
    """Raise SettingsError for a provider that nothing can be asked of, or vectors of unknown length."""
    if settings.embedder == "openai":
        if not _url_of_openai(settings, environment) and not _key_of(settings, environment):
            raise SettingsError(
                "QUOTH_EMBEDDER=openai: set QUOTH_EMBEDDER_KEY or OPENAI_API_KEY or, for a server "
                "of your own, QUOTH_EMBEDDER_URL"
            )
        model = settings.model or _OPENAI_MODEL
        if not settings.dimensions and model not in OPENAI_DIMENSIONS:
            raise SettingsError("QUOTH_EMBEDDER_DIMENSIONS: this model's is not known; set it")
    elif settings.embedder == "cohere" and not _key_of(settings, environment):
        raise SettingsError("QUOTH_EMBEDDER=cohere: set QUOTH_EMBEDDER_KEY or CO_API_KEY")
    elif settings.embedder not in EMBEDDERS:
        raise SettingsError(f"QUOTH_EMBEDDER must be one of {', '.join(EMBEDDERS)}")


def _open(
    settings: EmbedderSettings, cache_dir: Path, purpose: Purpose, environment: Mapping[str, str]
) -> Embedder:
    _require_reachable(settings, environment)
    if settings.embedder == "local":
        return _open_local(settings, cache_dir, purpose)
    try:
        if settings.embedder == "openai":
            return _open_openai(settings, purpose, environment)
        if settings.embedder == "cohere":
            return _open_cohere(settings, purpose, environment)
        return _open_multilingual(cache_dir, purpose)
    except ImportError as error:
        name, extra = settings.embedder, settings.embedder.removeprefix("local-")
        raise SettingsError(f"QUOTH_EMBEDDER={name}: install quoth[{extra}] first") from error


# Each SDK is imported where it is chosen: they belong to extras of their own and are slow to import.


def _open_local(settings: EmbedderSettings, cache_dir: Path, purpose: Purpose) -> Embedder:
    # Whoever asks a question meanwhile goes first.
    gives_way = purpose == "documents"
    if settings.folder:
        from libs.embedding.folder import open_folder  # noqa: PLC0415

        return open_folder(Path(settings.folder), gives_way=gives_way)
    from libs.embedding.local import LocalEmbedder  # noqa: PLC0415

    return LocalEmbedder(cache_dir, gives_way=gives_way)


def _open_multilingual(cache_dir: Path, purpose: Purpose) -> Embedder:
    from libs.embedding.multilingual import MultilingualEmbedder  # noqa: PLC0415

    return MultilingualEmbedder(cache_dir, are_questions=purpose == "questions")


def _open_openai(
    settings: EmbedderSettings, purpose: Purpose, environment: Mapping[str, str]
) -> Embedder:
    from libs.embedding.openai import OpenAIEmbedder  # noqa: PLC0415

    model = settings.model or _OPENAI_MODEL
    return OpenAIEmbedder(
        url=_url_of_openai(settings, environment) or "https://api.openai.com/v1",
        key=_key_of(settings, environment),
        model=model,
        dimensions=settings.dimensions or OPENAI_DIMENSIONS[model],
        timeout_s=_TIMEOUT_S[purpose],
        retries=_RETRIES[purpose],
        allowed_s=_ALLOWED_S[purpose],
    )


def _open_cohere(
    settings: EmbedderSettings, purpose: Purpose, environment: Mapping[str, str]
) -> Embedder:
    from libs.embedding.cohere import CohereEmbedder  # noqa: PLC0415

    return CohereEmbedder(
        url=settings.url,
        key=_key_of(settings, environment),
        model=settings.model or "embed-english-v3.0",
        dimensions=settings.dimensions or _COHERE_DIMENSIONS,
        input_type="search_document" if purpose == "documents" else "search_query",
        timeout_s=_TIMEOUT_S[purpose],
        retries=_RETRIES[purpose],
        allowed_s=_ALLOWED_S[purpose],
    )


def _url_of_openai(settings: EmbedderSettings, environment: Mapping[str, str]) -> str:
    return settings.url or environment.get("OPENAI_BASE_URL", "")


def _key_of(settings: EmbedderSettings, environment: Mapping[str, str]) -> str:
    return settings.key or environment.get(_KEYS[settings.embedder], "").strip()
