"""Find the sentence of a draft in the book, and give it back in the book's own characters.

It may be put together from whole sentences of the spans it cites, or from what semicolons part in them.
Words may be inflected, numbers and units written in another way, articles put in or left out: what is
shown is the book's. Less than a whole sentence may lack the condition that it holds under.
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
_LEAST_RUN = 3
"""Words that a part of a sentence has at least."""


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
    opens_part: bool
    opens_sentence: bool


@dataclass(frozen=True)
class _Source:
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
    sources = [_Source(span, read_words(span, language)) for span in spans]
    pieces: list[_Piece] = []
    at = 0
    while at < len(own):
        found = [
            piece
            for source in sources
            for piece in _pieces_at(own[at:], source, language)
            if not pieces or not _points_back(piece, language) or _follows(piece, pieces[-1])
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
    """Yield the pieces of the source that can stand alone and match the beginning of `own`."""
    for first, word in enumerate(source.words):
        if not word.opens_part or word.normal_form != own[0].normal_form:
            continue
        shared = _shared(own, source.words[first:])
        for end in range(first + shared, first, -1):
            piece = _Piece(source, first, end)
            after = own[end - first] if end - first < len(own) else None
            if _may_end(after, language) and _may_stand(piece, language):
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


def _may_stand(piece: _Piece, language: str) -> bool:
    """Whether the piece is whole sentences, or a fragment that keeps its meaning when cut out."""
    words, rules = piece.source.words, rules_of(language).clauses
    whole_end = piece.end == len(words) or words[piece.end].opens_sentence
    if words[piece.first].opens_sentence and whole_end:
        return True
    if not rules.turning or not (whole_end or words[piece.end].opens_part):
        return False
    first = max(place for place in range(piece.first + 1) if words[place].opens_sentence)
    last = next(
        (place for place in range(piece.end, len(words)) if words[place].opens_sentence), len(words)
    )
    beside = {word.spelled for word in (*words[first : piece.first], *words[piece.end : last])}
    leans = rules.turning | rules.pronouns | rules.joiners
    if not words[piece.first].opens_sentence and words[piece.first].spelled in leans:
        return False
    turned = not whole_end and words[piece.end].spelled in rules.turning
    return piece.end - piece.first >= _LEAST_RUN and not turned and not beside & rules.untrue


def _points_back(piece: _Piece, language: str) -> bool:
    """Whether the piece begins with an anaphor."""
    return piece.source.words[piece.first].spelled in rules_of(language).clauses.pronouns


def _follows(piece: _Piece, before: _Piece) -> bool:
    return piece.source is before.source and piece.first == before.end


@lru_cache(maxsize=256)
def read_words(text: str, language: str = "") -> tuple[Word, ...]:
    """Return the words of `text` in normal form, without articles."""
    articles = rules_of(language).clauses.articles
    starts = {start for start, _ in sentence_ranges(text, language or "en")}
    found: list[Word] = []
    end, clause, part, sentence = 0, True, True, True
    article = -1
    for token in _TOKEN.finditer(text):
        gap = text[end : token.start()]
        sentence |= "\n" in gap or not starts.isdisjoint(range(end, token.start() + 1))
        part |= sentence or ";" in gap
        clause |= part or _CLAUSE_END.search(gap) is not None or _joins_clause(found, language)
        end = token.end()
        for spelled in _split(token[0], language):
            start = article if article >= 0 else token.start()
            article = start if spelled in articles else -1
            if article >= 0:
                continue
            normal_form = _normalise(spelled, language)
            found.append(Word(normal_form, spelled, start, end, clause, part, sentence))
            clause = part = sentence = False
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
