"""Find a whole clause that a question takes for granted and the book denies.

"Since a publisher has to know its subscribers, where do I register them?" has neither a value nor a
name that another could stand for. But where a sentence has the words of the clause behind a "not", or a
row has "No" in the very column, it is not so, and what follows from it is no answer.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from libs.initials import abbreviations_in, spelled_out_in
from libs.language.entries import OFF
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import words_told
from libs.question.stated import claim_in
from libs.question.synonyms import said_of
from libs.table_rows import cells_of
from libs.text import words
from services.generation.checks.normal_forms import has_negation, is_negation, stems
from services.generation.checks.polarity import denied
from services.generation.model import Passage
from services.generation.other_value import OtherValue
from services.generation.premise.clauses import pieces
from services.generation.premise.sayings import Saying, list_sayings

_LEAST_WORDS = 2
"""Of a claim: what something is, or does, and the thing."""

_LEAST_TO_LACK_ONE = 3
"""Words of a claim from which a sentence that denies it may be without one: "in advance"."""

_LEAST_OF_MANY = 5
"""Words of a premise from which a sentence that says it may say one of them otherwise."""

_NAMED = re.compile(r"(?<=\s)[^\w\s]*(?:[A-ZÀ-ÖØ-ÞА-ЯЁ]|\d)[\w.'’]*")
"""A name or a number behind the first word of a question."""


def find_denied_claim(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return what `question` claims and a sentence or a row denies; None without one.

    Nothing is told where another sentence says it, nor where it is denied in some case only.
    """
    lexicon = load_lexicon(question.language)
    if found := _denied_in_row(question, sayings, lexicon):
        return found
    claim = claim_in(question.question, lexicon)
    told = words_told(claim, lexicon) if claim else frozenset()
    # "OpenSSH is required": without its verb nothing would be claimed.
    bare = told - lexicon.expected.light
    told = bare if len(bare) >= _LEAST_WORDS else told
    asked = [one for one in words(claim) if one in told]
    if len(set(asked)) < _LEAST_WORDS:
        return None
    denying = [one for one in sayings if _denies(one, asked, lexicon, question.language)]
    if not denying or any(_affirms(one, asked, lexicon, question.language) for one in sayings):
        return None
    return OtherValue(claim, denying[0].quote)


def is_claim_said(question: QuestionAnalysis, passages: Sequence[Passage]) -> bool:
    """Whether a sentence or row has all that `question` states before it asks, in whatever form."""
    lexicon, language = load_lexicon(question.language), question.language
    claim = claim_in(question.question, lexicon)
    rules = lexicon.claims
    told = words_told(claim, lexicon) - lexicon.expected.light - rules.lacking - rules.forbidding
    told = frozenset(word for word in told if not is_negation(word, language))
    return any(
        told <= said_of(told, f"{one.over}\n{one.header}\n{one.text}", lexicon, language)
        for one in list_sayings(passages, lexicon)
    )


def find_unsaid_claim(question: QuestionAnalysis, passages: Sequence[Passage]) -> str:
    """Return what `question` states before it asks, where no sentence or row has it; "" otherwise."""
    claim = claim_in(question.question, load_lexicon(question.language))
    return "" if not claim or is_claim_said(question, passages) else claim


def find_unsaid_premise(question: QuestionAnalysis, passages: Sequence[Passage]) -> str:
    """Return what a question for a reason, or whether it is so, speaks of, in its own words.

    "" where a sentence with what is over it has all of these, or all but one of many, or none of most.
    """
    lexicon = load_lexicon(question.language)
    if question.expected.kind not in (AnswerKind.CAUSE, AnswerKind.YES_NO) or question.follow_up:
        return ""
    # What is said not to be so is no claim without its "not", nor what one would do.
    is_denied = has_negation(question.question, question.language)
    if is_denied or lexicon.claims.proposed.search(question.question):
        return ""
    # "Why is it important?": what a book calls a precondition it need not call important.
    told = words_told(question.question, lexicon) - lexicon.expected.light - lexicon.claims.valued
    asked = [one for one in words(question.question) if one in told]
    if len(told) < _LEAST_WORDS:
        return ""
    sayings = list(list_sayings(passages, lexicon))
    held = [
        len(_said_in(asked, f"{one.over}\n{one.prior}\n{one.text}", lexicon, question.language))
        for one in sayings
    ]
    most = max(held, default=0)
    is_said = most == len(told) or any(
        _says_almost(one, asked, question, lexicon) for one in sayings
    )
    if is_said or most * 2 < len(told):
        return ""
    start = question.question.lower().find(asked[0])
    return question.question[start:].rstrip("?!. ") if start >= 0 else ""


def _says_almost(
    saying: Saying, asked: Sequence[str], question: QuestionAnalysis, lexicon: Lexicon
) -> bool:
    """Whether a sentence says all of many words but one, which it may well say otherwise.

    Not so a number, a name or a word of which another would be so, nor where it denies anything.
    """
    is_cause = question.expected.kind is AnswerKind.CAUSE
    spoken, language = words(saying.text), question.language
    if not is_cause or len(set(asked)) < _LEAST_OF_MANY:
        return False
    lacking = set(asked) - _said_in(asked, saying.text, lexicon, language)
    named = {word for name in _NAMED.findall(question.question) for word in words(name)}
    if lexicon.names.capital is OFF:
        named = {word for word in named if word.isdecimal()}
    opposed = (word for group in lexicon.claims.opposed for side in group for word in side)
    named.update(opposed, *lexicon.names.exclusive)
    is_denied = any(is_negation(word, language) for word in spoken)
    return not is_denied and len(lacking) == 1 and lacking.isdisjoint(named)


