"""What can happen to a job beside the errors a client sees."""

from libs.errors import InvalidInput


class LeaseLost(Exception):
    """Somebody else may be working on the job: stop, and write nothing more."""


class IndexDiffers(Exception):
    """The vector store does not hold what is about to be published."""


class ParserStopped(InvalidInput):
    """A document's parser crashed or took too long: perhaps not the next time."""
