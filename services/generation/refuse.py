"""Tell the reader why there is no answer, in the words of the profile."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.language.asked_in import known_languages, language_asked_in, language_told
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.language.refusals import Refusals as OwnTexts
from libs.profiles import Refusals
from libs.question.about_book import BookAspect
from libs.question.analyse import QuestionAnalysis
from libs.text import words
from services.generation.checks.normal_forms import rules_of
from services.generation.coverage.check import is_covered
from services.generation.coverage.untold import list_untold
from services.generation.extractive.candidates import list_candidates
from services.generation.extractive.lookup import find_empty_row
from services.generation.model import (
    Citation,
    Question,
    Refusal,
    RefusalCode,
    Role,
    SearchResult,
)
from services.generation.nearest import quote_nearest
from services.generation.other_value import OtherValue
from services.generation.parts_asked import MissingPart
from services.generation.premise.claims import find_unsaid_claim, find_unsaid_premise
from services.generation.premise.find import find_other_value

_TEXTS = {
    RefusalCode.NOTHING_FOUND: "nothing_found",
    RefusalCode.NOT_COVERED: "not_covered",
    RefusalCode.DECLINED: "declined",
    RefusalCode.NOT_VERIFIED: "not_verified",
}
NO_QUESTION = "You are welcome to ask me anything about this book; I answer with its own words."

_MOST_UNKNOWN, _LONGEST_UNKNOWN = 3, 60
"""Words of a question that the whole book lacks, as they are told: so many of so many characters."""

_MOST_NAMED = 5
"""Languages that a book of more is said to be in: those of most of it."""

_MOST_RELATED = 3
_RELATED, _TITLE = "{related}", "{title}"
_NAMES_RELATED = re.compile(r" ?[^.。।]*\{related\}[^.。।]*[.。।]?")
"""A sentence that names the nearest sections."""


def refuse_small_talk(question: Question) -> Refusal:
    texts = load_lexicon(_choose_language(question)[0]).refusals
    return Refusal(RefusalCode.NO_QUESTION, texts.no_question or NO_QUESTION)


def refuse_unwritten(
    search: SearchResult, question: Question, analysis: QuestionAnalysis, texts: Refusals
) -> Refusal | None:
    """Return why nothing is to be written of what was found; None when it covers the question."""
    is_missing = search.missing_part is not None
    if search.passages and not is_missing and is_covered(search, question, analysis):
        return None
    if search.passages:
        reasons = list(_explain(search, question, analysis))
        return _refuse(RefusalCode.NOT_COVERED, texts.not_covered, search, question, reasons)
    told = load_lexicon(_choose_language(question)[0]).refusals
    reasons = list(_name_authors(question, analysis, told))
    return _refuse(RefusalCode.NOTHING_FOUND, texts.nothing_found, search, question, reasons)


@dataclass(frozen=True)
class _Reason:
    """A sentence of a refusal; what corrects the question needs none before it."""

    text: str
    stands_alone: bool = False


def _explain(
    search: SearchResult, question: Question, analysis: QuestionAnalysis
) -> Iterator[_Reason]:
    """Yield what in the question the book has nothing of, in the language to refuse in."""
    texts = load_lexicon(_choose_language(question)[0]).refusals
    if question.selection:
        return
    if search.missing_part and texts.no_part:
        yield _Reason(_name_missing(search.missing_part, texts.no_part))
        return
    if analysis.page:
        yield from map(_Reason, _explain_page(search, analysis.page, texts))
    if named := list(_name_authors(question, analysis, texts)):
        yield from named
    else:
        yield from _explain_words(search, question, analysis, texts)


def _name_authors(
    question: Question, analysis: QuestionAnalysis, texts: OwnTexts
) -> Iterator[_Reason]:
    """Yield who the book is by where that is asked: what metadata say is no sentence to quote."""
    of_book = analysis.about_book
    if of_book and of_book.aspect is BookAspect.AUTHOR and question.authors and texts.only_authors:
        yield _Reason(texts.only_authors.replace("{names}", ", ".join(question.authors)))


def _explain_words(
    search: SearchResult, question: Question, analysis: QuestionAnalysis, texts: OwnTexts
) -> Iterator[_Reason]:
    """Yield what of the question's words the book does not have, or says otherwise."""
    if texts.empty_cell and not analysis.follow_up:
        items = list_candidates(search.passages, analysis.language)
        if (row := find_empty_row(analysis, items)) is not None:
            yield _Reason(texts.empty_cell.replace("{row}", row.text.strip()))
            return
    other = find_other_value(analysis, search.passages) if texts.other_value else None
    # A name that these passages lack may stand in others; such a word is in none of the book.
    unknown = _words_beside(other, search.unknown_words)[:_MOST_UNKNOWN]
    if unknown and texts.not_named:
        names = ", ".join(_as_asked(word, question)[:_LONGEST_UNKNOWN] for word in unknown)
        yield _Reason(texts.not_named.replace("{names}", names))
    if other:
        yield _Reason(_correct(other, texts), stands_alone=True)
    elif texts.not_said and (claim := _find_unsaid(analysis, search)):
        yield _Reason(texts.not_said.replace("{claim}", claim))


def _find_unsaid(analysis: QuestionAnalysis, search: SearchResult) -> str:
    """Return what the question states or takes for granted and no sentence near it says."""
    claim = find_unsaid_claim(analysis, search.passages)
    claim = claim or (find_unsaid_premise(analysis, search.passages) if search.gate.near else "")
    return claim or next(iter(list_untold(analysis, search.passages)), "")


def _correct(other: OtherValue, texts: OwnTexts) -> str:
    text = texts.other_value if other.asked else texts.denied
    return text.replace("{value}", other.asked).replace("{quote}", other.quote)


