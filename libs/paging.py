"""Pages of lists: a cursor names the entry that the next page begins behind."""

import base64
import json
from typing import TypeVar

from libs.errors import InvalidInput
from libs.storable import is_storable

Row = TypeVar("Row")

MOST_OF_PAGE = 1000
UNKNOWN_CURSOR = "This cursor was not given for this list. Begin with the first page, without one."


def write_cursor(of: str, *key: str | int) -> str:
    """Name an entry of the list `of`, by what it is sorted by."""
    text = json.dumps([of, *key], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str, of: str, *kinds: type[str] | type[int]) -> list[str | int]:
    """Return the key that a cursor of the list `of` names.

    Raises InvalidInput for one of another list, and for what is no cursor. Numbers are those of a
    32-bit column, and strings what PostgreSQL can hold.
    """
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True).decode()
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(UNKNOWN_CURSOR) from error
    if not isinstance(found, list) or found[:1] != [of] or len(found) != len(kinds) + 1:
        raise InvalidInput(UNKNOWN_CURSOR)
    key = found[1:]
    if not all(type(part) is kind and _fits(part) for part, kind in zip(key, kinds, strict=True)):
        raise InvalidInput(UNKNOWN_CURSOR)
    return key


def read_page_size(size: int) -> int | None:
    """Return the most entries of a page, None for all of them. Raises InvalidInput."""
    if not 0 <= size <= MOST_OF_PAGE:
        raise InvalidInput(f"A page has 1 to {MOST_OF_PAGE} entries.")
    return size or None


def one_more(most: int | None) -> int | None:
    """Return how many entries show whether there is a next page."""
    return most and most + 1


def cut(rows: list[Row], most: int | None) -> tuple[list[Row], Row | None]:
    """Return the page, and its last entry unless the list ends there, of rows with one entry more."""
    if most is None or len(rows) <= most:
        return rows, None
    return rows[:most], rows[most - 1]


def _fits(part: str | int) -> bool:
    if isinstance(part, int):
        return 0 <= part < 2**31
    return is_storable(part)
