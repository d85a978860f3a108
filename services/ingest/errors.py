"""What can go wrong with a job, beside the errors that clients see."""

from collections.abc import Sequence

from libs.errors import InvalidInput

_MOST_NAMED = 10
_TO_LEAVE_OUT = (
    "With allow_partial (--allow-partial) the rest is published, and the report names what is not."
)


class LeaseLost(Exception):
    """Somebody else may be working on the job: stop, and write nothing more."""


class IndexDiffers(Exception):
    """The vector store does not hold what is about to be published."""


class ParserStopped(InvalidInput):
    """A document's parser crashed: perhaps not the next time."""


class ParserTooSlow(InvalidInput):
    """A document's parser computed too long, as it will the next time: one attempt is enough."""


def name_failures(reasons: Sequence[str], *, has_rest: bool) -> str:
    """Say in one message why documents can't be read; each reason names its own.

    Where the source holds others too it says how these are published alone.
    """
    advice = [_TO_LEAVE_OUT] if has_rest else []
    if len(reasons) == 1:
        return " ".join([*reasons, *advice])
    more = len(reasons) - _MOST_NAMED
    rest = [f"and {more} more."] if more > 0 else []
    named = [f"{len(reasons)} documents can't be read:", *reasons[:_MOST_NAMED]]
    return " ".join([*named, *rest, *advice])
