"""Count and name what a parser leaves out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from services.ingest.model.book import DroppedContent

CONTENTS = DroppedContent("table of contents", "", "the headings stand in the text")
INDEX = DroppedContent("index", "", "it only names pages")
NO_DESCRIPTION = DroppedContent("picture", "", "it has no description")
DESCRIBED = DroppedContent("picture", "", "only its description is text", dropped=False)
FORMULA = DroppedContent(
    "formula",
    "",
    "its signs stand one after the other, without fractions, roots and limits",
    dropped=False,
)
REWRITTEN = replace(FORMULA, reason="it is written in one line, with ^, _, / and √")
UNSAFE_LINK = DroppedContent(
    "link", "", "it leads into the reader's own machine, or would run something", dropped=False
)


def picture(description: str, address: str, place: str) -> DroppedContent:
    """Return what is left of a picture while it is not known whether readers get its file."""
    kind = DESCRIBED if description.strip() else NO_DESCRIPTION
    return replace(kind, place=place, address=address)


def visible(text: str) -> int:
    """Return the number of characters that are not space."""
    return sum(map(len, text.split()))


def visible_in(texts: Iterable[str]) -> int:
    """Return the number of characters of all texts that are not space."""
    return sum(map(visible, texts))


def name_pages(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words, such as "page 3" or "pages 1, 4-6"."""
    return name_places("page", numbers)


def name_lines(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words, such as "line 3" or "lines 1, 4-6"."""
    return name_places("line", numbers)


def name_places(noun: str, numbers: Sequence[int]) -> str:
    """Return ascending numbers of what `noun` says in words, such as "comments 1-3"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = ", ".join("-".join(map(str, run)) for run in runs)
    return f"{noun}s {shown}" if len(numbers) > 1 else f"{noun} {shown}"
