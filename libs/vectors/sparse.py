"""Text in, BM25 sparse vector out; the terms and weights a Qdrant server would make itself."""

from qdrant_client import models
from qdrant_edge import Bm25, Bm25Config

from libs.vectors.schema import BM25_AVERAGE_LENGTH

_LANGUAGES = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


class SparseEncoder:
    """Encodes documents and questions of one language (ISO 639-1; unknown ones are not stemmed)."""

    def __init__(self, language: str = "en") -> None:
        self._bm25 = Bm25(
            Bm25Config(language=_LANGUAGES.get(language, "none"), avg_len=BM25_AVERAGE_LENGTH)
        )

    def encode_document(self, text: str) -> models.SparseVector:
        return _to_model(self._bm25.embed_document(text))

    def encode_question(self, text: str) -> models.SparseVector:
        return _to_model(self._bm25.embed_query(text))


def _to_model(vector: object) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))  # type: ignore[attr-defined]
