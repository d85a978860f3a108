"""What retrieval needs of the outside world, beside an embedder."""

from collections.abc import Sequence
from typing import Protocol

from libs.vectors.qdrant import models
from libs.vectors.schema import Scope
from services.retrieval.model import Candidate, Chunk, Heading, QuestionVectors, Range
from services.retrieval.vocabulary import Vocabulary


class PassageIndex(Protocol):
    """The chunks of all books. Every call ends after `timeout_s` seconds at the latest.

    All raise WrongIndex when nothing was ever indexed with the embedding model in use, Unavailable
    and DeadlineExceeded when the store does not answer, QuothError when a chunk in it is damaged.
    """

    async def search(
        self, scope: Scope, asked: Sequence[QuestionVectors], *, limit: int, timeout_s: float
    ) -> list[list[Candidate]]:
        """Return for each question the union of the `limit` best by each of its vectors.

        They have exact scores by both. Their chunks may not be whole.
        """
        ...

    async def find_places(
        self, scope: Scope, terms: models.SparseVector, *, limit: int, timeout_s: float
    ) -> list[Range]:
        """Return the ranges of the `limit` chunks of one document that share most with the terms.

        The best comes first; a chunk that shares none is not among them.
        """
        ...

    async def read(self, candidates: Sequence[Candidate], *, timeout_s: float) -> dict[str, Chunk]:
        """Return the whole chunks of candidates, by their ids, without those that went away."""
        ...

    async def read_chunks(
        self, scope: Scope, *, most: int | None = None, timeout_s: float
    ) -> list[Chunk]:
        """Return every chunk of `scope` in reading order; or any `most` of them, if it has more."""
        ...

    async def holds(self, book: str, edition: int, *, timeout_s: float) -> bool:
        """Say whether this edition was indexed with this index's model. Never raises WrongIndex."""
        ...

    async def languages(self, book: str, edition: int, *, timeout_s: float) -> Sequence[str]:
        """Return the ISO 639-1 codes of the book's languages, that of most chunks first.

        They are a few at most; English where the index does not say.
        """
        ...

    async def outline(self, book: str, edition: int, *, timeout_s: float) -> Sequence[Heading]:
        """Return the headings of the book in reading order; none of one with too many chunks."""
        ...

    async def vocabulary(self, book: str, edition: int, *, timeout_s: float) -> Vocabulary:
        """Return the words of the book; none of one with too many chunks."""
        ...

    async def count(self, scope: Scope, *, timeout_s: float) -> int:
        """Return the number of chunks in `scope`."""
        ...


class QuestionEncoder(Protocol):
    """Turns a question into its BM25 vector."""

    def encode_question(self, text: str) -> models.SparseVector: ...


class Reranker(Protocol):
    """A model that reads a question and a passage together."""

    async def rate(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers the question; only their order means something.

        It is cancelled when its time is up. Raises Unavailable when the model does not answer, or
        not with a finite number for each text.
        """
        ...
