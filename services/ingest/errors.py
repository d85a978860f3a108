"""What can go wrong with a job, beside the errors that clients see."""

from collections.abc import Sequence

from libs.errors import InvalidInput

_MOST_NAMED = 10


class LeaseLost(Exception):
    """Somebody else may be working on the job: stop, and write nothing more."""


class IndexDiffers(Exception):
    """The vector store does not hold what is about to be published."""


class ParserStopped(InvalidInput):
    """A document's parser crashed: perhaps not the next time."""


class ParserTooSlow(InvalidInput):
    """A document's parser computed too long, as it will the next time: one attempt is enough."""


def name_failures(reasons: Sequence[str]) -> str:
    """Say in one message why documents can't be read; each reason names its own."""
    if len(reasons) == 1:
        return reasons[0]
    more = len(reasons) - _MOST_NAMED
    rest = [f"and {more} more."] if more > 0 else []
    return " ".join([f"{len(reasons)} documents can't be read:", *reasons[:_MOST_NAMED], *rest])
