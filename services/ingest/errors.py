"""What can happen to a job beside the errors a client sees."""


class LeaseLost(Exception):
    """Somebody else may be working on the job: stop, and write nothing more."""


class IndexDiffers(Exception):
    """The vector store does not hold what is about to be published."""
