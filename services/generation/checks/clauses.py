"""Find the sentence of a draft in the book, and give it back in the book's own characters.

It may be put together from whole sentences of the spans it cites, in their order. Words may be
inflected, numbers and units written in another way, articles put in or left out: what is shown is the
book's. Less than a whole sentence may lack the condition that it holds under, whatever parts it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from libs.text import fold, sentence_ranges
from services.generation.checks.normal_forms import every_word, in_digits, rules_of

_TOKEN = re.compile(
    r"\d{1,3}(?:[,'\u2009\u202f]\d{3})+(?!\d)|[^\W_]+(?:['’][^\W_]+)*|[%°]",
)
_THOUSANDS = re.compile(r"(?<=\d)[,'\u2009\u202f](?=\d)")
_CLAUSE_END = re.compile(r"[,;:.!?—–|()\[\]\"“”…](?:\W|$)|^\W*[(\[\"“]|\n|\s-\s")
_LINE_END = re.compile(r"[.!?…。！？][^\w\n]*\n|\n\s*\n")
"""A line that ends so ends a sentence; any other break of a line may stand inside of one."""
_INTRODUCES = re.compile(r"[:：]\s*\n")


@dataclass(frozen=True)
class Word:
    """A word in normal form, and its range from its article on.

    `opens_clause`: what stands before it ends a clause, or more.
    """

    normal_form: str
    spelled: str
    start: int
    end: int
    opens_clause: bool
    opens_sentence: bool


@dataclass(frozen=True)
class _Source:
    """`place` is its place among the spans."""

    place: int
    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class _Piece:
    """The words from `first` up to `end` of a source."""

    source: _Source
    first: int
    end: int

    @property
    def text(self) -> str:
        """The book's characters, with the signs at the words and without what parts the piece."""
        words, text = self.source.words, self.source.text
        start, stop = words[self.first].start, words[self.end - 1].end
        before = text[words[self.first - 1].end if self.first else 0 : start]
        after = text[stop : words[self.end].start if self.end < len(words) else len(text)]
        if self.end < len(words):
            kept = re.match(r".*(?=\s)|", after, re.DOTALL)
            after = kept[0] if kept else ""
        opening = re.search(r"\S*$", before)
        return f"{opening[0] if opening else ''}{text[start:stop]}{after.rstrip().rstrip(';')}"


def find_own(sentence: str, spans: Sequence[str]) -> str | None:
    """Return the one of `spans` that is `sentence`, typography aside."""
    wanted = _folded(sentence)
    return next((span for span in spans if sentence == span or _folded(span) == wanted), None)


@lru_cache(maxsize=256)
def _folded(text: str) -> str:
    return fold(text.strip()).text


def render(sentence: str, spans: Sequence[str], language: str = "") -> str | None:
    """Return the sentence in the characters of `spans`; None where they do not say it so."""
    rules = rules_of(language).clauses
    own_sentence = find_own(sentence, spans)
    if own_sentence is not None:
        return own_sentence.strip()
    pieces = _compose(rules.lead_in.sub("", sentence), spans, language)
    texts = [piece.text for piece in pieces]
    return " ".join(
        text if place == len(texts) - 1 or text[-1:] in ".!?…:" else f"{text};"
        for place, text in enumerate(texts)
    ) or (None)


def _compose(sentence: str, spans: Sequence[str], language: str) -> list[_Piece]:
    """Return the pieces that make the sentence, in its order; none where something is left over."""
    joiners = rules_of(language).clauses.joiners
    own = read_words(sentence, language)
    sources = [_Source(place, span, read_words(span, language)) for place, span in enumerate(spans)]
    pieces: list[_Piece] = []
    at = 0
    while at < len(own):
        found = [
            piece
            for source in sources
            for piece in _pieces_at(own[at:], source, language)
            if not pieces or _may_follow(piece, pieces[-1], language)
        ]
        if found:
            pieces.append(max(found, key=lambda piece: piece.end - piece.first))
            at += pieces[-1].end - pieces[-1].first
        elif pieces and own[at].spelled in joiners and own[at - 1].spelled not in joiners:
            at += 1
        else:
            return []
    return pieces if (own and own[-1].spelled not in joiners) or not joiners else []


