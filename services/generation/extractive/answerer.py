"""Answer in the words of the book, as they are: no language model.

A ranking fitted on labelled questions (ranking.json names them) orders the spans. The best one leads
the answer, or a whole list where one is asked for; a few others support it.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from libs.ml import LogisticModel, load_model
from libs.question.analyse import leave_claim, reword_question
from services.generation.extractive.about_book import choose_about_book
from services.generation.extractive.apart import things_apart
from services.generation.extractive.candidates import CandidateSpan, Ranked, list_candidates
from services.generation.extractive.each_part import lead_each_part
from services.generation.extractive.features import Asked, describe_candidates, read_asked
from services.generation.extractive.followed import (
    goes_on,
    repeats_answer,
    tells_what_is_added,
    what_comes_next,
    without_shown,
)
from services.generation.extractive.lead import (
    LedAnswer,
    RankedSubQuestion,
    choose_lead,
)
from services.generation.extractive.marked import lead_of_mark
from services.generation.extractive.openings import find_opening
from services.generation.extractive.places import Place
from services.generation.extractive.promised import with_promised
from services.generation.extractive.sub_questions import SubQuestionTerms, list_sub_question_terms
from services.generation.extractive.support import choose_support, shipped_support
from services.generation.extractive.whole_page import lead_of_page
from services.generation.model import Claim, DraftSentence, Prompt, Selection
from services.generation.transcript import Transcript

RANKING = Path(__file__).with_name("ranking.json")


class ExtractiveAnswerer:
    """Shows the span of the passages that answers best, and then what supports it."""

    def __init__(
        self, ranking: LogisticModel | None = None, support: LogisticModel | None = None
    ) -> None:
        self._ranking = ranking
        self._support = support

    async def write(
        self,
        prompt: Prompt,
        transcript: Transcript,  # noqa: ARG002 - there is no model to talk to
        allowed_s: float,  # noqa: ARG002 - a few milliseconds' work
    ) -> AsyncGenerator[DraftSentence, None]:
        for place in choose_places(prompt, self._ranking, self._support):
            passage = prompt.passages[place.source - 1]
            text = passage.text_of(place.span)
            claim = Claim(place.source, text, place.span.start - passage.locator.start)
            yield DraftSentence(text, (claim,), place.role)


def choose_places(
    prompt: Prompt, ranking: LogisticModel | None = None, support: LogisticModel | None = None
) -> list[Place]:
    """Return what to show, the lead first and what supports it after; nothing where nothing can lead.

    `ranking` and `support` are the shipped ones when they are not given.
    """
    if prompt.analysis.about_book is not None:
        return choose_about_book(prompt)
    if prompt.analysis.whole_page and prompt.selection is None:
        return lead_of_page(prompt, list_candidates(prompt.passages, prompt.analysis.language))
    answer = lead_answer(prompt, ranking or shipped_ranking())
    if repeats_answer(prompt, answer.lead):
        answer = _lead_unshown(prompt, ranking or shipped_ranking())
    answer = lead_of_mark(prompt, answer)
    if not answer.lead or _is_to_be_corrected(prompt, answer.lead):
        return []
    if repeats_answer(prompt, answer.lead) or _tells_of_other_things(prompt, answer.lead):
        return []
    most = prompt.settings.max_sentences
    return [*answer.lead, *choose_support(answer, most, support or shipped_support())]


def _is_to_be_corrected(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether the question takes for granted what the book says otherwise, and no answer says so.

    The refusal quotes it and says so; beside an answer that leaves it out a reader would take it for
    true, and a lead that says otherwise without a word for an answer to what was asked, were it only
    whether it is so.
    """
    other = prompt.other_value
    if other is None or prompt.selection is not None:
        return False
    shown = [prompt.passages[one.source - 1].text_of(one.span) for one in lead]
    # Where all is denied, another sentence may say in which case it is so.
    return bool(other.asked) or any(other.quote in text for text in shown)


