"""Look at the settings of all processes before the first is started."""

from collections.abc import Mapping
from pathlib import Path

from deploy.local.settings import LocalSettings
from libs.embedding.choice import EmbedderSettings, require_embedders
from libs.rpc.transport import Transport
from libs.settings import SettingsError, require_settings
from libs.telemetry.logs import LogSettings
from services.gateway import settings as gateway
from services.generation import settings as generation
from services.ingest.settings import Settings as IngestSettings
from services.retrieval.settings import Settings as RetrievalSettings

_GIVEN = ("QUOTH_POSTGRES_DSN", "QUOTH_QDRANT_URL", "QUOTH_CACHE_DIR")
"""What the processes need and are given by the supervisor, unless the person says otherwise."""

_OF_A_CLUSTER = tuple(
    f"QUOTH_QDRANT_{name}" for name in ("SHARDS", "REPLICAS", "WRITE_CONSISTENCY")
)


def check_settings(environment: Mapping[str, str]) -> None:
    """Raise SettingsError with a line for each variable that a process could not use."""
    classes = (
        *(
            LocalSettings,
            Transport,
            LogSettings,
            IngestSettings,
            RetrievalSettings,
            EmbedderSettings,
        ),
        *(generation.Settings, generation.Retention, gateway.Settings, gateway.Exposure),
    )
    given = {name: environment.get(name) or "given" for name in _GIVEN}
    require_settings(classes, {**environment, **given})
    require_embedders(environment)
    if not environment.get("QUOTH_QDRANT_URL"):
        _require_one_server(environment)
    if folder := environment.get("QUOTH_CACHE_DIR"):
        _require_folder("QUOTH_CACHE_DIR", Path(folder))


def _require_one_server(environment: Mapping[str, str]) -> None:
    """Raise SettingsError for a layout that our own store, which is no cluster, can't have."""
    wrong = [name for name in _OF_A_CLUSTER if int(environment.get(name) or 1) > 1]
    if wrong:
        lines = (
            f"{name} must be 1: the embedded vector store is one server. For more name a cluster in "
            "QUOTH_QDRANT_URL"
            for name in wrong
        )
        raise SettingsError("\n".join(lines))


def _require_folder(variable: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{variable} {folder} cannot be used: {error.strerror}") from error
