"""Find the language that a text is written in: by its script, by English's own words, by a model.

The model is py3langid's, from its package: no download.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from libs.language.lexicon import load_lexicon
from libs.language.scripts import main_script, scripts_of

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE = 8000
"""Characters that are looked at; more of them decide nothing else."""
_LEAST_LETTERS = 30
"""Fewer say too little: a name or a title is alike in many languages."""
_LEAST_SURE = 0.5

_LEAST_OF_PASSAGE = 200
_SURELY = 0.9
"""Of a passage: a list of names or commands in a document is in no other language."""

_LEAST_OF_SENTENCES = 80
_BEYOND_DOUBT = 0.999
"""Of a document that is shorter than a passage."""

_LEAST_OF_BLOCK = 40
"""Letters by which two languages are told apart of which the text is one, or a script is."""

_SCRIPTS: dict[str, str] = {
    "ja": r"\u3040-\u30ff\uff66-\uff9d",
    "zh": r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "ko": r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "th": r"\u0e01-\u0e5b",
    "lo": r"\u0e81-\u0edf",
    "km": r"\u1780-\u17ff",
    "my": r"\u1000-\u109f",
    "he": r"\u0590-\u05ff",
    "el": r"\u0370-\u03ff",
    "hy": r"\u0530-\u058f",
    "ka": r"\u10a0-\u10ff",
}
"""Scripts that one language uses, or nearly; the texts of the others go to the model."""
_OF_SCRIPT = {language: re.compile(rf"[{characters}]") for language, characters in _SCRIPTS.items()}
_LETTER = re.compile(r"[^\W\d_]")
_SYLLABIC = ("ja", "zh", "ko")
_SYLLABLE = re.compile(f"[{''.join(_SCRIPTS[name] for name in _SYLLABIC)}]")
_LETTERS_OF_A_SYLLABLE = 3
"""A character of these stands for as much as so many letters of an alphabet."""
_KANA_OF_JAPANESE = 0.05
"""The part of kana among the Chinese characters and kana of a text, from which it is Japanese."""

_WORD = re.compile(r"[^\W\d_]+")
_OF_NO_LANGUAGE = re.compile(r"[a-z]+://\S+|[\d_]+")
"""Addresses and figures."""
_ENGLISH_SHARE = 0.09
"""Prose of English has twice that of these words, other languages next to nothing."""
_NO_ENGLISH_SHARE = 0.03


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of a text's language; "" where the text does not tell."""
    text = text[:_SAMPLE]
    letters = len(_LETTER.findall(text))
    if letters == 0:
        return ""
    return _by_script(text, letters) or ("" if letters < _LEAST_LETTERS else _by_words(text))


def tells_language(text: str) -> bool:
    """Return whether a text surely says which language it is in: it is long, or of a telling script.

    A sentence or two do where nothing else comes near: a model is sure of too much that is shorter.
    """
    text = text[:_SAMPLE]
    letters = count_letters(text)
    if letters >= _LEAST_OF_PASSAGE or letters < _LEAST_LETTERS:
        return letters >= _LEAST_OF_PASSAGE
    if detect_script(text) or _english_share(text) >= 2 * _ENGLISH_SHARE:
        return True
    return letters >= _LEAST_OF_SENTENCES and _classified(text)[1] >= _BEYOND_DOUBT


def detect_other(text: str, language: str) -> str:
    """Return the language of a passage, where it is surely another than its document's; else ""."""
    text = text[:_SAMPLE]
    own = main_script(text) in scripts_of(language)
    if count_letters(text) < (_LEAST_OF_PASSAGE if own else _LEAST_OF_BLOCK):
        return ""
    return _surely_other(text, language)


def detect_throughout(text: str, language: str) -> str:
    """Return what `detect_other` does where both halves of the passage tell it as well; else ""."""
    text = text[:_SAMPLE]
    found = detect_other(text, language)
    half = len(text) // 2
    same = found and all(
        _surely_other(part, language) == found for part in (text[:half], text[half:])
    )
    return found if same else ""


def _surely_other(text: str, language: str) -> str:
    found = detect_script(text)
    if not found:
        share = _english_share(text)
        if share >= _ENGLISH_SHARE:
            found = "en"
        elif language != "en" or share < _NO_ENGLISH_SHARE:
            named, sure = _classified(text)
            found = named if sure >= _SURELY else ""
    return "" if found == language else found


def seems_other(text: str, language: str) -> bool | None:
    """Return whether a block seems to be in another language of the same script; None if it is short.

    A guess, by which blocks are put together that `detect_other` then looks at: of an English document
    all that has none of English's own words seems to be.
    """
    text = text[:_SAMPLE]
    if count_letters(text) < _LEAST_LETTERS:
        return None
    if language != "en":
        found = detect_language(text)
        return found != language if found else None
    share = _english_share(text)
    return None if _NO_ENGLISH_SHARE <= share < _ENGLISH_SHARE else share < _NO_ENGLISH_SHARE


def tell_apart(text: str, languages: Sequence[str]) -> str:
    """Return which of the languages a text is surely in; "" where it is short or does not tell.

    `languages` are at least two; a text in none of them is mostly taken for the nearest.
    """
    text = text[:_SAMPLE]
    found = detect_script(text)
    if found:
        return found if found in languages else ""
    if count_letters(text) < _LEAST_OF_BLOCK:
        return ""
    if "en" in languages and _english_share(text) >= _ENGLISH_SHARE:
        return "en"
    ranked = dict(_model().rank(_OF_NO_LANGUAGE.sub(" ", text)))
    sure = {language: ranked.get(language, 0.0) for language in languages}
    best = max(sure, key=lambda language: sure[language])
    return best if sure[best] > _SURELY * sum(sure.values()) else ""


def count_letters(text: str) -> int:
    """Return the letters of a text, a character of Chinese, Japanese or Korean as several."""
    syllabic = len(_SYLLABLE.findall(text))
    return len(_LETTER.findall(text)) + (_LETTERS_OF_A_SYLLABLE - 1) * syllabic


def detect_script(text: str) -> str:
    """Return the language of the one script that most of a text is in; "" for scripts of several."""
    return _by_script(text, len(_LETTER.findall(text)))


def _by_script(text: str, letters: int) -> str:
    """Return the language of the one script that most of the text is in; "" for the others."""
    found = Counter({name: len(script.findall(text)) for name, script in _OF_SCRIPT.items()})
    rest = letters - sum(found.values())
    han = found["zh"] + found["ja"]
    if found["ja"] >= _KANA_OF_JAPANESE * han:
        found["ja"], found["zh"] = han, 0
    for name in _SYLLABIC:
        found[name] *= _LETTERS_OF_A_SYLLABLE
    language, most = found.most_common(1)[0]
    return language if most > max(rest, 0) else ""


def _by_words(text: str) -> str:
    if _english_share(text) >= _ENGLISH_SHARE:
        return "en"
    language, sure = _classified(text)
    return language if sure >= _LEAST_SURE else ""


def _classified(text: str) -> tuple[str, float]:
    """Return the language that the model takes a text for, and how sure it is."""
    language, sure = _model().classify(_OF_NO_LANGUAGE.sub(" ", text))
    return language, sure


def _english_share(text: str) -> float:
    words = _WORD.findall(text.lower())
    telling = load_lexicon("en").telling
    return sum(word in telling for word in words) / max(1, len(words))


@cache
def _model() -> "LanguageIdentifier":
    # It takes a second and 76 MB: only texts that nothing else tells apart need it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # Dialects and languages without a two-letter code would take texts from their neighbours.
    model.set_languages([label for label in model.labels if len(label) == 2])
    return model
