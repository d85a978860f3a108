"""Our errors to gRPC status and back: the one table."""

import grpc

from libs.errors import BY_KIND, DeadlineExceeded, QuothError, Unavailable
from libs.pause import LONGEST_S

KIND_KEY = "quoth-error"
STAGE_KEY = "quoth-stage"
RETRY_AFTER_KEY = "quoth-retry-after-s"

CODE_BY_KIND: dict[str, grpc.StatusCode] = {
    "internal": grpc.StatusCode.INTERNAL,
    "invalid_input": grpc.StatusCode.INVALID_ARGUMENT,
    "too_large": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "not_found": grpc.StatusCode.NOT_FOUND,
    "conflict": grpc.StatusCode.ALREADY_EXISTS,
    "wrong_index": grpc.StatusCode.FAILED_PRECONDITION,
    "overloaded": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "unavailable": grpc.StatusCode.UNAVAILABLE,
    "model_unavailable": grpc.StatusCode.UNAVAILABLE,
    "model_busy": grpc.StatusCode.UNAVAILABLE,
    "no_room": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "deadline_exceeded": grpc.StatusCode.DEADLINE_EXCEEDED,
}

BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
"""What a call ends as whose callee is not there, or went away; nobody here cancels and then looks."""


def trailing_metadata(error: QuothError) -> tuple[tuple[str, str], ...]:
    """Return what a client needs, beside code and message, to rebuild `error`.

    A part that names a longer wait than a minute is asked again before that is over.
    """
    stage = error.stage if isinstance(error, DeadlineExceeded) else ""
    metadata = ((KIND_KEY, error.kind), (STAGE_KEY, stage))
    if isinstance(error, Unavailable) and error.retry_after_s is not None:
        return (*metadata, (RETRY_AFTER_KEY, f"{min(error.retry_after_s, LONGEST_S):.3f}"))
    return metadata


def error_from_rpc(error: grpc.aio.AioRpcError, callee: str) -> QuothError:
    """Rebuild the error that `callee` raised; what is not ours becomes Unavailable or internal."""
    metadata = {str(key): str(value) for key, value in error.trailing_metadata() or ()}
    message = error.details() or ""
    kind = metadata.get(KIND_KEY)
    if kind in BY_KIND:
        if kind == DeadlineExceeded.kind:
            return DeadlineExceeded(message, stage=metadata.get(STAGE_KEY, ""))
        rebuilt = BY_KIND[kind](message)
        if isinstance(rebuilt, Unavailable) and RETRY_AFTER_KEY in metadata:
            rebuilt.retry_after_s = float(metadata[RETRY_AFTER_KEY])
        return rebuilt
    return _error_from_code(error.code(), callee)


def _error_from_code(code: grpc.StatusCode, callee: str) -> QuothError:
    """Return what a status means that gRPC itself, or whoever keeps the door, has set."""
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        # Without a stage: it is the stage that waited which says what that means.
        return DeadlineExceeded(
            f"The {callee} service did not answer in time. Try again in a moment."
        )
    if code == grpc.StatusCode.UNAUTHENTICATED:
        return Unavailable(
            f"The {callee} service does not know who calls it. Whoever runs Quoth gives all its "
            "services the same QUOTH_SERVICE_TOKEN."
        )
    if code in BROKEN:
        return Unavailable(f"The {callee} service does not answer. Try again in a moment.")
    if code == grpc.StatusCode.RESOURCE_EXHAUSTED:
        return BY_KIND["overloaded"](f"The {callee} service is busy. Try again in a moment.")
    return QuothError("Something went wrong inside Quoth.")