def foreign_words(sentence: str, spans: Sequence[str], language: str = "") -> list[str]:
    """Return the words of `sentence`, joining words aside, that stand in none of `spans`."""
    known = {word.normal_form for span in spans for word in read_words(span, language)}
    return [
        word.spelled
        for word in read_words(sentence, language)
        if word.normal_form not in known and word.spelled not in rules_of(language).clauses.joiners
    ]


def _pieces_at(own: Sequence[Word], source: _Source, language: str) -> Iterator[_Piece]:
    """Yield the whole sentences of the source that match the beginning of `own`."""
    for first, word in enumerate(source.words):
        if not word.opens_sentence or word.normal_form != own[0].normal_form:
            continue
        shared = _shared(own, source.words[first:])
        for end in range(first + shared, first, -1):
            piece = _Piece(source, first, end)
            after = own[end - first] if end - first < len(own) else None
            if _may_end(after, language) and _is_whole(piece):
                yield piece


def _shared(own: Sequence[Word], source: Sequence[Word]) -> int:
    for length, (one, other) in enumerate(zip(own, source, strict=False)):
        if one.normal_form != other.normal_form:
            return length
    return min(len(own), len(source))


def _may_end(after: Word | None, language: str) -> bool:
    return (
        after is None or after.opens_clause or after.spelled in rules_of(language).clauses.joiners
    )


def _is_whole(piece: _Piece) -> bool:
    """Whether the piece ends where a sentence does; it begins where one begins."""
    words = piece.source.words
    return piece.end == len(words) or words[piece.end].opens_sentence


_OPENING = 4
"""Words at the beginning of a sentence among which each one that can point back is taken to do so."""


def _may_follow(piece: _Piece, before: _Piece, language: str) -> bool:
    """Whether the piece says behind `before` what it says in the book.

    It does right behind it. Otherwise it must come later in the book, and its first sentence must not
    point back; where the pointing words of the language are not known, any sentence may.
    """
    if piece.source is before.source and piece.first == before.end:
        return True
    place, last = ((it.source.place, it.first) for it in (piece, before))
    return place > last and not _points_back(piece, language)


def _points_back(piece: _Piece, language: str) -> bool:
    rules = rules_of(language).clauses
    pointing = rules.pronouns | rules.pointing
    words = piece.source.words[piece.first : piece.end]
    opening = next((at for at in range(1, len(words)) if words[at].opens_sentence), len(words))
    # Further on words like "that" seldom point out of a sentence: "a motor that brakes".
    said = [word.spelled for word in words[:opening]]
    near, far = set(said[:_OPENING]), set(said[_OPENING:]) - rules.inner
    return not pointing or not pointing.isdisjoint(near | far)


@lru_cache(maxsize=256)
def read_words(text: str, language: str = "") -> tuple[Word, ...]:
    """Return the words of `text` in normal form, without articles."""
    articles = rules_of(language).clauses.articles
    starts = {start for start, _ in sentence_ranges(text, language or "en")}
    found: list[Word] = []
    end, clause, sentence = 0, True, True
    article = -1
    for token in _TOKEN.finditer(text):
        gap = text[end : token.start()]
        sentence |= not starts.isdisjoint(range(end, token.start() + 1))
        sentence |= _LINE_END.search(gap) is not None
        sentence &= _INTRODUCES.search(gap) is None
        clause |= sentence or _CLAUSE_END.search(gap) is not None or _joins_clause(found, language)
        end = token.end()
        for spelled in _split(token[0], language):
            start = article if article >= 0 else token.start()
            article = start if spelled in articles else -1
            if article >= 0:
                continue
            normal_form = _normalise(spelled, language)
            found.append(Word(normal_form, spelled, start, end, clause, sentence))
            clause = sentence = False
    return tuple(found)


def _split(token: str, language: str) -> list[str]:
    """Return the words that a token stands for: two of a contraction."""
    for contraction, plain in rules_of(language).clauses.contractions:
        token = contraction.sub(plain, token)
    return in_digits(_THOUSANDS.sub("", token), language).lower().split()


def _joins_clause(before: Sequence[Word], language: str) -> bool:
    """Whether the last word is an "and" behind a comma: a clause may begin after it too."""
    joiners = rules_of(language).clauses.joiners
    return bool(before) and before[-1].opens_clause and before[-1].spelled in joiners


@lru_cache(maxsize=16384)
def _normalise(spelled: str, language: str) -> str:
    found = every_word(spelled, language)
    return found[0] if len(found) == 1 else spelled
