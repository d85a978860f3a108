"""How prices are asked for and told in a language."""

from msgspec import Struct

from libs.language.entries import NO_WORDS, OFF, Pattern, Words


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns that indicate a question for a price, and a price."""

    asked: Pattern = OFF
    other_cost_asked: Pattern = OFF
    """What else a thing may cost."""

    amount: Pattern = OFF
    """Says a price, or that there is none; but not `$1` of a script, or `$12 / x$` of a formula."""

    other_cost: Pattern = OFF
    """Speaks of what a program costs, which is no money."""

    currencies: dict[str, Words] = {}
    """Signs, codes and names of each money, before or behind an amount: "Rs. 40", "40 rupees"."""

    scales: dict[str, float] = {}
    """Words that multiply an amount: "3 millones de euros"."""

    words: Words = NO_WORDS
    """What says of a thing no more than that it has a price: "costs", "fee"."""
