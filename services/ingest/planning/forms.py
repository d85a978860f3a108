"""Find documents that a source holds in several formats: a manual as EPUB, PDF and text."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from services.ingest.parsers.book_file import NAME
from services.ingest.parsers.formats import Format, format_of

_BEST_FIRST = (
    *(Format.EPUB, Format.HTML, Format.DOCX, Format.MARKDOWN, Format.RST, Format.ASCIIDOC),
    *(Format.PLAIN, Format.PDF),
)
"""By how much of the structure and the links of a document is told, not guessed."""
_NAMED = 5


def omit_forms(kept: Sequence[str], ordered: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the documents, each in one format, and warnings that name the others.

    Documents of one folder and one name are the same where one of them is a PDF, an EPUB or a DOCX:
    pages that are written by hand may share a name. What the book itself has `ordered` stays.
    """
    alike: dict[str, list[str]] = {}
    for path in kept:
        alike.setdefault(_name(path), []).append(path)
    others: dict[str, str] = {}
    for same in alike.values():
        if len(same) > 1 and any(format_of(path).is_binary for path in same):
            others |= dict(_others(same, ordered))
    return [path for path in kept if path not in others], list(_name_others(others))


def _name(path: str) -> str:
    lower = path.lower()
    ending = max((one for one in format_of(path).endings if lower.endswith(one)), key=len)
    return lower.removesuffix(ending)


def _others(same: Sequence[str], ordered: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the documents that there are in a better format, and that one."""
    best, *rest = sorted(
        same, key=lambda path: (path not in ordered, _BEST_FIRST.index(format_of(path)))
    )
    for path in rest:
        if path not in ordered and format_of(path) is not format_of(best):
            yield path, best


def _name_others(others: Mapping[str, str]) -> Iterator[str]:
    if others:
        pairs = [f'"{path}" of "{best}"' for path, best in list(others.items())[:_NAMED]]
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        noun = "document was" if len(others) == 1 else "documents were"
        yield (
            f"{len(others)} {noun} left out as other formats of the same: "
            f'{", ".join(pairs)}{more}. "order" in {NAME} says which to take.'
        )
