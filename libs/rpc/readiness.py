"""Keep the health service's answers in step with whether a service can do its work."""

from grpc_health.v1 import health, health_pb2

LIVENESS = "liveness"
"""Name that the health service knows too, and says SERVING to while the process answers at all.

A supervisor that restarts what is not ready would restart every replica for a store that is down.
"""

_STATUS = {
    True: health_pb2.HealthCheckResponse.SERVING,
    False: health_pb2.HealthCheckResponse.NOT_SERVING,
}


class Readiness:
    """Ready, until it is told otherwise; a health service that is attached follows it."""

    def __init__(self) -> None:
        self._is_ready = True
        self._health: health.aio.HealthServicer | None = None

    async def set(self, is_ready: bool) -> None:
        self._is_ready = is_ready
        if self._health is not None:
            await self._health.set("", _STATUS[is_ready])

    async def attach(self, servicer: health.aio.HealthServicer) -> None:
        self._health = servicer
        await servicer.set(LIVENESS, _STATUS[True])
        await self.set(self._is_ready)
