"""Find the passages that may answer a question."""

import re
from dataclasses import replace

from libs.budget import Budget, stages
from libs.defined_terms import spell_out
from libs.errors import QuothError
from libs.language.lexicon import load_lexicon
from libs.question.analyse import (
    QuestionAnalysis,
    analyse_as_thing,
    analyse_question,
    leave_claim,
    reword_question,
)
from libs.question.framing import question_alone
from libs.question.stated import claim_in, without_options
from libs.question.synonyms import ask_for_doer, turn_voice
from services.generation.extractive.announced import has_list_for
from services.generation.extractive.around_mark import has_beside
from services.generation.extractive.defining import has_definition_for
from services.generation.extractive.lookup import has_row_for
from services.generation.extractive.measures import has_measure_for
from services.generation.extractive.reasons import has_reason_for
from services.generation.extractive.short_forms import has_long_form_for
from services.generation.extractive.sought import has_value_for
from services.generation.model import Gate, Question, SearchResult
from services.generation.ports import PassageSource
from services.generation.premise.claims import is_claim_said
from services.generation.selected import locate_selection

_WORD = re.compile(r"[^\W_]+")


async def retrieve_passages(
    source: PassageSource, question: Question, analysis: QuestionAnalysis, budget: Budget
) -> SearchResult:
    """Search for the analysed question where it may be answered. Raises what the source raises."""
    async with budget.stage(stages.RETRIEVE) as allowed_s:
        found = await source.search(question, analysis, allowed_s)
    budget.add_timings(found.timings)
    return found


async def retrieve_meant(
    source: PassageSource, question: Question, analysis: QuestionAnalysis, budget: Budget
) -> tuple[QuestionAnalysis, SearchResult]:
    """Search for what is asked, and for what else may be meant by it.

    That is the question in other words or without what the reader tells around it, if the book answers
    that more surely, and a thing in the book where the book says nothing of itself. Return what was
    found, with the question as it was understood.
    """
    found = await retrieve_passages(source, question, analysis, budget)
    found = await _retrieve_behind(source, question, analysis, budget, found)
    for other in _read_otherwise(question, analysis):
        found_so = await retrieve_passages(source, question, other, budget)
        if found_so.gate.probability <= found.gate.probability:
            continue
        if _leaves_claim(analysis, other):
            # What it states is still held against the book.
            found = _with_passages(found_so, found)
        else:
            analysis, found = other, found_so
    if not found.gate.passed and not analysis.follow_up:
        found = await _retrieve_openly(source, question, analysis, budget) or found
    of_thing = None if found.gate.passed else analyse_as_thing(analysis)
    if of_thing is None:
        return analysis, accept_listed(found, question, analysis)
    found_of_thing = await retrieve_passages(source, question, of_thing, budget)
    return (of_thing, found_of_thing) if found_of_thing.gate.passed else (analysis, found)


async def search_beyond(
    source: PassageSource,
    question: Question,
    analysis: QuestionAnalysis,
    budget: Budget,
    found: SearchResult,
) -> SearchResult | None:
    """Return what all of the book has that is near a question of which the marked text says nothing.

    A question that points at the mark says too little to be searched for elsewhere: what was `found`,
    which goes on a little beyond the mark, is nearest to it.
    """
    if question.selection is None or not question.text:
        return None
    if analysis.deictic:
        return replace(found, gate=replace(found.gate, near=True))
    whole = replace(question, selection=None)
    try:
        found = await retrieve_passages(source, whole, analysis, budget)
    except QuothError:
        return None  # The refusal stands without it.
    return replace(found, gate=replace(found.gate, near=found.gate.near or found.gate.passed))


async def _retrieve_behind(
    source: PassageSource,
    question: Question,
    analysis: QuestionAnalysis,
    budget: Budget,
    found: SearchResult,
) -> SearchResult:
    """Return what answers the question behind a clause that the book says as well, if anything does.

    What else the clause says tells the gate nothing; the passages found for it stay, for what it says
    is held against them.
    """
    main = leave_claim(analysis)
    if found.gate.passed or main is analysis or question.selection or analysis.follow_up:
        return found
    if not is_claim_said(analysis, found.passages):
        return found
    behind = await retrieve_passages(source, question, main, budget)
    behind = accept_listed(behind, question, main)
    if not behind.gate.passed:
        return found
    return _with_passages(behind, found)


