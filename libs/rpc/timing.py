"""Write stage timings as messages, for every service that reports them."""

from collections.abc import Iterable

from quoth.common.v1 import timing_pb2

from libs.budget import Outcome, StageTiming

_OUTCOMES = {
    Outcome.OK: timing_pb2.STAGE_OUTCOME_OK,
    Outcome.CAPPED: timing_pb2.STAGE_OUTCOME_CAPPED,
    Outcome.NOT_STARTED: timing_pb2.STAGE_OUTCOME_NOT_STARTED,
    Outcome.CANCELLED: timing_pb2.STAGE_OUTCOME_CANCELLED,
    Outcome.FAILED: timing_pb2.STAGE_OUTCOME_FAILED,
}


def timings_to_proto(timings: Iterable[StageTiming]) -> list[timing_pb2.StageTiming]:
    return [
        timing_pb2.StageTiming(
            stage=timing.stage,
            allowed_ms=timing.allowed_ms,
            used_ms=timing.used_ms,
            outcome=_OUTCOMES[timing.outcome],
        )
        for timing in timings
    ]
