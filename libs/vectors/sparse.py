"""Make BM25 sparse vectors with the terms and weights that a Qdrant server would give.

What Qdrant's tokenizers and stemmers do not know of a language is done to its text before.
"""

import re
from collections.abc import Callable, Sequence, Set
from functools import cache, lru_cache
from typing import Any

import snowballstemmer
from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, StopwordsSet, TokenizerType

from libs.language.endings import bare_word
from libs.language.lexicon import load_lexicon
from libs.text import literals, plain_letters
from libs.vectors.qdrant import models
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


_SEGMENTED = {"th", "zh"}
"""Languages without spaces between words that are segmented by dictionary: on XQuAD in Thai that finds
more than character bigrams (nDCG@10 .956 against .913), in Chinese as much (.961, .960). That of
Japanese cuts a word alone otherwise than in a sentence; the others have none.
"""

_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
"""Runs of Thai, Lao, Burmese, Khmer, Japanese and Chinese."""

_STEMMED_BEFORE = {
    "ca": "catalan",
    "cs": "czech",
    "el": "greek",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "ga": "irish",
    "hi": "hindi",
    "hy": "armenian",
    "id": "indonesian",
    "lt": "lithuanian",
    "ne": "nepali",
    "pl": "polish",
    "sr": "serbian",
    "ta": "tamil",
}
"""Languages whose stemmer Qdrant has not."""

_STEMMABLE = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0d7f])+")
"""Words with the vowel signs of Indian scripts, which are no letters to `re`."""


_WORD = re.compile(r"[^\W\d_]+")


class SparseEncoder:
    """Encodes documents and questions of one language, an ISO 639-1 code ("en" of "en-GB").

    Languages without a stemmer keep their words as they are. Text without spaces between words is
    cut, whatever the language of what stands around it.
    """

    def __init__(self, language: str = "en") -> None:
        code = language.lower().partition("-")[0]
        self._bm25 = Bm25(_config(code))
        self._prepare = _preparation(code)

    def encode_document(self, text: str, whole: str = "") -> models.SparseVector:
        """Return the terms of a text with their weights.

        `whole` is the text with what does not count for its length: further terms that it has are
        added, with the weight that they have in it.
        """
        vector = self._encode(text)
        if whole and whole != text:
            known = set(vector.indices)
            further = self._encode(whole)
            for index, value in zip(further.indices, further.values, strict=True):
                if index not in known:
                    vector.indices.append(index)
                    vector.values.append(value)
        return vector

    def _encode(self, text: str) -> models.SparseVector:
        return _to_model(self._bm25.embed_document(self._ready(text)))

    def encode_question(self, text: str, *, without: Set[str] = frozenset()) -> models.SparseVector:
        """Return the terms of a question but for the words `without`, whatever options they spell."""
        asked = _WORD.sub(lambda word: " " if word[0].lower() in without else word[0], text)
        return _to_model(self._bm25.embed_query(self._ready(asked, text)))

    def _ready(self, text: str, spelled: str = "") -> str:
        return _with_literals(self._prepare(plain_letters(text)), spelled or text)


class MixedEncoder:
    """Encodes questions to a book in several languages, whose texts have terms of their own each.

    A function word of the question's language is a rare word of the others, which its few places there
    would be found by: the "est" of a French question in an English paragraph that quotes French.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        self._encoders = [sparse_encoder(language) for language in languages]
        self._function_words = [load_lexicon(language).stop_words for language in languages]

    def encode_question(self, text: str) -> models.SparseVector:
        said = {word.lower() for word in _WORD.findall(text)}
        own = max(self._function_words, key=lambda known: len(said & known))
        weights: dict[int, float] = {}
        for encoder, known in zip(self._encoders, self._function_words, strict=True):
            found = encoder.encode_question(text, without=frozenset() if known is own else own)
            for index, value in zip(found.indices, found.values, strict=True):
                weights[index] = max(value, weights.get(index, 0.0))
        return models.SparseVector(indices=list(weights), values=list(weights.values()))


def _config(language: str) -> Bm25Config:
    if language in _LANGUAGES:
        return Bm25Config(language=_LANGUAGES[language], avg_len=BM25_AVERAGE_LENGTH)
    return Bm25Config(
        tokenizer=TokenizerType.Multilingual if language in _SEGMENTED else TokenizerType.Word,
        stemmer=DisabledStemmer(),
        # Without both of these, those of English would be in force.
        stopwords=StopwordsSet(languages=set(), custom=set()),
        avg_len=BM25_AVERAGE_LENGTH,
    )


def _preparation(language: str) -> Callable[[str], str]:
    """Return what is done to a text of the language before Qdrant's own tokenizer."""
    if language in _SEGMENTED:
        return str
    if language in _STEMMED_BEFORE:
        stemmer = _stemmer(_STEMMED_BEFORE[language])
        return lambda text: _STEMMABLE.sub(
            lambda word: stemmer.stemWord(word[0].lower()), _split_bigrams(text)
        )
    endings = load_lexicon(language).endings
    if endings.particles:
        return lambda text: _STEMMABLE.sub(
            lambda word: bare_word(word[0], endings), _split_bigrams(text)
        )
    return _split_bigrams


def _with_literals(prepared: str, text: str) -> str:
    """Add to the words of `text` what tokenizers drop of it: "-e" and "-E" are "e" to them.

    Each is spelled in digits, which no stemmer changes: a nought, and three or more a character.
    """
    found = literals(text)
    if not found:
        return prepared
    spelled = ("0" + "".join(f"{ord(character):03}" for character in name) for name in found)
    return f"{prepared} {' '.join(spelled)}"


def _split_bigrams(text: str) -> str:
    """Replace each run without spaces by its character bigrams."""
    return text if text.isascii() else _UNSPACED.sub(_bigrams, text)


def _bigrams(run: re.Match[str]) -> str:
    characters = run[0]
    bigrams = [characters[at : at + 2] for at in range(max(1, len(characters) - 1))]
    return f" {' '.join(bigrams)} "


@cache
def _stemmer(name: str) -> Any:
    return snowballstemmer.stemmer(name)


def stem_in(language: str, word: str) -> str:
    """Return the stem of a lower-case word by the stemmer of a language; "" where it has none."""
    code = language.lower().partition("-")[0]
    name = _LANGUAGES.get(code) or _STEMMED_BEFORE.get(code)
    return str(_stemmer(name).stemWord(word)) if name else ""


@lru_cache(maxsize=64)
def sparse_encoder(language: str) -> SparseEncoder:
    """Return the encoder of a language, made once."""
    return SparseEncoder(language)


def question_encoder(languages: Sequence[str]) -> SparseEncoder | MixedEncoder:
    """Return what encodes questions to a book in these languages."""
    return sparse_encoder(languages[0]) if len(languages) == 1 else MixedEncoder(languages)


def _to_model(vector: object) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))  # type: ignore[attr-defined]
