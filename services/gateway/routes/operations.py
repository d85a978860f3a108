"""For those who run Quoth: liveness, readiness, the description of the interface."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.rpc.readiness import CATALOGUE, WRITES
from services.gateway.openapi import Operation
from services.gateway.ports import Probe, RateLimits
from services.gateway.routes.books import FORGOTTEN
from services.gateway.routes.endpoint import Endpoint, json_response
from services.gateway.schemas import Alive, Readiness

PROBE_S = 1.0
_NEARLY_FULL = (
    "The disk is nearly full: nothing can be added to books until some of it is freed. They can be "
    "read, asked and deleted."
)
_LACKING = {("ingest", WRITES): _NEARLY_FULL, ("ingest", CATALOGUE): FORGOTTEN}
"""What a part of a service that does not work means, by the service and the part."""
_LIMITS_ALONE = "Redis does not answer: each gateway counts the requests of clients by itself."

HEALTH = Operation(
    "GET",
    "/healthz",
    "getHealth",
    "Tell that the process answers.",
    Alive,
    access="everybody",
)
READY = Operation(
    "GET",
    "/readyz",
    "getReadiness",
    "Tell whether questions can be answered, part by part.",
    Readiness,
    access="everybody",
    also={503: Readiness},
)


@dataclass(frozen=True)
class OperationRoutes:
    """Serves liveness and readiness; `probes` by the name of the service."""

    probes: Mapping[str, Probe]
    limits: RateLimits

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(HEALTH, self.health), Endpoint(READY, self.ready)]

    async def health(self, _: Request) -> Response:
        return json_response(Alive())

    async def ready(self, _: Request) -> Response:
        asked = [_in_time(probe.is_serving(PROBE_S)) for probe in self.probes.values()]
        lacking, serving = await asyncio.gather(self._lacking(), asyncio.gather(*asked))
        parts = dict(zip(self.probes, serving, strict=True))
        ready = all(serving)
        readiness = Readiness(
            "ready" if ready else "not_ready",
            {name: "serving" if up else "not_serving" for name, up in parts.items()},
            [*lacking, *([_LIMITS_ALONE] if self.limits.is_degraded else [])],
        )
        return json_response(readiness, 200 if ready else 503)

    async def _lacking(self) -> list[str]:
        asked = [(key, self.probes[key[0]]) for key in _LACKING if key[0] in self.probes]
        said = await asyncio.gather(
            *(_in_time(probe.lacks(part, PROBE_S)) for (_, part), probe in asked)
        )
        return [_LACKING[key] for (key, _), lacks in zip(asked, said, strict=True) if lacks]


async def _in_time(asking: Awaitable[bool]) -> bool:
    try:
        async with asyncio.timeout(PROBE_S):
            return await asking
    except TimeoutError:
        return False
