"""List the processes of the product, what each is told and what it waits for."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from deploy.local.health import Probe, answers_grpc, answers_http, answers_postgres
from deploy.local.reading import NOTHING, READ_BY, Reading
from deploy.local.settings import LocalSettings
from libs.rpc.transport import OPEN, Transport
from libs.telemetry.readers import EXPORTERS, PORT, asks_to_be_scraped

QDRANT, POSTGRES = "qdrant", "postgres"
CACHE = "cache"
API_KEY = "QUOTH_QDRANT_API_KEY"
CALLERS_SHOW = "QUOTH_SERVICE_TOKEN"
INGEST, RETRIEVAL, GENERATION, GATEWAY = "ingest", "retrieval", "generation", "gateway"


@dataclass(frozen=True)
class Process:
    """One process: `python -m module arguments`, in `environment` and what it `reads` of ours.

    A store reads nothing of the environment that the supervisor has.

    `port` is the one it listens at on 127.0.0.1, 0 for none. `needs` maps a variable to the name of
    the process whose announced address is its value; that one must be ready first. `probe` asks
    whether it still answers. Stores follow their parent by themselves.
    """

    name: str
    module: str
    port: int = 0
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    reads: Reading = NOTHING
    is_store: bool = False
    probe: Probe | None = None


def list_processes(settings: LocalSettings, transport: Transport = OPEN) -> list[Process]:
    """Return what is to run, in the order of dependence; it is stopped in the reverse order.

    Services without a token of the person's share one of this list: other users of the machine reach
    their ports too. `transport` is how the person's settings have them speak.
    """
    stores = {
        "QUOTH_QDRANT_URL": settings.qdrant_url or f"http://127.0.0.1:{settings.port + 4}",
        API_KEY: (settings.qdrant_api_key if settings.qdrant_url else secrets.token_urlsafe(32)),
        "QUOTH_CACHE_DIR": str((settings.cache_dir or settings.home / CACHE).absolute()),
    }
    embedded = _embedded_stores(settings, settings.home, stores[API_KEY])
    if not (transport.token or transport.token_file):
        transport = replace(transport, token=secrets.token_urlsafe(32))
    # One address can't be all of theirs, and the supervisor asks where they serve.
    shared = {CALLERS_SHOW: transport.token, "QUOTH_HEALTH_LISTEN": ""}
    services = _services(settings, {**stores, **shared}, partial(answers_grpc, transport=transport))
    return [*embedded, *services, _gateway(settings, shared)]


def _services(settings: LocalSettings, shared: Mapping[str, str], probe: Probe) -> list[Process]:
    ingest, retrieval, generation = _addresses(settings.port)
    database = _database(settings)

    def service(
        name: str, step: int, environment: Mapping[str, str], needs: Mapping[str, str]
    ) -> Process:
        reads = READ_BY[name]
        told = {**reads.of(shared), **_scraped(settings, name), **environment}
        module, port = f"services.{name}", settings.port + step
        return Process(name, module, port, environment=told, needs=needs, reads=reads, probe=probe)

    answering = {"GENERATION_LISTEN": generation, "GENERATION_RETRIEVAL": retrieval}
    return [
        service(INGEST, 1, {**_disk(settings), "INGEST_LISTEN": ingest}, database),
        service(RETRIEVAL, 2, {"RETRIEVAL_LISTEN": retrieval}, {}),
        service(GENERATION, 3, answering, database),
    ]


def _gateway(settings: LocalSettings, shared: Mapping[str, str]) -> Process:
    ingest, retrieval, generation = _addresses(settings.port)
    return Process(
        GATEWAY,
        "services.gateway",
        settings.port,
        environment={
            **shared,
            **_scraped(settings, GATEWAY),
            "QUOTH_PORT": str(settings.port),
            "GATEWAY_INGEST": ingest,
            "GATEWAY_RETRIEVAL": retrieval,
            "GATEWAY_GENERATION": generation,
        },
        needs=_database(settings),
        reads=READ_BY[GATEWAY],
        probe=answers_http,
    )


def _database(settings: LocalSettings) -> dict[str, str]:
    """Return what a process needs to reach PostgreSQL, whose address is its own where it is told."""
    return {} if settings.postgres_dsn else {"QUOTH_POSTGRES_DSN": POSTGRES}


def _scraped(settings: LocalSettings, name: str) -> dict[str, str]:
    """Give each service a port of its own, where they are to be scraped."""
    if not asks_to_be_scraped({EXPORTERS: settings.metrics_exporter}):
        return {}
    step = (GATEWAY, INGEST, RETRIEVAL, GENERATION).index(name)
    return {PORT: str(settings.metrics_port + step)}


def _disk(settings: LocalSettings) -> dict[str, str]:
    """Tell ingest where the stores write, where that is a disk of this machine."""
    is_elsewhere = settings.postgres_dsn and settings.qdrant_url
    return {} if is_elsewhere else {"INGEST_DISK_FOLDER": str(settings.home.absolute())}


def _addresses(port: int) -> tuple[str, str, str]:
    """Return where ingest, retrieval and generation listen."""
    return (f"127.0.0.1:{port + 1}", f"127.0.0.1:{port + 2}", f"127.0.0.1:{port + 3}")


def _embedded_stores(settings: LocalSettings, home: Path, api_key: str) -> list[Process]:
    stores = []
    if not settings.postgres_dsn:
        stores.append(
            Process(
                POSTGRES,
                "deploy.postgres_node",
                arguments=("--data", str(home / POSTGRES)),
                is_store=True,
                probe=answers_postgres,
            )
        )
    if not settings.qdrant_url:
        stores.append(
            Process(
                QDRANT,
                "deploy.qdrant_node",
                settings.port + 4,
                arguments=("--data", str(home / QDRANT), "--port", str(settings.port + 4)),
                environment={API_KEY: api_key},
                is_store=True,
                probe=answers_grpc,
            )
        )
    return stores
