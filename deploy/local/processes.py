"""Settings in; the table of processes, what each is told and what it waits for, out."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.health import Probe, answers_grpc, answers_http, answers_postgres
from deploy.local.settings import LocalSettings

QDRANT, POSTGRES = "qdrant", "postgres"
INGEST, RETRIEVAL, GENERATION, GATEWAY = "ingest", "retrieval", "generation", "gateway"


@dataclass(frozen=True)
class Process:
    """One process: `python -m module arguments`, in the supervisor's environment plus `environment`.

    `port` is the one it listens at on 127.0.0.1, 0 for none. `needs` maps a variable to the name of
    the process whose announced address is its value; that one must be ready first. `probe` asks
    whether it still answers. Engines follow their parent by themselves.
    """

    name: str
    module: str
    port: int = 0
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    is_engine: bool = False
    probe: Probe | None = None


def list_processes(settings: LocalSettings) -> list[Process]:
    """Return what is to run, in the order of dependence; it is stopped in the reverse order."""
    home, port = settings.home, settings.port
    ingest, retrieval, generation = (f"127.0.0.1:{port + number}" for number in (1, 2, 3))
    stores = {
        "QUOTH_QDRANT_URL": settings.qdrant_url or f"http://127.0.0.1:{port + 4}",
        "QUOTH_QDRANT_API_KEY": (
            settings.qdrant_api_key if settings.qdrant_url else secrets.token_urlsafe(32)
        ),
        "QUOTH_CACHE_DIR": str((settings.cache_dir or home / "cache").absolute()),
    }
    database = {} if settings.postgres_dsn else {"QUOTH_POSTGRES_DSN": POSTGRES}
    services = [
        Process(
            INGEST,
            "services.ingest",
            port + 1,
            environment={**stores, "INGEST_LISTEN": ingest},
            needs=database,
            probe=answers_grpc,
        ),
        Process(
            RETRIEVAL,
            "services.retrieval",
            port + 2,
            environment={**stores, "RETRIEVAL_LISTEN": retrieval},
            probe=answers_grpc,
        ),
        Process(
            GENERATION,
            "services.generation",
            port + 3,
            environment={
                **stores,
                "GENERATION_LISTEN": generation,
                "GENERATION_RETRIEVAL": retrieval,
            },
            needs=database,
            probe=answers_grpc,
        ),
        Process(
            GATEWAY,
            "services.gateway",
            port,
            environment={
                "QUOTH_PORT": str(port),
                "GATEWAY_INGEST": ingest,
                "GATEWAY_RETRIEVAL": retrieval,
                "GATEWAY_GENERATION": generation,
            },
            probe=answers_http,
        ),
    ]
    return [*_engines(settings, home, stores["QUOTH_QDRANT_API_KEY"]), *services]


def _engines(settings: LocalSettings, home: Path, api_key: str) -> list[Process]:
    engines = []
    if not settings.postgres_dsn:
        engines.append(
            Process(
                POSTGRES,
                "deploy.postgres_node",
                arguments=("--data", str(home / POSTGRES)),
                is_engine=True,
                probe=answers_postgres,
            )
        )
    if not settings.qdrant_url:
        engines.append(
            Process(
                QDRANT,
                "deploy.qdrant_node",
                settings.port + 4,
                arguments=("--data", str(home / QDRANT), "--port", str(settings.port + 4)),
                environment={"QUOTH_QDRANT_API_KEY": api_key},
                is_engine=True,
                probe=answers_grpc,
            )
        )
    return engines
