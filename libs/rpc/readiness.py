"""Keep the health service's answers in step with whether a service can do its work."""

from grpc_health.v1 import health, health_pb2

LIVENESS = "liveness"
"""Name that the health service knows too, and says SERVING to while the process answers at all.

A supervisor that restarts what is not ready would restart every replica for a store that is down.
"""

WRITES = "writes"
"""Name of what a service may lack and yet be ready: room to write. It is unknown to services that
write nothing, and SERVING while there is room."""

CATALOGUE = "catalogue"
"""Name of the other thing that ingest may lack: a database that knows the books of the index."""

_STATUS = {
    True: health_pb2.HealthCheckResponse.SERVING,
    False: health_pb2.HealthCheckResponse.NOT_SERVING,
}


class Readiness:
    """Ready, until it is told otherwise; a health service that is attached follows it."""

    def __init__(self) -> None:
        self._said = {LIVENESS: True, "": True}
        self._health: health.aio.HealthServicer | None = None

    async def set(self, is_ready: bool) -> None:
        await self.set_part("", is_ready)

    async def set_part(self, part: str, works: bool) -> None:
        """Say of a part by its name whether it works; the service as a whole stays what it is."""
        self._said[part] = works
        if self._health is not None:
            await self._health.set(part, _STATUS[works])

    async def attach(self, servicer: health.aio.HealthServicer) -> None:
        self._health = servicer
        for part, works in list(self._said.items()):
            await servicer.set(part, _STATUS[works])