def _leaves_claim(analysis: QuestionAnalysis, other: QuestionAnalysis) -> bool:
    """Whether a question states something before it asks, and in its other words no more."""
    lexicon = load_lexicon(analysis.language)
    return bool(claim_in(analysis.question, lexicon)) and not claim_in(other.question, lexicon)


def _with_passages(found: SearchResult, before: SearchResult) -> SearchResult:
    """Return what was found with the passages that were found before, behind its own."""
    known = {one.chunk_id for one in found.passages}
    more = tuple(one for one in before.passages if one.chunk_id not in known)
    return replace(found, passages=(*found.passages, *more))


async def _retrieve_openly(
    source: PassageSource, question: Question, analysis: QuestionAnalysis, budget: Budget
) -> SearchResult | None:
    """Return what answers the question without the alternatives that it gives, if anything does.

    Those that are wrong are in no passage, and the answer has to name one all the same.
    """
    text = without_options(analysis.question, load_lexicon(analysis.language))
    if not text or question.selection is not None:
        return None
    asked = analyse_question(text, question.language, title=question.title)
    found = await retrieve_passages(source, question, asked, budget)
    return found if found.gate.passed else None


def accept_listed(
    found: SearchResult, question: Question, analysis: QuestionAnalysis
) -> SearchResult:
    """Let pass the row, measure, list, long form, definition or fact with its reason named whole.

    The gate knows little of cells, units, lists and the reason behind a sentence, and what
    the row says in another form is no unknown word. The book itself and what was said before are asked
    of in words of their own, and of selected text only what a sentence of it or beside it says is let
    pass.
    """
    if analysis.about_book or analysis.follow_up:
        return found
    if question.selection:
        marked = locate_selection(question.selection, found.passages)
        is_said = has_value_for(analysis, found.passages, marked) or has_beside(
            analysis, found.passages, marked
        )
        return replace(found, gate=replace(found.gate, passed=True)) if is_said else found
    is_said = (
        has_row_for(analysis, found.passages)
        or has_measure_for(analysis, found.passages)
        or has_reason_for(analysis, found.passages)
        or has_value_for(analysis, found.passages)
        or has_long_form_for(analysis, found.passages)
        or has_list_for(analysis, found.passages)
        or has_definition_for(analysis, found.passages)
    )
    if not is_said:
        return found
    return replace(found, gate=replace(found.gate, passed=True), unknown_words=())


def _read_otherwise(question: Question, analysis: QuestionAnalysis) -> list[QuestionAnalysis]:
    """Return the analyses of the question as else it may be asked, which are few or none.

    A page that it names is no talk around it: "On page 42, what is said of valves?"
    """
    if question.selection is not None or analysis.follow_up or analysis.about_book:
        return []
    language = question.language
    alone = "" if analysis.page else question_alone(analysis.question, language)
    lexicon, plain = load_lexicon(language), alone or analysis.question
    turned = (*ask_for_doer(plain, lexicon), *turn_voice(plain, lexicon))
    others = (text for text in (alone, *turned, _spell_out(analysis, question.title)) if text)
    return [analyse_question(text, language, title=question.title) for text in others]


def _spell_out(analysis: QuestionAnalysis, title: str) -> str:
    """Return the question with the words of the title that it asks of by their initials; "" if none.

    A book is full of the short form, and says what it is of the long one.
    """
    short = analysis.definiendum
    spelled = spell_out(short, title)
    return analysis.question.replace(short, spelled) if spelled else ""


def follow_spelling(analysis: QuestionAnalysis, found: SearchResult) -> QuestionAnalysis:
    """Return the question as it was searched where its words were corrected, its names with them."""
    searched = found.searched_question
    if not searched:
        return analysis
    meant = {one.asked: one.searched for one in found.corrections}
    written = {word.lower(): word for word in _WORD.findall(searched)}
    names = tuple(written.get(meant.get(name.lower(), ""), name) for name in analysis.names)
    return replace(reword_question(analysis, searched, searched), names=names)


def relax_gate(gate: Gate, threshold: float) -> Gate:
    """Return the gate as it is for a language model, which may itself say that it is not answered."""
    if gate.threshold <= threshold:
        return gate
    passed = gate.passed or gate.probability >= threshold
    return replace(gate, threshold=threshold, passed=passed)
