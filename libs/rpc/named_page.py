"""Carry how a page is named, by a number or by what its source calls it, over the wire."""

_MOST_DIGITS = 9
"""Of the number of a page in a contract."""


def page_number(page: str) -> int:
    """Return the number that names a page; 0 for a label."""
    return int(page) if page.isdecimal() and len(page) <= _MOST_DIGITS else 0


def page_label(page: str) -> str:
    """Return the label that names a page; "" for a number."""
    return "" if page_number(page) else page


def named_page(number: int, label: str) -> str:
    """Return how a page is named by the two fields of a contract; "" for none."""
    return label or (str(number) if number else "")
