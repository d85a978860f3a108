"""How a refusal is worded in a language."""

from msgspec import Struct


class Refusals(Struct, frozen=True, forbid_unknown_fields=True):
    """What a reader of this language is told instead of an answer; "" leaves it to the profile.

    `{related}` are the nearest sections.
    """

    nothing_found: str = ""
    not_covered: str = ""
    declined: str = ""
    not_verified: str = ""
    part_nothing_found: str = ""
    part_not_covered: str = ""
    """In the place of the others where the reader chose a part of the book: no more was searched."""

    mark_not_covered: str = ""
    """In the place of the others where the reader marked a text: that alone was judged."""

    not_named: str = ""
    """Adds what the question names and no passage does, `{names}`."""

    no_part: str = ""
    """Adds that a part is not there, its `{kind}` and `{number}`, and the `{last}` of the kind."""

    other_value: str = ""
    """Stands alone: a value that is taken for granted, `{value}`, and what the book says, `{quote}`."""

    denied: str = ""
    """Stands alone: the words of the book, `{quote}`, that deny what a question takes for granted."""

    not_said: str = ""
    """Adds that no sentence has the words of what a question states before it asks, `{claim}`."""

    only_authors: str = ""
    """Adds whom the book's metadata name as its authors, `{names}`, where no page does."""

    empty_cell: str = ""
    """Adds that a table has nothing where the question asks, and its row, `{row}`."""

    unsaid: str = ""
    """Stands below an answer whose passages do not say `{name}` of it, which the question does."""

    no_pages: str = ""
    """Adds why a page that the question names is not to be found."""

    only_page: str = ""
    """Adds that other pages were not searched than the one that the question names, `{page}`."""

    nearest: str = ""
    """Stands over what is nearest to a question that is refused, in the book or the part chosen."""

    low_confidence: str = ""
    """Beside an answer that may be none."""

    no_question: str = ""
    """To who says something and asks nothing."""

    other_language: str = ""
    """Says that the book is in another language than the question, `{language}`."""

    languages: dict[str, str] = {}
    """What languages are called, by their ISO 639-1 codes: all that texts are found to be in."""
