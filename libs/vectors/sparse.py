"""Text in, BM25 sparse vector out; the terms and weights a Qdrant server would make itself."""

from functools import lru_cache

from qdrant_client import models
from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, StopwordsSet, TokenizerType

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


_UNSPACED = {"ja", "km", "lo", "my", "th", "zh"}
"""Languages that put no spaces between words: their texts are segmented by dictionary."""


class SparseEncoder:
    """Encodes documents and questions of one language, an ISO 639-1 code ("en" of "en-GB").

    Languages without a stemmer keep their words as they are.
    """

    def __init__(self, language: str = "en") -> None:
        self._bm25 = Bm25(_config(language.lower().partition("-")[0]))

    def encode_document(self, text: str) -> models.SparseVector:
        return _to_model(self._bm25.embed_document(text))

    def encode_question(self, text: str) -> models.SparseVector:
        return _to_model(self._bm25.embed_query(text))


def _config(language: str) -> Bm25Config:
    if language in _LANGUAGES:
        return Bm25Config(language=_LANGUAGES[language], avg_len=BM25_AVERAGE_LENGTH)
    unspaced = language in _UNSPACED
    return Bm25Config(
        tokenizer=TokenizerType.Multilingual if unspaced else TokenizerType.Word,
        stemmer=DisabledStemmer(),
        # Without both of these, those of English would be in force.
        stopwords=StopwordsSet(languages=set(), custom=set()),
        avg_len=BM25_AVERAGE_LENGTH,
    )


@lru_cache(maxsize=64)
def sparse_encoder(language: str) -> SparseEncoder:
    """Return the encoder of a language, made once."""
    return SparseEncoder(language)


def _to_model(vector: object) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))  # type: ignore[attr-defined]