def _tells_of_other_things(prompt: Prompt, lead: Sequence[Place]) -> bool:
    """Whether the sections that the lead stands in have no word of a thing that is asked about.

    Who marks text or goes on from an answer leaves unsaid what it is about.
    """
    if prompt.selection is not None or prompt.analysis.follow_up:
        return False
    held = [prompt.passages[one.source - 1].locator for one in lead]
    sections = {(one.document, one.section_path) for one in held}
    there = [
        "\n".join((*one.locator.section_path, one.text))
        for one in prompt.passages
        if (one.locator.document, one.locator.section_path) in sections
    ]
    return bool(things_apart(prompt.analysis, there))


def lead_answer(prompt: Prompt, ranking: LogisticModel, *, unshown: bool = False) -> LedAnswer:
    """Rank the spans of the passages, or what the last answer left, and choose what leads."""
    analysis = prompt.analysis
    if prompt.without_book:
        analysis = reword_question(analysis, prompt.without_book, prompt.without_book)
    prompt = replace(prompt, analysis=leave_claim(analysis))
    items = _outside(prompt.explain, list_candidates(prompt.passages, prompt.analysis.language))
    asked = read_asked(prompt, items)
    items = without_shown(asked, items) if unshown else items
    ranked = rank_spans(asked, items, ranking)
    parts = () if prompt.selection else prompt.analysis.sub_questions
    sub_questions = [
        _rank_part(terms, asked.about(terms.part, items), items, ranking)
        for terms in list_sub_question_terms(parts)
    ]
    if goes_on(prompt) and (behind := what_comes_next(asked, items)):
        return LedAnswer(asked, ranked, [], behind)
    lead = find_opening(asked, ranked, prompt.question)
    lead = lead or _lead_each_part(prompt, items, ranking)
    lead = lead or choose_lead(asked, ranked, sub_questions)
    return LedAnswer(asked, ranked, sub_questions, with_promised(asked, prompt.passages, lead))


def _lead_unshown(prompt: Prompt, ranking: LogisticModel) -> LedAnswer:
    """Choose what leads where the likeliest was shown before; it needs a word of what is asked."""
    answer = lead_answer(prompt, ranking, unshown=True)
    return answer if tells_what_is_added(prompt, answer.lead) else replace(answer, lead=[])


def _rank_part(
    terms: SubQuestionTerms, asked: Asked, items: Sequence[CandidateSpan], ranking: LogisticModel
) -> RankedSubQuestion:
    return RankedSubQuestion(terms, asked, rank_spans(asked, items, ranking))


def _lead_each_part(
    prompt: Prompt, items: Sequence[CandidateSpan], ranking: LogisticModel
) -> list[Place]:
    """Return what each of several parts says that the question names, by what it asks of each."""
    parts = prompt.parts_asked
    if parts is None:
        return []
    analysis = reword_question(prompt.analysis, parts.question, parts.question)
    asked = read_asked(replace(prompt, analysis=analysis), items)
    return lead_each_part(asked, rank_spans(asked, items, ranking), parts.chunk_ids)


def rank_spans(
    asked: Asked, items: Sequence[CandidateSpan], ranking: LogisticModel
) -> list[Ranked]:
    """Return the spans with their odds of being the answer, best first; equals stay in order."""
    ranked = []
    for item, features in zip(items, describe_candidates(asked, items), strict=True):
        probability = min(ranking.probability(features), 1 - 1e-9)
        ranked.append(Ranked(probability / (1 - probability), item))
    return sorted(ranked, key=lambda one: -one.odds)


@cache
def shipped_ranking() -> LogisticModel:
    return load_model(RANKING)


def _outside(explain: Selection | None, items: list[CandidateSpan]) -> list[CandidateSpan]:
    """Return the spans that may explain selected text: those outside it, or all when there are none."""
    if explain is None:
        return items
    beside = [
        item
        for item in items
        if not explain.covers(item.passage.locator.document, item.span.start, item.span.end)
    ]
    return beside or items
