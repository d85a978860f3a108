"""Errors cross a service and come back as what they were."""

import grpc
import pytest
from grpc.aio import AioRpcError

from libs.errors import BY_KIND, DeadlineExceeded, ModelUnavailable, QuothError, Unavailable
from libs.rpc.status import CODE_BY_KIND, error_from_rpc, trailing_metadata


def rpc_error(code: grpc.StatusCode, details: str, *trailing: tuple[str, str]) -> AioRpcError:
    return grpc.aio.AioRpcError(
        code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailing), details=details
    )


@pytest.mark.parametrize("kind", BY_KIND)
def test_every_kind_has_a_code_and_survives_the_wire(kind: str) -> None:
    error = BY_KIND[kind]("what to do")
    received = error_from_rpc(
        rpc_error(CODE_BY_KIND[kind], error.message, *trailing_metadata(error)), "ingest"
    )
    assert type(received) is type(error)
    assert received.message == "what to do"


def test_the_stage_that_ran_out_survives_the_wire() -> None:
    error = DeadlineExceeded("late", stage="generation.complete")
    received = error_from_rpc(
        rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED, "late", *trailing_metadata(error)), "x"
    )
    assert isinstance(received, DeadlineExceeded)
    assert received.stage == "generation.complete"


@pytest.mark.parametrize(
    ("asked_s", "after_s"), [(None, None), (0.0, 0.0), (7.5, 7.5), (86400.0, 60.0)]
)
def test_when_to_come_back_survives_the_wire(asked_s: float | None, after_s: float | None) -> None:
    error = ModelUnavailable("busy", asked_s)
    received = error_from_rpc(
        rpc_error(grpc.StatusCode.UNAVAILABLE, "busy", *trailing_metadata(error)), "x"
    )
    assert isinstance(received, ModelUnavailable)
    assert received.retry_after_s == after_s


@pytest.mark.invariant("I7")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (grpc.StatusCode.UNAVAILABLE, Unavailable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, DeadlineExceeded),
        (grpc.StatusCode.UNKNOWN, QuothError),
    ],
)
def test_foreign_errors_do_not_pass_on_their_details(
    code: grpc.StatusCode, expected: type[QuothError]
) -> None:
    received = error_from_rpc(rpc_error(code, "ipv4:10.0.0.1:5000 secret"), "retrieval")
    assert type(received) is expected
    assert "10.0.0.1" not in received.message
    assert "simpler" not in received.message
    assert "retrieval" in received.message or expected is QuothError
