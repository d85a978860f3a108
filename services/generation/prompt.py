"""Choose what an answerer is given of passages, conversation and selection, within its tokens."""

from dataclasses import replace

from libs.profiles import Generation
from libs.question.analyse import QuestionAnalysis
from libs.question.framing import unframe_question
from libs.tokens import TokenCounter, context_window
from services.generation.model import Message, Passage, Prompt, Question, Selection
from services.generation.premise.find import find_other_value
from services.generation.selected import locate_selection

PASSAGES_DROPPED = "prompt: passages dropped"
HISTORY_DROPPED = "prompt: history dropped"
SELECTION_CUT = "prompt: selection cut"

_HISTORY_SHARE = 0.25
_SELECTION_SHARE = 0.25
_RULES_TOKENS = 1300
"""Room for what is not counted: the rules, the schema of structured output, marks and headings.

With ten passages the longest rules take some 1,200: the marks are random, so are their tokens."""


def fit_window(budget_tokens: int, model: str, max_tokens: int) -> int:
    """Return `budget_tokens`, cut to what `model` takes beside its rules and its answer.

    A model that is not known, or "" for none, is given `budget_tokens`.
    """
    window = context_window(model)
    if window is None:
        return budget_tokens
    return max(0, min(budget_tokens, window - max_tokens - _RULES_TOKENS))


def pack_prompt(
    question: Question,
    analysis: QuestionAnalysis,
    passages: tuple[Passage, ...],
    *,
    settings: Generation,
    budget_tokens: int,
    counter: TokenCounter,
) -> tuple[Prompt, tuple[str, ...]]:
    """Return a prompt of at most `budget_tokens`, and which kinds of material were left out.

    History takes at most a quarter, newest first, and so does selected text to be explained, by its
    beginning: the passages hold it. They take the rest, best first. The best passage is
    always kept: a chunk is bounded, and without it there is nothing to answer from.
    """
    degraded: list[str] = []
    last = question.history[max(0, len(question.history) - settings.history_messages) :]
    history = _fit_history(last, int(budget_tokens * _HISTORY_SHARE), counter)
    if len(history) < len(last):
        degraded.append(HISTORY_DROPPED)
    explain = None
    left = budget_tokens - counter.count(analysis.question)
    if question.selection is not None and not question.text:
        explain = _fit_selection(question.selection, int(budget_tokens * _SELECTION_SHARE), counter)
        left -= counter.count(explain.text)
        if explain != question.selection:
            degraded.append(SELECTION_CUT)
    left -= sum(counter.count(message.content) for message in history)
    kept = _fit_passages(passages, left, counter)
    if len(kept) < len(passages):
        degraded.append(PASSAGES_DROPPED)
    asked = unframe_question(question.text, question.language)
    follow_up = asked if history and analysis.question != asked else ""
    selection = locate_selection(question.selection, kept) if question.selection else None
    other = find_other_value(analysis, kept)
    prompt = Prompt(analysis, kept, settings, history, explain, selection, follow_up, other)
    return replace(prompt, authors=question.authors), tuple(degraded)


def _fit_passages(
    passages: tuple[Passage, ...], left: int, counter: TokenCounter
) -> tuple[Passage, ...]:
    kept: list[Passage] = []
    for passage in passages:
        cost = counter.count_kept(passage.text)
        cost += sum(map(counter.count, (passage.table_header, *passage.footnotes)))
        if cost <= left or not kept:
            kept.append(passage)
            left -= cost
    return tuple(kept)


def _fit_selection(selection: Selection, budget_tokens: int, counter: TokenCounter) -> Selection:
    text = selection.text
    while (tokens := counter.count(text)) > budget_tokens:
        text = text[: len(text) * budget_tokens // tokens]
    return selection if text == selection.text else replace(selection, text=text)


def _fit_history(
    history: tuple[Message, ...], budget_tokens: int, counter: TokenCounter
) -> tuple[Message, ...]:
    kept: list[Message] = []
    for message in reversed(history):
        budget_tokens -= counter.count(message.content)
        if budget_tokens < 0:
            break
        kept.append(message)
    return tuple(reversed(kept))
