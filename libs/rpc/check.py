"""Ask a service whether it answers: `python -m libs.rpc.check HOST:PORT`, for a container's check.

In plain text: where services speak TLS, ask at QUOTH_HEALTH_LISTEN.
"""

import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.rpc.channel import NO_PROXY
from libs.rpc.readiness import LIVENESS

_TIMEOUT_S = 4.0


def main() -> int:
    with grpc.insecure_channel(sys.argv[1], options=[NO_PROXY]) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            request = health_pb2.HealthCheckRequest(service=LIVENESS)
            answer = stub.Check(request, timeout=_TIMEOUT_S)  # type: ignore[attr-defined]
        except grpc.RpcError as error:
            print(error.code(), file=sys.stderr)
            return 1
    return int(answer.status != health_pb2.HealthCheckResponse.SERVING)


if __name__ == "__main__":
    sys.exit(main())
