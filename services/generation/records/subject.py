"""Whose rows an export or an erasure covers: those of a session, a user, a client or a book."""

from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

COLUMNS = {"session": "session_id", "user": "user_id", "client": "client_id", "book": "book"}


@dataclass(frozen=True)
class Subject:
    """Rows for which all that is given holds; ids of users are those of one client."""

    session: UUID | None = None
    user: str = ""
    client: str = ""
    book: str = ""

    @property
    def given(self) -> dict[str, Any]:
        """What is given, by the column that has it."""
        return {
            COLUMNS[item.name]: getattr(self, item.name)
            for item in fields(self)
            if getattr(self, item.name)
        }

    @property
    def scope(self) -> str:
        """By what the rows are chosen, without saying by which."""
        return " and ".join(name for name, column in COLUMNS.items() if column in self.given)

    def only(self, *columns: str) -> bool:
        """Whether nothing is given but what a table with these columns has."""
        return self.given.keys() <= set(columns)
