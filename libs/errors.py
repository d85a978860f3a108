"""Every failure the product knows, by kind.

    QuothError
    ├── InvalidInput      the request breaks a rule            INVALID_ARGUMENT
    ├── TooLarge          the request is over a size limit     RESOURCE_EXHAUSTED
    ├── NotFound          no such book, document, job …        NOT_FOUND
    ├── Conflict          something else is in the way         ALREADY_EXISTS
    ├── WrongIndex        index and model do not belong        FAILED_PRECONDITION
    ├── Overloaded        no room for the request now          RESOURCE_EXHAUSTED
    ├── Unavailable       a part that is needed is down        UNAVAILABLE
    │   ├── ModelUnavailable   the language model is           UNAVAILABLE
    │   ├── ModelBusy          it takes no more requests now   UNAVAILABLE
    │   └── NoRoom             a disk has no room for it       RESOURCE_EXHAUSTED
    └── DeadlineExceeded  the time is up                       DEADLINE_EXCEEDED

A message is written for the person who made the request: what was wrong and what to do. It never
holds a path of the machine, a key, an address or a provider's text.
"""

from typing import ClassVar


class QuothError(Exception):
    """Root of all failures; `kind` is the machine-readable name that travels with it."""

    kind: ClassVar[str] = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidInput(QuothError):
    kind = "invalid_input"


class TooLarge(QuothError):
    kind = "too_large"


class NotFound(QuothError):
    kind = "not_found"


class Conflict(QuothError):
    kind = "conflict"


class WrongIndex(QuothError):
    kind = "wrong_index"


class Overloaded(QuothError):
    kind = "overloaded"


class Unavailable(QuothError):
    """A part is down; `retry_after_s` is when it may be back, None when nobody knows."""

    kind = "unavailable"

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelUnavailable(Unavailable):
    kind = "model_unavailable"


class ModelBusy(Unavailable):
    """The language model's provider limits how often it is asked, or is overloaded."""

    kind = "model_busy"


class NoRoom(Unavailable):
    """A disk has no room for what is to be written; what is there can still be read."""

    kind = "no_room"


class DeadlineExceeded(QuothError):
    """The time is up; `stage` names the stage that ran out, such as "generation.complete"."""

    kind = "deadline_exceeded"

    def __init__(self, message: str, stage: str = "") -> None:
        super().__init__(message)
        self.stage = stage


def _tree(root: type[QuothError]) -> list[type[QuothError]]:
    return [root, *(leaf for child in root.__subclasses__() for leaf in _tree(child))]


BY_KIND: dict[str, type[QuothError]] = {error.kind: error for error in _tree(QuothError)}
