"""Every variable of the supervisor."""

from dataclasses import dataclass
from pathlib import Path

from libs.settings import SettingsError, setting
from libs.telemetry.readers import DEFAULT_PORT, EXPORTERS, PORT

LAST_PORT = 65535
PORTS = 5
"""The page's port and the four after it."""


@dataclass(frozen=True)
class LocalSettings:
    """What `quoth up` reads from the environment; the services read the rest themselves."""

    home: Path = setting("QUOTH_HOME", "folder for all data and logs", default=Path(".quoth"))
    port: int = setting(
        "QUOTH_PORT",
        "port of the page and the API on 127.0.0.1; the four ports after it are used inside",
        default=8080,
    )
    qdrant_url: str = setting(
        "QUOTH_QDRANT_URL", "a Qdrant server to use; empty starts the embedded one", default=""
    )
    qdrant_api_key: str = setting(
        "QUOTH_QDRANT_API_KEY", "key of that Qdrant server", default="", secret=True
    )
    postgres_dsn: str = setting(
        "QUOTH_POSTGRES_DSN",
        "a PostgreSQL server to use; empty starts the embedded one",
        default="",
        secret=True,
    )
    cache_dir: Path | None = setting(
        "QUOTH_CACHE_DIR",
        "folder for the model graph and the vocabulary; default: cache in the home",
        default=None,
    )
    tls_cert: Path | None = setting(
        "QUOTH_TLS_CERT", "file of the gateway's TLS certificate", default=None
    )
    patience_s: float = setting(
        "QUOTH_PATIENCE_S",
        "seconds a process may leave every question unanswered before it is started again",
        default=30.0,
    )

    metrics_exporter: str = setting(
        EXPORTERS,
        "where metrics go: otlp, prometheus, or both with a comma",
        default="otlp",
    )
    metrics_port: int = setting(
        PORT,
        "port at which the gateway is scraped; ingest, retrieval and generation at the three after it",
        default=DEFAULT_PORT,
    )

    def __post_init__(self) -> None:
        if not 1 <= self.port <= LAST_PORT - PORTS + 1:
            raise SettingsError(f"QUOTH_PORT must be from 1 to {LAST_PORT - PORTS + 1}")
        if not 1 <= self.metrics_port <= LAST_PORT - 3:
            raise SettingsError(f"{PORT} must be from 1 to {LAST_PORT - 3}")
        if not self.patience_s > 0:
            raise SettingsError("QUOTH_PATIENCE_S must be greater than 0")

    @property
    def url(self) -> str:
        return f"{'https' if self.tls_cert else 'http'}://127.0.0.1:{self.port}"
