"""Tell whether renditions of a document are one text: by runs of letters of the one in the other."""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from services.ingest.parsers.formats import Format

_RUN = 40
"""Letters of a run: long enough to stand nowhere by chance, short enough for a line in print."""
_MOST_RUNS = 60
_LEAST_RUNS = 12
_SAME = 0.7
_OTHER = 0.2
"""Of the runs: from the one on it is the same text, below the other it is another."""
_TAGGED = (Format.HTML, Format.DOCBOOK, Format.MALLARD)
_TAG = re.compile(r"<[^<>]{0,4000}>")
_NO_LETTER = re.compile(r"[\W_]+")


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, without case and ligatures."""
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())


def letters_in(format_: Format, source: str) -> str:
    """Return the letters of what a source in a format of text shows."""
    if format_ in _TAGGED:
        return letters_of(html.unescape(_TAG.sub("", source)))
    return letters_of(source)


def lines_in(format_: Format, source: str) -> list[str]:
    """Return pieces of a source in a format of text that have no markup inside."""
    if format_ in _TAGGED:
        return html.unescape(_TAG.sub("\n", source)).splitlines()
    return source.splitlines()


def runs_of(lines: Iterable[str]) -> list[str]:
    """Return runs of letters from all over a text, to be looked for in another."""
    runs = list(dict.fromkeys(_runs(lines)))
    step = max(1, len(runs) // _MOST_RUNS)
    return runs[::step][:_MOST_RUNS]


def _runs(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        letters = letters_of(line)
        if len(letters) >= _RUN:
            yield letters[:_RUN]


class Search:
    """Looks for runs in a text that is given document by document."""

    def __init__(self, runs: Sequence[str]) -> None:
        self._count = len(runs)
        self._left = list(runs)

    def look_in(self, letters: str) -> None:
        self._left = [run for run in self._left if run not in letters]

    @property
    def is_short(self) -> bool:
        """Whether the text that the runs are of is too short to tell."""
        return self._count < _LEAST_RUNS

    @property
    def verdict(self) -> bool | None:
        """Whether they are of the same text; None where they do not tell."""
        if self.is_short:
            return None
        share = 1 - len(self._left) / self._count
        return True if share >= _SAME else False if share < _OTHER else None
