"""Tell whether a sentence may say who does what a question asks for, by how it is built.

No list has all names, and in many scripts nothing marks one. But a sentence that only says that a thing
was done is built otherwise than one that says by whom: it is passive without "by", or it begins with
the very thing that is asked about and has no name.
"""

import re
from collections.abc import Collection
from functools import lru_cache

from libs.language.endings import bare_word, nouns_of
from libs.language.lexicon import Lexicon
from libs.language.verbs import join_verbs
from libs.table_rows import cells_of
from libs.text import collapse_space, content_terms, is_unspaced, terms, words

_ASKED = "▯"
"""Stands for a word of the question, so that what stands around it is left to look at."""

_ARTICLE = re.compile(r"^[وفبكل]?ال(?=\w{3})|^لل(?=\w{3})")
"""What Arabic writes as one word with the noun behind it."""

_ELISION = re.compile(r"^\w{1,4}['’](?=\w{2})")

_WORD = re.compile(
    r"[^\W\d_](?:[^\W_]|(?<=[\u0900-\u0dff])[\u0900-\u0963\u0981-\u0dff]|[\u064b-\u065f])*"
)
_LEAST_PART = 4
"""Letters of a word that is known as a part of a compound."""

_CLAUSE = re.compile(r"[,;:،؛，；：、]")


def may_name_agent(question: str, sentence: str, lexicon: Lexicon) -> bool:
    """Whether `sentence` may say who does what `question` asks for."""
    if names_agent(question, sentence, lexicon):
        return True
    clauses = _cut(mask_asked(question, sentence, lexicon), lexicon)
    clause = max(clauses, key=lambda part: part.count(_ASKED))
    is_passive = lexicon.values.passive.search(clause) is not None
    return not is_passive and not _opens_with_asked(clause, lexicon)


def names_agent(question: str, sentence: str, lexicon: Lexicon) -> bool:
    """Whether `sentence` surely names somebody who does something, and whom `question` does not."""
    rules = lexicon.values
    rest = collapse_space(rules.date.sub(" ", mask_asked(question, sentence, lexicon)))
    return rules.agent.search(rest) is not None


def tells_who(row: str, over: str, lexicon: Lexicon) -> bool:
    """Whether a row says who does something: in a column that is called so, "Who", and is not empty."""
    cells = cells_of(row.rpartition("\n")[2])
    return any(
        bool(cell) and lexicon.expected.who.fullmatch(name) is not None
        for line in over.split("\n")
        for name, cell in zip(cells_of(line)[1:], cells[1:], strict=False)
    )


def mask_asked(question: str, sentence: str, lexicon: Lexicon) -> str:
    """Return `sentence` with a mark in place of each word that `question` names, in whatever form."""
    asked = asked_words(question, lexicon)
    spaced = _WORD.sub(
        lambda word: _ASKED if is_one_of(word[0], asked, lexicon) else word[0], sentence
    )
    runs = [word for word in asked if is_unspaced(word)]
    return _mask_runs(runs, spaced, lexicon) if runs else spaced


def shares_word(question: str, text: str, lexicon: Lexicon) -> bool:
    """Whether `text` has a word that `question` names, in whatever form."""
    return _ASKED in mask_asked(question, text, lexicon)


def share_of_words(question: str, text: str, lexicon: Lexicon) -> float:
    """Return the share of the words of `question`, in [0, 1], that `text` has in whatever form."""
    held = words_in(text)
    shares = [_held_of(word, held, text, lexicon) for word in asked_words(question, lexicon)]
    return sum(shares) / len(shares) if shares else 0.0


