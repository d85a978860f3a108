"""The parts of a book that a question names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PartsAsked:
    """What a question asks of each of several parts, and of each the ids of the chunks found in it."""

    question: str
    chunk_ids: tuple[frozenset[str], ...]


@dataclass(frozen=True)
class MissingPart:
    """What the question calls a part that is not there, its number, and the last of its kind."""

    kind: str
    number: int
    last: int
