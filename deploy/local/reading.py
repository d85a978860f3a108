"""Which variables each service reads: it gets those of the supervisor's environment, and no other.

A service that is taken over gives away the keys that it was given, so nobody has another's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deploy.embedded import store_environment
from libs.embedding.choice import EmbedderSettings
from libs.rpc.transport import Transport
from libs.settings import variables_of
from libs.telemetry.logs import LogSettings
from libs.vectors.layout_settings import LayoutSettings
from services.gateway import settings as gateway
from services.generation import settings as generation
from services.ingest.settings import Settings as IngestSettings
from services.retrieval.settings import Settings as RetrievalSettings

# What gRPC, OpenTelemetry and OpenSSL look up, and the libraries that calculate.
_LIBRARIES = ("GRPC_", "OTEL_", "SSL_CERT_", "OMP_", "OPENBLAS_", "ORT_")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_POSTGRES = "PG"
_PROVIDERS = {"openai": "OPENAI_", "cohere": "CO_"}
"""How the variables of a provider of embeddings begin, by its name."""


@dataclass(frozen=True)
class Reading:
    """What one service reads: its settings by name, and what libraries look up by how it begins."""

    names: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    embeds: bool = False
    archives: bool = False

    def of(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return what of `environment` the service gets to see."""
        prefixes = (*self.prefixes, *self._of_providers(environment))
        read = {
            name: value
            for name, value in environment.items()
            if name in self.names or name.upper() in _PROXIES or name.startswith(prefixes)
        }
        return {**store_environment(environment), **read}

    def _of_providers(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """Return how the variables of those begin that this installation calls, if the service does."""
        chosen = (environment.get(f"QUOTH_EMBEDDER{one}", "") for one in ("", "_BEFORE"))
        called = [_PROVIDERS.get(name.partition(":")[0], "") for name in chosen if self.embeds]
        if self.archives and environment.get("QUOTH_AUDIT_ARCHIVE", "").startswith("s3:"):
            called.append("AWS_")
        return tuple(filter(None, called))


def _reading(*classes: type[Any], prefixes: tuple[str, ...] = (), **does: bool) -> Reading:
    names = variables_of(*classes, Transport, LogSettings)
    return Reading(names, (*_LIBRARIES, *prefixes), **does)


READ_BY: Mapping[str, Reading] = {
    "ingest": _reading(
        IngestSettings,
        EmbedderSettings,
        LayoutSettings,
        prefixes=(_POSTGRES, "TESSDATA_"),
        embeds=True,
    ),
    "retrieval": _reading(RetrievalSettings, EmbedderSettings, LayoutSettings, embeds=True),
    "generation": _reading(
        generation.Settings,
        generation.Retention,
        EmbedderSettings,
        prefixes=(_POSTGRES, "OPENAI_", "ANTHROPIC_"),
        embeds=True,
        archives=True,
    ),
    "gateway": _reading(gateway.Settings, gateway.Exposure, prefixes=(_POSTGRES,)),
}
NOTHING = Reading()