def words_told(question: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of a question but for those that ask: "in which year", "which city"."""
    rules = lexicon.expected
    for asks in (rules.date, rules.place, rules.person, rules.because):
        question = asks.sub(" ", question)
    return asked_words(question, lexicon)


def _held_of(asked: str, held: Collection[str], text: str, lexicon: Lexicon) -> float:
    if is_unspaced(asked):
        pairs = content_terms(asked)
        return sum(pair in text for pair in pairs) / len(pairs)
    return float(has_form_of(asked, held, lexicon))


def asked_words(question: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of `question` that say what it is about; runs where no spaces part them."""
    joined = join_verbs(without_name_asked(question, lexicon), lexicon)
    spaced = lexicon.between_words.sub(" ", joined)
    named = frozenset(
        word
        for word in map(without_elision, words(spaced))
        if lexicon.stop_words.isdisjoint((word, bare_word(word, lexicon.endings)))
    )
    least = lexicon.values.alike_from
    return frozenset(one for one in named if len(one) >= least or not is_unspaced(one))


def without_elision(word: str) -> str:
    """Return a word without what an apostrophe joins to it: "l'image", "dell'albero"."""
    return _ELISION.sub("", word)


def without_name_asked(question: str, lexicon: Lexicon) -> str:
    """Return who or what a question wants the name of; the question where it wants none."""
    return lexicon.expected.name.sub(
        lambda found: f" {found.groupdict().get('of') or ''} ", question
    )


def is_one_of(word: str, asked: Collection[str], lexicon: Lexicon) -> bool:
    """Whether `word` is one of the words `asked`, or a form of one: both begin alike."""
    least, plain = lexicon.values.alike_from, _plain(word)
    if not least:
        held = _terms_of(plain)
        return any(not held.isdisjoint(_terms_of(one)) for one in asked)
    if lexicon.endings.particles:
        nouns = nouns_of(plain, lexicon.endings)
        return any(not nouns.isdisjoint(nouns_of(one, lexicon.endings)) for one in asked)
    forms = _forms_of(_bare(plain), lexicon)
    return any(
        _begin_alike(form, other, least)
        for one in asked
        for other in _forms_of(_bare(one), lexicon)
        for form in forms
    )


def has_part(word: str, said: Collection[str]) -> bool:
    """Whether a compound begins or ends with a word that is said: "Bildgröße" with "Bild"."""
    parts = (one for one in said if len(one) >= _LEAST_PART)
    return any(word.startswith(one) or word.endswith(one) for one in parts)


def has_form_of(asked: str, said: Collection[str], lexicon: Lexicon) -> bool:
    """Whether one of the words `said` is the word `asked`, or a form of it."""
    if not lexicon.values.alike_from:
        return not _terms_of(asked).isdisjoint(_plain_terms_of(frozenset(said)))
    return any(is_one_of(one, (asked,), lexicon) for one in said)


_KEPT = 2048
"""Sentences whose words, and the terms of these, are kept: they come again at each word of a question,
and at other questions. It is some 10 MB, since what is asked of at once is a sentence or a row."""


@lru_cache(maxsize=_KEPT)
def words_in(sentence: str) -> frozenset[str]:
    """Return the words of a sentence, each once."""
    return frozenset(words(sentence))


@lru_cache(maxsize=_KEPT)
def terms_of(said: frozenset[str]) -> frozenset[str]:
    """Return the terms of all words of a sentence."""
    return frozenset[str]().union(*map(_terms_of, said))


@lru_cache(maxsize=_KEPT)
def _plain_terms_of(said: frozenset[str]) -> frozenset[str]:
    return frozenset[str]().union(*(_terms_of(_plain(one)) for one in said))


@lru_cache(maxsize=32768)
def _plain(word: str) -> str:
    return without_elision("".join(words(word)))


@lru_cache(maxsize=32768)
def _terms_of(word: str) -> frozenset[str]:
    """Return the terms of a word; the words of a book are asked for at every answer."""
    return frozenset(terms(word))


def _bare(word: str) -> str:
    return _ARTICLE.sub("", word)


def _forms_of(word: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return a word, and without what only some of its forms begin with."""
    rest = lexicon.values.beginning.sub("", word)
    return (word,) if rest == word else (word, rest)


def _begin_alike(one: str, other: str, least: int) -> bool:
    """Whether two words are alike but for an ending, which takes as many letters at most as `least`.

    Of a word to which the ending is only added, its own last letters count for none: "conduzida".
    """
    short, long = sorted((one, other), key=len)
    if short == long:
        return True
    stem = short if long.startswith(short) else short[: max(least, len(short) - 2)]
    return len(short) >= least and long.startswith(stem) and len(long) - len(stem) <= least


def _mask_runs(runs: Collection[str], sentence: str, lexicon: Lexicon) -> str:
    """Mark the pairs of characters that a run of the question has, and what means the same as one.

    Of a character alone it is that.
    """
    pairs = {pair for run in runs for pair in content_terms(run)}
    pairs.update(*(group for group in lexicon.checks.support.synonyms if group & pairs))
    marked = set[int]()
    for pair in pairs:
        at = sentence.find(pair)
        while at >= 0:
            marked.update(range(at, at + len(pair)))
            at = sentence.find(pair, at + 1)
    shown = "".join(_ASKED if at in marked else sign for at, sign in enumerate(sentence))
    return re.sub(f"{_ASKED}+", _ASKED, shown)


def _cut(text: str, lexicon: Lexicon) -> list[str]:
    return [piece for part in _CLAUSE.split(text) for piece in lexicon.spans.clause.split(part)]


def _opens_with_asked(clause: str, lexicon: Lexicon) -> bool:
    """Whether the first word of `clause` that says something is one of the question."""
    rest = lexicon.values.date.sub(" ", lexicon.between_words.sub(" ", clause))
    rest = lexicon.values.number.sub(" ", rest)
    first = next(
        (word for word in re.findall(rf"{_ASKED}|\w+", rest) if not _is_light(word, lexicon)), ""
    )
    return first == _ASKED


def _is_light(word: str, lexicon: Lexicon) -> bool:
    return word.lower() in lexicon.stop_words or (len(word) == 1 and word != _ASKED)
