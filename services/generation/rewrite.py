"""Make a question that leans on the conversation whole, so that it can be searched alone.

There are two ways: by rule, always; and by the model that will answer, where there is one and time for
it. What the model writes is shown as what was searched for, so it may only order words of the
conversation.
"""

from dataclasses import dataclass, replace

from libs.budget import Budget, stages
from libs.errors import QuothError
from libs.language.asked_in import language_told
from libs.language.lexicon import load_lexicon
from libs.profiles import Generation
from libs.question.analyse import QuestionAnalysis, analyse_question, reword_question
from libs.question.follow_up import Conversation, cut_text
from libs.question.framing import unframe_question
from libs.text import collapse_space, terms, words
from services.generation.model import Question, Role
from services.generation.ports import FollowUp, QuestionRewriter
from services.generation.transcript import Transcript

EXPLAIN = "Explain this passage."

BY_RULES = "rewrite: by rules"

LEAST_S = 0.3
"""Seconds that must be left for a model to be worth asking."""

_LONGEST = 300
"""Characters of a question; what is longer is no question, or holds an answer."""

_MAX_SELECTION_SEARCHED = 1500


@dataclass(frozen=True)
class Rewritten:
    """What is searched for, and the steps that were left out."""

    analysis: QuestionAnalysis
    degraded: tuple[str, ...] = ()


async def rewrite_question(
    question: Question,
    analysis: QuestionAnalysis,
    settings: Generation,
    *,
    rewriter: QuestionRewriter | None,
    transcript: Transcript,
    budget: Budget,
) -> Rewritten:
    """Return a follow-up made whole by `rewriter` if it does so in time, else as it was by rule.

    `transcript` is filled with what the model was given and wrote.
    """
    if rewriter is None or not analysis.follow_up:
        return Rewritten(analysis)
    asked = FollowUp(question, analysis.asked_terms, settings)
    by_model = await rewrite_by_model(asked, rewriter, transcript, budget)
    if not by_model:
        return Rewritten(analysis, (BY_RULES,))
    return Rewritten(reword_question(analysis, question.text, by_model))


async def rewrite_by_model(
    asked: FollowUp, rewriter: QuestionRewriter, transcript: Transcript, budget: Budget
) -> str:
    """Return the question made whole; "" when the model fails, is late or brings words of its own."""
    if budget.allowance_s(stages.REWRITE) < LEAST_S:
        return ""
    try:
        async with budget.stage(stages.REWRITE) as allowed_s:
            written = await rewriter.rewrite(asked, transcript, allowed_s)
    except QuothError:
        return ""
    whole = collapse_space(written)
    return whole if is_faithful(whole, asked) else ""


def is_faithful(whole: str, asked: FollowUp) -> bool:
    """Whether `whole` names what was asked for, in words and with negations of the conversation."""
    if not 0 < len(whole) <= _LONGEST or not _keeps_negations(whole, asked.question):
        return False
    said, known = set(terms(whole)), set(terms(asked.question.text))
    known.update(*(terms(message.content) for message in asked.question.history))
    return bool(said) and asked.named <= said <= known


def _keeps_negations(whole: str, question: Question) -> bool:
    """Whether what is denied stays so, and nothing more is than the reader has denied so far."""
    own = _count_negations(question.text, question.language)
    earlier = (one.content for one in question.history if one.role is Role.USER)
    before = sum(_count_negations(text, question.language) for text in earlier)
    return own <= _count_negations(whole, question.language) <= own + before


def _count_negations(text: str, language: str) -> int:
    polarity = load_lexicon(language).checks.polarity
    return sum(
        word in polarity.negations or word.endswith(polarity.endings) for word in words(text)
    )


def choose_language(question: Question) -> Question:
    """Return the question with that of the book's languages that it, or what was asked before, is in.

    Selected text alone tells its own.
    """
    asked = [message.content for message in question.history if message.role is Role.USER]
    selected = question.selection.text if question.selection and not question.text else ""
    for text in (question.text, selected, *reversed(asked)):
        told = language_told(text, question.language, question.languages)
        if told:
            return replace(question, language=told) if told in question.languages else question
    return question


def read_question(question: Question) -> QuestionAnalysis:
    """Return the analysis of the question made whole by rule, which every stage goes by.

    Selected text alone is searched for by its own words.
    """
    selection = question.selection
    if not question.text:
        words = collapse_space(selection.text) if selection else ""
        text = cut_text(words, _MAX_SELECTION_SEARCHED) or EXPLAIN
        return analyse_question(text, question.language, of_selection=True)
    return analyse_question(
        question.text,
        question.language,
        before=_read_conversation(question) if question.history else None,
        of_selection=selection is not None,
        title=question.title,
    )


def _read_conversation(question: Question) -> Conversation:
    history = question.history
    said_before = (message.content for message in history if message.role is Role.USER)
    asked = tuple(unframe_question(text, question.language) for text in said_before)
    said = [message.content for message in history if message.role is Role.ASSISTANT]
    return Conversation(asked, said[-1] if said else "")
