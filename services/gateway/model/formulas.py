"""What the gateway is asked of formulas; the struct is the JSON."""

from typing import Annotated

from msgspec import Meta, Struct


class Formula(Struct, frozen=True, forbid_unknown_fields=True):
    """A formula as a book writes it, without its dollars; `display` is one on a line of its own."""

    tex: Annotated[str, Meta(min_length=1, max_length=4000)]
    display: bool = False
