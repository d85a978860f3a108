"""Open the embedder that the environment names: the same for what is indexed and what is asked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from libs.embedding.port import Embedder
from libs.settings import SettingsError, load_settings, setting

Purpose = Literal["documents", "questions"]

_TIMEOUT_S: dict[Purpose, float] = {"documents": 60.0, "questions": 0.8}
_RETRIES: dict[Purpose, int] = {"documents": 6, "questions": 1}
_ALLOWED_S: dict[Purpose, float] = {"documents": 300.0, "questions": 0.95}
"""With all retries; a question's stage has a little more, so that being too slow is found here."""


@dataclass(frozen=True)
class EmbedderSettings:
    """Which model makes the vectors; ingest and retrieval need the same."""

    embedder: str = setting(
        "QUOTH_EMBEDDER",
        "`local`, `local-multilingual` (slow), `openai` or `cohere`: where vectors are made.",
        default="local",
        one_of=("local", "local-multilingual", "openai", "cohere"),
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


def open_embedder_before(
    cache_dir: Path, environment: Mapping[str, str] = os.environ
) -> Embedder | None:
    """Open the embedder of questions to books that have not moved to the new model yet, if any.

    Raises SettingsError for one that can't be used.
    """
    settings = load_settings(EmbedderSettings, environment)
    if not settings.before:
        return None
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
        return _open(former, cache_dir, "questions", environment)
    except SettingsError as error:
        raise SettingsError(f"QUOTH_EMBEDDER_BEFORE: {error}") from error


def _open(
    settings: EmbedderSettings, cache_dir: Path, purpose: Purpose, environment: Mapping[str, str]
) -> Embedder:
    if settings.embedder == "local":
        return _open_local(settings, cache_dir, purpose)
    try:
        if settings.embedder == "openai":
            return _open_openai(settings, purpose, environment)
        if settings.embedder == "cohere":
            return _open_cohere(settings, purpose, environment)
        if settings.embedder == "local-multilingual":
            return _open_multilingual(purpose)
    except ImportError as error:
        name, extra = settings.embedder, settings.embedder.removeprefix("local-")
        raise SettingsError(f"QUOTH_EMBEDDER={name}: install quoth[{extra}] first") from error
    raise SettingsError("QUOTH_EMBEDDER must be local, local-multilingual, openai or cohere")


# Each SDK is imported where it is chosen: they belong to extras of their own and are slow to import.


def _open_local(settings: EmbedderSettings, cache_dir: Path, purpose: Purpose) -> Embedder:
    # Whoever asks a question meanwhile goes first.
    gives_way = purpose == "documents"
    if settings.folder:
        from libs.embedding.folder import open_folder  # noqa: PLC0415

        return open_folder(Path(settings.folder), gives_way=gives_way)
    from libs.embedding.local import LocalEmbedder  # noqa: PLC0415

    return LocalEmbedder(cache_dir, gives_way=gives_way)


def _open_multilingual(purpose: Purpose) -> Embedder:
    from libs.embedding.multilingual import MultilingualEmbedder  # noqa: PLC0415

    return MultilingualEmbedder(are_questions=purpose == "questions")


def _open_openai(
    settings: EmbedderSettings, purpose: Purpose, environment: Mapping[str, str]
) -> Embedder:
    from libs.embedding.openai import DIMENSIONS, OpenAIEmbedder  # noqa: PLC0415

    model = settings.model or "text-embedding-3-small"
    url = settings.url or environment.get("OPENAI_BASE_URL", "")
    key = settings.key or environment.get("OPENAI_API_KEY", "")
    if not url and not key:
        raise SettingsError(
            "QUOTH_EMBEDDER=openai: set QUOTH_EMBEDDER_KEY or OPENAI_API_KEY or, for a server of "
            "your own, QUOTH_EMBEDDER_URL"
        )
    return OpenAIEmbedder(
        url=url or "https://api.openai.com/v1",
        key=key,
        model=model,
        dimensions=_dimensions(settings, DIMENSIONS.get(model, 0)),
        timeout_s=_TIMEOUT_S[purpose],
        retries=_RETRIES[purpose],
        allowed_s=_ALLOWED_S[purpose],
    )


def _open_cohere(
    settings: EmbedderSettings, purpose: Purpose, environment: Mapping[str, str]
) -> Embedder:
    from libs.embedding.cohere import CohereEmbedder  # noqa: PLC0415

    key = settings.key or environment.get("CO_API_KEY", "")
    if not key:
        raise SettingsError("QUOTH_EMBEDDER=cohere: set QUOTH_EMBEDDER_KEY or CO_API_KEY")
    return CohereEmbedder(
        url=settings.url,
        key=key,
        model=settings.model or "embed-english-v3.0",
        dimensions=_dimensions(settings, 1024),
        input_type="search_document" if purpose == "documents" else "search_query",
        timeout_s=_TIMEOUT_S[purpose],
        retries=_RETRIES[purpose],
        allowed_s=_ALLOWED_S[purpose],
    )


def _dimensions(settings: EmbedderSettings, known: int) -> int:
    dimensions = settings.dimensions or known
    if dimensions < 1:
        raise SettingsError("QUOTH_EMBEDDER_DIMENSIONS: this model's is not known; set it")
    return dimensions
