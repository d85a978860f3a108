"""Split text into sentences and terms, fold it and make anchors; offsets are code points."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import sentencex
import snowballstemmer

from libs.language.lexicon import load_lexicon

Range = tuple[int, int]

# Vowel signs of Indian scripts, of Thai, Lao, Burmese and Khmer are no word characters to `re`; they
# stand inside of words.
_INDIAN = r"(?<=[\u0900-\u0dff])[\u0900-\u0963\u0981-\u0dff\u200c\u200d]"
_SOUTH_EAST = (
    r"(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])"
    r"[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    r"\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u17dd]"
)
_LETTERS = rf"(?:[^\W_]|{_INDIAN}|{_SOUTH_EAST})+"
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})*")
_SPACE = re.compile(r"\s+")
_NOT_SLUG = re.compile(r"[^\w\- ]")

# Of English alone: the terms of books in any language were stored without these.
STOP_WORDS = load_lexicon("en").stop_words


def sentence_ranges(text: str, language: str = "en") -> list[Range]:
    """Split `text` into sentences, without the white space around them."""
    ranges: list[Range] = []
    position = 0
    for sentence in sentencex.segment(language, text):
        start = text.index(sentence, position)
        position = start + len(sentence)
        body = sentence.strip()
        if body:
            begin = start + sentence.index(body[0])
            end = begin + len(body)
            if ranges and _goes_on(text, ranges[-1], body, language):
                begin = ranges.pop()[0]
            ranges.append((begin, end))
    return [part for whole in ranges for part in _cut_speech(text, whole, language)]


QUESTION_MARKS = ("?", "？", "؟")
COLONS = (":", "：")
_TAG_WORDS = 6
"""At the most of what says who asks; more tell something themselves."""
_SPOKEN_QUESTION = re.compile(
    r"(?:\A|[.!?…。！？:：]\s*)[\"“„«「『][^\"“”„«»「」『』]*[?？؟]\s?[\"“”»」』](?P<tag>[^\"“”„«»「」『』?？؟]*)\Z"
)


def is_question(text: str) -> bool:
    """Whether a sentence asks, or tells who asks what it has in quotation marks: "Who?" he said.

    A title that it only names does not ask: see "What is it?".
    """
    whole = text.rstrip()
    if whole.endswith(QUESTION_MARKS):
        return True
    asked = _SPOKEN_QUESTION.search(whole)
    return asked is not None and count_words(asked["tag"]) <= _TAG_WORDS


_CLOSING = {'"': '"', "“": "”", "„": "“", "«": "»", "‹": "›", "「": "」", "『": "』"}
_SPEECH = re.compile(rf"(?:\A|(?<=[,:，：] )|(?<=[，：]))[{''.join(_CLOSING)}]")
_SENTENCE_END = re.compile(r"[.!?…。！？]\Z")
_SIGNS = frozenset(".!?")
_GOING_ON = frozenset(":;,：；，、")
_ON_THE_LINE = re.compile(r"[ \t]*(?=\S)")
_SPELLED_DOT = re.compile(r"(?<!\S)\.\w{1,10}\.$")
"""How addresses are written that no machine is to read: "desk .at. example .dot. org"."""

_LEAST_SPOKEN = 12
"""Characters of a sentence that is cut from another inside of speech: a cry stays with the next."""


def _cut_speech(text: str, whole: Range, language: str) -> list[Range]:
    """Cut what is said inside of quotation marks into its sentences.

    The segmenter leaves all that is said at once as one. Words quoted in the middle of a sentence are
    no speech.
    """
    start, end = whole
    piece = text[start:end]
    cuts = [start]
    for opening in _SPEECH.finditer(piece):
        first = opening.end()
        last = piece.find(_CLOSING[opening[0]], first)
        at = first
        for sentence in sentencex.segment(
            language, piece[first : last if last >= 0 else len(piece)]
        ):
            begin = piece.index(sentence, at)
            at = begin + len(sentence)
            before = piece[:begin].rstrip()
            spoken = len(sentence.strip()), len(before) - (cuts[-1] - start)
            ended = _SENTENCE_END.search(before) and not _stands_in_name(piece, begin)
            if begin > first and ended and min(spoken) >= _LEAST_SPOKEN:
                cuts.append(start + begin + len(sentence) - len(sentence.lstrip()))
    ends = [start + len(text[start:cut].rstrip()) for cut in cuts[1:]]
    return list(zip(cuts, [*ends, end], strict=True))


def _goes_on(text: str, before: Range, body: str, language: str) -> bool:
    """Whether the segmenter ended a sentence too early: no sentence begins with a small letter
    behind a sign, which is then part of a name: `panic!` and `println!`, the `?` operator. Nor does
    one begin right behind the sign where letters have capitals, as in `.NET` and `java.lang.String`,
    or with a slash there, as in `../lib`: half of such a sentence may say what the whole denies. Nor
    with a sign that goes on in the line: "A.: Yes"."""
    goes_on = body[0] in _GOING_ON and _ON_THE_LINE.match(text, before[1])
    if goes_on or _SPELLED_DOT.search(text, *before):
        return True
    if load_lexicon(language).sentence_goes_on.search(text, *before):
        return True
    return (text[before[1] - 1] in "!?" and body[0].islower()) or _stands_in_name(text, before[1])


def _stands_in_name(text: str, end: int) -> bool:
    """Whether the sign before `end` has a slash or a letter that may be a capital right behind it."""
    first = text[end]
    return text[end - 1] in _SIGNS and (first in "#_/" or first.lower() != first.upper())


_ASCII = str.maketrans(
    {
        character: character.lower() if character.isalnum() or character == "'" else " "
        for character in map(chr, range(128))
    }
)


_MARKS = r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
_MARK = re.compile(rf"[{_MARKS}]+")
"""Vowel points of Hebrew and Arabic, and the stroke that only makes an Arabic word longer."""
_WIDE = re.compile(r"[\uff01-\uff9f]+")
"""Latin letters as wide as Chinese characters, and narrow katakana."""
_USUAL = str.maketrans("\u0622\u0623\u0625\u0671\u0649", "\u0627\u0627\u0627\u0627\u064a")
"""Arabic letters that are written the one way or the other: alef, and the final yeh."""
_FOREIGN_FORM = re.compile(rf"[{_MARKS}\u0300-\u036f\u0622\u0623\u0625\u0671\u0649\uff01-\uff9f]")


def plain_letters(text: str) -> str:
    """Return a text with each of its letters written the one usual way, for what is searched by.

    Composed, without the vowel points of Hebrew and Arabic, of the usual width, and with one alef and
    one yeh. Offsets in it are others.
    """
    if text.isascii() or not _FOREIGN_FORM.search(text):
        return text
    usual = _WIDE.sub(lambda run: unicodedata.normalize("NFKC", run[0]), _MARK.sub("", text))
    return unicodedata.normalize("NFC", usual).translate(_USUAL)


def without_accents(text: str) -> str:
    """Return a text with its letters as they are typed without accents: "lámpara" as "lampara"."""
    return "".join(
        one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one)
    )


@lru_cache(maxsize=32)
def function_words(language: str) -> frozenset[str]:
    """Return the words of a language that say nothing of a subject, as `words` gives them."""
    return frozenset(map(plain_letters, load_lexicon(language).stop_words))


def words(text: str) -> list[str]:
    """Return the words of `text` in lower case, apostrophes kept inside."""
    if not text.isascii():
        return _WORD.findall(plain_letters(text).lower())
    # The same words in half the time: a search reads a few thousand characters.
    found = text.translate(_ASCII).split()
    if "'" in text:
        found = [word for piece in found for word in _WORD.findall(piece)]
    return found


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> "snowballstemmer.stemmer":
    return snowballstemmer.stemmer("english")


def terms(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, in order, repetitions kept."""
    return [_stem(word) for word in words(text) if word not in STOP_WORDS]


