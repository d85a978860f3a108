"""A conversation that the service keeps."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from services.generation.model import Message, Role

EXCHANGES = 5
"""So many of the last exchanges go before a question."""


@dataclass(frozen=True)
class SessionMessage:
    """One message; of an answer with its id and the chunks that it cites."""

    message: Message
    create_time: datetime
    answer_id: str = ""
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Session:
    """What a client and a book have said to each other, oldest first; times are the store's."""

    session_id: UUID
    book: str
    messages: tuple[SessionMessage, ...]
    create_time: datetime
    expire_time: datetime

    @property
    def history(self) -> tuple[Message, ...]:
        """The last exchanges, each of a question and its answer, without those of marks alone."""
        said = [item.message for item in self.messages]
        pairs = [
            (asked, answered)
            for asked, answered in pairwise(said)
            if (asked.role, answered.role) == (Role.USER, Role.ASSISTANT) and asked.content
        ]
        return tuple(message for pair in pairs[-EXCHANGES:] for message in pair)