def _denies(saying: Saying, asked: Sequence[str], lexicon: Lexicon, language: str) -> bool:
    """Whether a sentence has what is claimed behind a negation, and of the same thing."""
    if saying.header or not lexicon.claims.conditions.isdisjoint(words(saying.text)):
        return False
    said = _said_in(asked, f"{saying.over}\n{saying.text}", lexicon, language)
    lacking = set(asked) - said
    if asked[0] not in said or len(lacking) > (len(set(asked)) >= _LEAST_TO_LACK_ONE):
        return False
    claim = " ".join(asked)
    short = (one for one in abbreviations_in(saying.text) if spelled_out_in(one, claim, whole=True))
    claimed = stems(" ".join((*asked[1:], *short)), language)
    # "No longer supported" denies that it is supported.
    passed = stems(" ".join(lexicon.claims.passed), language)
    scopes = [
        [one for one in scope if one not in passed]
        for part in pieces(saying.text, lexicon)
        for scope in denied(part, language)
    ]
    # "Does not run on batteries" denies no more than that.
    return any(
        claimed.issuperset(scope)
        and (len(scope) >= _LEAST_WORDS or _is_denied(scope, asked, lacking, lexicon, language))
        for scope in filter(None, scopes)
    )


def _is_denied(
    scope: Sequence[str],
    asked: Sequence[str],
    lacking: Collection[str],
    lexicon: Lexicon,
    language: str,
) -> bool:
    """Whether one denied word denies the claim although a word of it is `lacking`.

    "Never at the lathe" does not say that gloves are not kept there: the verb is what is lacking.
    "Don't know each other" says that nobody knows the other in advance.
    """
    if lexicon.claims.allowing.issuperset(lacking):
        return True
    places = [at for at, one in enumerate(asked) if not stems(one, language).isdisjoint(scope)]
    if lexicon.claims.verb_last:
        return bool(places) and places[-1] == len(asked) - 1
    return bool(places) and all(places[0] < asked.index(one) for one in lacking)


def _affirms(saying: Saying, asked: Sequence[str], lexicon: Lexicon, language: str) -> bool:
    """Whether a sentence has all of the claim and no negation, nor has what it leans on."""

    def denies(text: str) -> bool:
        return has_negation(text.replace("’", "'"), language)

    if denies(saying.text):
        return False
    # What goes on behind a denial affirms no word of that.
    before = "" if denies(saying.before) else saying.before
    return _said_in(asked, f"{before}\n{saying.text}", lexicon, language) >= set(asked)


def _said_in(asked: Sequence[str], text: str, lexicon: Lexicon, language: str) -> frozenset[str]:
    """Return the words of the claim that a text has, or has an abbreviation for: "OS"."""
    short_for = spelled_out_in(text, " ".join(asked), whole=True).intersection(asked)
    return said_of(asked, text, lexicon, language) | short_for


def _denied_in_row(
    question: QuestionAnalysis, sayings: Sequence[Saying], lexicon: Lexicon
) -> OtherValue | None:
    """Return the thing of a question that a table says "No" of, in the column of its other thing.

    Whether it is so is answered by the row itself, and so is what tells several things apart.
    """
    several = (AnswerKind.YES_NO, AnswerKind.COMPARISON, AnswerKind.LIST)
    if question.expected.kind in several or question.types.yes_no or question.sub_questions:
        return None
    asked = words_told(question.question, lexicon)
    found = [
        (title, cell, cells[0], saying)
        for saying in sayings
        if saying.header
        for header, cells in [(cells_of(saying.header), cells_of(saying.text))]
        # "Project 1" is no row of that number.
        if len(header) == len(cells) and not cells[0].strip().isdecimal()
        if _is_named(cells[0], asked, lexicon, question.language)
        for title, cell in _named_cells(header, cells, asked, lexicon, question.language)
    ]
    if len(found) != 1 or not is_negation(found[0][1].strip(" .!").lower(), question.language):
        return None
    title, _, name, saying = found[0]
    return OtherValue(f"{title}: {name}", saying.quote)


def _named_cells(
    header: Sequence[str],
    cells: Sequence[str],
    asked: frozenset[str],
    lexicon: Lexicon,
    language: str,
) -> Iterator[tuple[str, str]]:
    """Yield the one column that is named, with its cell; none where several are."""
    named = [
        (title, cell)
        for title, cell in zip(header[1:], cells[1:], strict=True)
        if _is_named(title, asked, lexicon, language)
    ]
    if len(named) == 1:
        yield named[0]


def _is_named(title: str, asked: frozenset[str], lexicon: Lexicon, language: str) -> bool:
    """Whether the question has every word of a title."""
    told = words_told(title, lexicon)
    return bool(told) and said_of(told, " ".join(asked), lexicon, language) >= told
