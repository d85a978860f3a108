"""What a reader sees of the places of an answer: with each what it does not say the truth without."""

from collections.abc import Mapping

from services.generation.checks.context import Surroundings
from services.generation.extractive.places import Place
from services.generation.model import BlockKind, Passage


class Shown:
    """Counts what places add to an answer; `passages` are by their numbers as sources."""

    def __init__(self, passages: Mapping[int, Passage], language: str) -> None:
        self._passages = passages
        self._language = language
        self._around: dict[int, Surroundings] = {}
        self._spans: set[tuple[str, int, int]] = set()

    def count_more(self, place: Place) -> int:
        """Return how many characters are to be read for the place that are not shown yet."""
        more = self._list_spans(place) - self._spans
        return sum(end - start for _, start, end in more)

    def holds(self, place: Place, other: Place) -> bool:
        """Whether all that is read for the other place is read for this one too."""
        return self._list_spans(other) <= self._list_spans(place)

    def add(self, place: Place) -> None:
        self._spans |= self._list_spans(place)

    def _list_spans(self, place: Place) -> set[tuple[str, int, int]]:
        passage, number = self._passages[place.source], place.source
        if number not in self._around:
            self._around[number] = Surroundings(passage, self._language)
        own = [
            span
            for span in passage.spans
            if span.start < place.span.end
            and place.span.start < span.end
            and span.kind is not BlockKind.HEADING
        ]
        return {
            (place.document, one.start, one.end)
            for span in own
            for one in self._around[number].around(span, own)
        }