def _explain_page(search: SearchResult, page: str, texts: OwnTexts) -> Iterator[str]:
    pages = {passage.locator.shown_page.casefold() for passage in search.passages} - {""}
    if page.casefold() in pages or (pages and page.isdecimal()):
        yield texts.only_page.replace("{page}", page)
    elif not pages:
        yield texts.no_pages


def _name_missing(part: MissingPart, text: str) -> str:
    values = {"{kind}": part.kind, "{number}": str(part.number), "{last}": str(part.last)}
    for name, value in values.items():
        text = text.replace(name, value)
    return text[:1].upper() + text[1:]


def _words_beside(other: OtherValue | None, unknown: Sequence[str]) -> Sequence[str]:
    """Return the words that the book lacks and that are not told as a part of the other value."""
    told = frozenset(words(other.asked)) if other else frozenset()
    return [word for word in unknown if not told.intersection(words(word))]


def _as_asked(word: str, question: Question) -> str:
    """Return a word with the capitals that the question writes it with."""
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", question.text, re.IGNORECASE)
    return found[0] if found else word


def refuse_empty(
    search: SearchResult,
    question: Question,
    texts: Refusals,
    analysis: QuestionAnalysis,
    *,
    withheld: bool,
    has_model: bool,
) -> Refusal:
    """Return why no sentence is left: all were withheld, or the draft had none and says so by that.

    What a language model read and declined is told from what no passage was found for.
    """
    if withheld:
        return _refuse(RefusalCode.NOT_VERIFIED, texts.not_verified, search, question)
    code = RefusalCode.DECLINED if has_model else RefusalCode.NOT_COVERED
    reasons = list(_explain(search, question, analysis))
    return _refuse(code, texts.declined, search, question, reasons)


def _refuse(
    code: RefusalCode,
    text: str,
    search: SearchResult,
    question: Question,
    reasons: Sequence[_Reason] = (),
) -> Refusal:
    language, is_foreign = _choose_language(question)
    nearest = (
        () if is_foreign or code is RefusalCode.NOTHING_FOUND else quote_nearest(search, question)
    )
    related = _put_quoted_first(search.related_sections, nearest)
    texts = load_lexicon(language).refusals
    own = _text_of_choice(texts, code, question) or getattr(texts, _TEXTS[code])
    text = own or text
    if not related:
        text = _NAMES_RELATED.sub("", text)
    title = question.title.partition(": ")[0] or question.book  # without its subtitle
    text = _with_title(text, title, language if own else FALLBACK)
    if any(reason.stands_alone for reason in reasons):
        text = ""
    text = " ".join(filter(None, (text, *(reason.text for reason in reasons))))
    if is_foreign:
        # What a book says can't be found by words of another language, nor said to be missing.
        named = texts if texts.other_language else load_lexicon(FALLBACK).refusals
        text = _name_languages(named, _languages_of_book(question)) or text
    return Refusal(code, text.replace(_RELATED, ", ".join(related)), related, nearest=nearest)


def _put_quoted_first(related: Sequence[str], nearest: Sequence[Citation]) -> tuple[str, ...]:
    """Return the titles of the nearest sections, those first that what is quoted stands in."""
    quoted = (path[-1] for one in nearest if (path := one.locator.section_path))
    return tuple(dict.fromkeys((*quoted, *related)))[:_MOST_RELATED]


def _chose_part(question: Question) -> bool:
    """Whether the reader chose a part of the book, which alone was searched."""
    return bool(question.document or question.chapter or question.section_path or question.page)


def _text_of_choice(texts: OwnTexts, code: RefusalCode, question: Question) -> str:
    """Return what is said where the reader marked a text or chose a part: the rest may well say it."""
    if code is RefusalCode.NOT_VERIFIED:
        return ""
    if question.selection and question.text:
        return texts.mark_not_covered
    if not _chose_part(question):
        return ""
    found_none = code is RefusalCode.NOTHING_FOUND
    return texts.part_nothing_found if found_none else texts.part_not_covered


def _with_title(text: str, title: str, language: str) -> str:
    """Put the title in its place, without an article of its own behind one of the text."""
    before, place, after = text.partition(_TITLE)
    if not place:
        return text
    articles = rules_of(language).clauses.articles
    first, _, rest = title.partition(" ")
    is_doubled = {(before.split() or [""])[-1].casefold(), first.casefold()} <= articles
    shown = rest.lstrip() if rest and is_doubled else title
    return f"{before}{shown}{_with_title(after, title, language)}"


def _choose_language(question: Question) -> tuple[str, bool]:
    """Return the language to refuse in, and whether the question is in none of the book's.

    It is that of the reader's own words, else one that they read, else the book's.
    """
    earlier = [said.content for said in question.history if said.role is Role.USER]
    told = _tell(question.text, question)
    read = (code for code in question.reader_languages if code in known_languages())
    spoken = told or next(filter(None, (_tell(text, question) for text in reversed(earlier))), "")
    if spoken := spoken or next(read, ""):
        return spoken, bool(told) and told not in _languages_of_book(question)
    asked_in = language_asked_in(question.text, question.language, question.languages)
    return asked_in, asked_in not in _languages_of_book(question)


def _tell(text: str, question: Question) -> str:
    return language_told(text, question.language, question.languages, surely=True)


def _languages_of_book(question: Question) -> tuple[str, ...]:
    return question.languages or (question.language or FALLBACK,)


def _name_languages(texts: OwnTexts, spoken: Sequence[str]) -> str:
    """Return which languages the book is in; "" where there is no name for any of them."""
    names = [texts.languages[code] for code in spoken if code in texts.languages][:_MOST_NAMED]
    return texts.other_language.replace("{language}", ", ".join(names)) if names else ""