_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
"""Runs of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which have no spaces between words."""


def is_unspaced(text: str) -> bool:
    """Whether a text is nothing but a run of a script without spaces between words."""
    return not text.isascii() and _UNSPACED.fullmatch(text) is not None


def count_words(text: str) -> int:
    """Return the number of words; two characters of a script without spaces count as one."""
    found = words(text)
    if text.isascii():
        return len(found)
    return sum(len(word) // 2 + 1 if is_unspaced(word) else 1 for word in found)


def content_terms(text: str) -> list[str]:
    """Return the terms of a text; a run without spaces counts as its character bigrams."""
    return list(chain.from_iterable(map(_KNOWN.__getitem__, words(text))))


_MOST_KNOWN = 65536


class _Known(dict[str, tuple[str, ...]]):
    """The terms of words met before. A look-up costs a quarter of one in `lru_cache`."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[word] = found = _terms_of(word)
        return found


_KNOWN = _Known()


def _terms_of(word: str) -> tuple[str, ...]:
    """Return the terms of one word: none of a function word, several where it has no spaces."""
    if word in STOP_WORDS:
        return ()
    term = _stem(word)
    if term.isascii():
        return (term,)
    found = [rest for rest in _UNSPACED.split(term) if rest]
    for run in _UNSPACED.findall(term):
        found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return tuple(found)


_LITERAL = re.compile(
    r"""(?<![\w$-])(?:--?[A-Za-z](?:[\w-]*\w)?|\$(?:[A-Za-z_]\w*|[@*\#?!$-]))"""
    r"""|(?<![^\s"'‘“`(])[&|<>=!;]{2,3}(?![^\s"'’”`),.?:])"""
)


def literals(text: str) -> list[str]:
    """Return the options ("-e", "--all"), shell parameters ("$@") and operators ("&&") in `text`.

    They are no words, and mean something by their signs and by the case of their letters.
    """
    return _LITERAL.findall(text)


def every_stem(text: str) -> list[str]:
    """Return the stems of all words of `text`, function words included, in order."""
    return [_stem(word) for word in words(text)]


@dataclass(frozen=True)
class FoldedText:
    """Text reduced to what makes two quotations the same, with the way back to the original.

    Unicode compatibility forms and case-free typography (quotes, dashes, white space) are unified;
    letters keep their case.
    """

    text: str
    _origins: list[int]
    _ends: list[int]

    def find(self, needle: "FoldedText", start: int = 0) -> Range | None:
        """Return the range of the original text that folds to `needle`, from offset `start` on."""
        if not needle.text:
            return None
        at = self.text.find(needle.text, bisect_right(self._origins, start - 1))
        while at >= 0:
            end = at + len(needle.text)
            if self._parts(at) and self._parts(end):
                return self._origins[at], self._ends[end - 1]
            at = self.text.find(needle.text, at + 1)
        return None

    def _parts(self, at: int) -> bool:
        """Whether two letters of the original part here; one alone may have become several: "¼"."""
        return at in (0, len(self.text)) or self._origins[at - 1] != self._origins[at]


_JOINERS = dict.fromkeys((0x200C, 0x200D))
_TYPOGRAPHY = {
    **dict.fromkeys("‘’‚‛′`", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\ufeff", ""),
}


def fold(text: str) -> FoldedText:
    """Fold `text` for comparison; see FoldedText."""
    out: list[str] = []
    origins: list[int] = []
    ends: list[int] = []
    for index, character in enumerate(text):
        character = _TYPOGRAPHY.get(character, character)  # noqa: PLW2901
        pieces = unicodedata.normalize("NFKC", character)
        if pieces[:1].isspace() and not character.isspace():
            pieces = character  # a mark that stands alone, as "´": its form is a space and the mark
        for piece in pieces:
            if piece.isspace():
                if not out or out[-1] == " ":
                    continue
                piece = " "  # noqa: PLW2901
            out.append(piece)
            origins.append(index)
            ends.append(index + 1)
    if out and out[-1] == " ":
        out.pop(), origins.pop(), ends.pop()
    return FoldedText("".join(out), origins, ends)


def is_printable(text: str) -> bool:
    """Whether a line is nothing but what is seen, and what joins or parts Persian or Indian ones."""
    return text.translate(_JOINERS).isprintable()


def collapse_space(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def heading_anchor(title: str, taken: set[str]) -> str:
    """Return the anchor that GitHub and Docusaurus give a heading, and add it to `taken`."""
    base = _NOT_SLUG.sub("", title.strip().lower()).replace(" ", "-")
    anchor, number = base, 0
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken.add(anchor)
    return anchor


_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def read_roman(text: str) -> int | None:
    """Return the number, up to some hundreds, that letters of either case write; None for others."""
    values = [_ROMAN.get(letter, 0) for letter in text.lower()]
    if not values or not all(values):
        return None
    after = [*values[1:], 0]
    return sum(-one if one < other else one for one, other in zip(values, after, strict=True))


_HAN_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
}
_HAN_UNITS = {"十": 10, "百": 100}


def read_han(text: str) -> int | None:
    """Return the number below a thousand that Chinese signs write; None for other text."""
    total, digit = 0, -1
    for sign in text:
        if sign in _HAN_UNITS:
            total += abs(digit) * _HAN_UNITS[sign]
            digit = 0
        elif sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
        else:
            return None
    return total + digit if digit >= 0 else None


def shorten(text: str, most: int) -> str:
    """Return a text in one line of `most` characters at most, an ellipsis for what is left out.

    It is cut within a word: many scripts put no spaces between theirs.
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
