"""Choose what leads an answer, from spans in the order of their odds.

One span answers a fact and the whole list a list; a comparison takes a table with a column for each
sub-question, or else the best span for each. A span that depends on the one before it, or on its
introduction, is shown after that.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from libs.language.entries import OFF
from libs.question.expected import AnswerKind, attribute_of, may_hold, says_required
from libs.question.said import share_of_words
from libs.question.synonyms import are_said
from libs.text import collapse_space, is_question, words
from services.generation.extractive.alternatives import naming_alternative
from services.generation.extractive.announced import all_announced, is_led_to
from services.generation.extractive.bare_titles import is_bare_title
from services.generation.extractive.behind import with_behind
from services.generation.extractive.beside_mark import asked_of_mark
from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.columns import is_empty_for
from services.generation.extractive.defaults import (
    find_default,
    leave_out_changes,
)
from services.generation.extractive.defining import (
    FITTING_AMONG,
    find_defining,
    find_named,
    names_nowhere,
    without_code,
)
from services.generation.extractive.definitions import opens_section_of
from services.generation.extractive.extremes import rows_at_extreme, rows_compared
from services.generation.extractive.features import Asked
from services.generation.extractive.fuller import saying_more_first
from services.generation.extractive.intro import with_intro
from services.generation.extractive.joined_names import leave_out_joined_names
from services.generation.extractive.labels import find_labelled
from services.generation.extractive.lists import steps_around, whole_list
from services.generation.extractive.lookup import find_row, lacks_row
from services.generation.extractive.measures import find_measure
from services.generation.extractive.named import naming_first
from services.generation.extractive.neighbours import with_neighbour
from services.generation.extractive.others import is_row_of_other, leave_out_others
from services.generation.extractive.places import (
    Place,
    place_of,
)
from services.generation.extractive.reasons import (
    explaining_first,
    is_unexplained,
    says_all_and_why,
    with_reason,
)
from services.generation.extractive.rows import rows_asked_of
from services.generation.extractive.short_forms import find_long_form
from services.generation.extractive.signs import naming_sign_first
from services.generation.extractive.sought import naming_somebody_first, of_thing_sought
from services.generation.extractive.sub_questions import SubQuestionTerms
from services.generation.extractive.thing_named import naming_thing
from services.generation.model import BlockKind

_LIKELY = 0.1
"""Share of the best span's odds from which another one may say what is required of the thing that is
asked about: so 7 of 105 answerable questions are refused, and 8 of 13 that have no answer."""

_ALIKE = 0.8
"""Share of common terms from which two spans count as one."""


_AS_LIKELY = 0.25
"""Share of the best span's odds from which another one leads for telling how."""


_NEAR = 24
"""Likeliest spans of which one may tell what a thing is that is compared."""

_CLAUSE_WORDS = 4
"""Words from which on a clause says something of what it names."""


@dataclass(frozen=True)
class RankedSubQuestion:
    """A sub-question, and the spans ranked for it alone."""

    terms: SubQuestionTerms
    asked: Asked
    ranked: Sequence[Ranked]


@dataclass(frozen=True)
class LedAnswer:
    """The spans found for a question by their odds, and what of them leads; nothing where none can."""

    asked: Asked
    ranked: Sequence[Ranked]
    sub_questions: Sequence[RankedSubQuestion]
    lead: Sequence[Place]


def choose_lead(
    asked: Asked, ranked: Sequence[Ranked], sub_questions: Sequence[RankedSubQuestion]
) -> list[Place]:
    """Return what leads, in the order in which it is read; nothing where nothing can lead."""
    is_unnamed = names_nowhere(asked, (one.item for one in ranked))
    fit = [] if is_unnamed else fit_to_lead(asked, ranked)
    if asked.analysis.deictic:
        fit = asked_of_mark(asked, fit)
    fit = leave_out_changes(asked, leave_out_joined_names(asked, without_code(asked, fit)))
    whole = [one.item for one in fit]
    if spelled := find_long_form(asked.analysis, whole):
        return with_intro(spelled)
    if compared := rows_compared(asked, whole):
        return [place_of(row) for row in compared]
    if not asked.own:
        fit = naming_thing(asked, leave_out_others(asked, naming_alternative(asked, fit)))
        # A follow-up goes on with a subject that it need not name.
        fit = naming_first(asked.analysis, fit, _text_and_over)
    if not fit:
        return []
    if sub_questions:
        return _told_of_each(asked, sub_questions, fit)
    looked_up = _look_up(asked, fit, whole)
    if looked_up is not None:
        return looked_up
    return _lead_of(asked, fit if asked.own else naming_sign_first(asked, fit), ranked)


def _lead_of(asked: Asked, fit: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Place]:
    """Return what leads of the spans that may, where one thing is asked and no table has its row."""
    required = naming_somebody_first(asked, _saying_what_is_required(asked, fit))
    sufficient = saying_more_first(asked, explaining_first(asked, required))
    extreme = rows_at_extreme(asked, (sufficient or fit)[0].item, fit)
    if extreme is not None or not sufficient or is_unexplained(asked, sufficient[0].item):
        return [place for row in extreme or () for place in with_intro(row)]
    if told := find_default(asked, fit) or _whole_list(asked, fit, ranked):
        return told
    fitting = find_defining(asked, fit) or _telling_how(asked, fit) or _locating(asked, fit)
    likeliest = fitting or sufficient[0].item
    if more := all_announced(asked, likeliest) or _list_led_to(asked, fit, ranked):
        return more
    if fitting is not None:
        steps = _steps_of(asked, fitting, ranked)
        return steps or with_behind(asked, fitting, with_intro(fitting))
    if labelled := find_labelled(asked, fit):
        return labelled
    first = sufficient[0].item
    told = with_reason(asked, first) or with_neighbour(asked, fit, first)
    return with_behind(asked, first, told or with_intro(first))


def _look_up(
    asked: Asked, fit: Sequence[Ranked], whole: Sequence[CandidateSpan]
) -> list[Place] | None:
    """Return the row that is looked up, nothing where a table lacks it; None where no table has it.

    It is told from all rows of its table, of which `fit` may have left others out.
    """
    is_extreme = asked.lexicon.extremes.asked.search(asked.analysis.question) is not None
    # What a row says is so gives no reason for it.
    if asked.own or asked.selection or is_extreme or asked.expects(AnswerKind.CAUSE):
        return None
    items = [one.item for one in fit]
    row = find_row(asked.analysis, whole)
    if row is not None and row.key in {item.key for item in items}:
        is_empty = is_empty_for(asked.analysis, row.text, row.intro_text)
        return [] if is_empty else with_intro(row)
    if measure := find_measure(asked.analysis, items):
        return [measure]
    return [] if lacks_row(asked.analysis, items) else None


def fit_to_lead(asked: Asked, ranked: Iterable[Ranked]) -> list[Ranked]:
    """Drop spans that cannot answer (pointers, objectives, titles, questions); put repeats last."""
    statements = [
        one
        for one in ranked
        if not is_question(one.item.text)
        and not asked.points_elsewhere(one.item)
        and not is_bare_title(asked, one.item)
    ]
    return sorted(statements, key=lambda one: is_said_again(asked, one.item))


def _saying_what_is_required(asked: Asked, fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans that may say the quantity, date or name without which nothing answers.

    One that is far less likely than the best says it of something else, unless it names an attribute
    that is asked for: nothing else does.
    """
    expected, least = asked.analysis.expected, _LIKELY * fit[0].odds
    if not expected.required:
        return list(fit)
    question, lexicon = asked.analysis.question, asked.lexicon
    shares = _share_words(asked, fit)
    most = max(shares.values(), default=0.0)
    holding = [
        one
        for one in fit
        if may_hold(expected, one.item.text, one.item.over, lexicon, question=question)
    ]
    kept = [one for one in holding if one.odds >= least or shares.get(one.item.key) == most]
    if expected.kind is AnswerKind.QUANTITY:
        kept = [one for one in kept if not is_row_of_other(question, one.item, lexicon)]
    if not kept and attribute_of(expected.kind, question, lexicon):
        kept = holding
    kept = of_thing_sought(asked, kept, fit)
    # The first is the likeliest of those with as many words that surely say what is required.
    return sorted(
        kept,
        key=lambda one: (
            -shares.get(one.item.key, 0.0),
            bool(shares) and not says_required(expected, one.item.text, lexicon, question=question),
        ),
    )


def _share_words(asked: Asked, fit: Sequence[Ranked]) -> dict[tuple[str, int], float]:
    """Return the share of the question's words that each span has with its title, by its key.

    The odds were fitted to English, so that of other languages they tell less. None for English.
    """
    if not asked.lexicon.values.alike_from:
        return {}
    question = asked.analysis.question
    texts = {one.item.key: f"{one.item.text}\n{one.item.heading}" for one in fit}
    return {key: share_of_words(question, text, asked.lexicon) for key, text in texts.items()}


def _text_and_over(one: Ranked) -> str:
    return f"{one.item.text}\n{one.item.over}"


def is_said_again(asked: Asked, item: CandidateSpan) -> bool:
    """Whether an earlier answer said it, and it does not have all that the follow-up names."""
    if not asked.said or collapse_space(item.text) not in asked.said:
        return False
    return not asked.own or not asked.own <= item.terms


def _telling_how(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span that says what to do, if that is asked and one is near."""
    if not asked.expects(AnswerKind.PROCEDURE):
        return None
    least = _AS_LIKELY * fit[0].odds
    near = [one.item for one in fit[:FITTING_AMONG] if one.odds >= least]
    return _saying_all_first(asked, [item for item in near if item.tells_how])


def _steps_of(asked: Asked, item: CandidateSpan, ranked: Sequence[Ranked]) -> list[Place]:
    return steps_around(asked, item, ranked) if asked.expects(AnswerKind.PROCEDURE) else []


def _saying_all_first(asked: Asked, told: Sequence[CandidateSpan]) -> CandidateSpan | None:
    """Return the first of the spans, or one that has all words of the question where that lacks one."""
    lexicon, language = asked.lexicon, asked.analysis.language
    if not told or not asked.words:
        return next(iter(told), None)
    around = "\n".join((told[0].text, told[0].over, told[0].titles_text))
    if are_said(asked.words, around, lexicon, language):
        return told[0]
    whole = (one for one in told if are_said(asked.words, one.text, lexicon, language))
    return next(whole, told[0])


def _locating(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span that says where something is, if that is asked and one is near."""
    if not asked.expects(AnswerKind.PLACE):
        return None
    least = _LIKELY * fit[0].odds
    near = (one.item for one in fit[:FITTING_AMONG] if one.odds >= least)
    return next((item for item in near if item.locates), None)


def _whole_list(asked: Asked, fit: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Place]:
    """Return a whole list where several things or the way are asked for and one is; [] elsewhere."""
    is_list = asked.expects(AnswerKind.LIST, AnswerKind.PROCEDURE)
    return whole_list(asked, fit, ranked) if asked.types.list_of_things or is_list else []


def _list_led_to(asked: Asked, fit: Sequence[Ranked], ranked: Sequence[Ranked]) -> list[Place]:
    """Return the whole list below the line that says all that is asked; [] elsewhere.

    "What should a report have?" is answered below "Your report should have:", unless the likeliest
    span says as much.
    """
    if _says_all_asked(asked, fit[0]):
        return []
    is_any = asked.expects(AnswerKind.ANY, AnswerKind.DEFINITION, AnswerKind.LIST)
    led = [one for one in fit if is_any and is_led_to(asked, one.item)]
    return whole_list(asked, led, ranked) if led else []


def _says_all_asked(asked: Asked, one: Ranked) -> bool:
    """Whether a span has all words of the question itself."""
    return share_of_words(asked.analysis.question, one.item.text, asked.lexicon) == 1.0


def _table_of(
    asked: Asked, sub_questions: Sequence[RankedSubQuestion], fit: Sequence[Ranked]
) -> list[Place]:
    """Return the likeliest table with columns for several sub-questions, or the rows that are asked of.

    [] when no table has such columns; a cell that names several of them heads none.
    """
    rows = [
        one.item
        for one in fit
        if one.item.span.kind is BlockKind.TABLE and _heads_several(one.item, sub_questions)
    ]
    if not rows:
        return []
    held = [item for item in rows if (item.source, item.intro) == (rows[0].source, rows[0].intro)]
    held = rows_asked_of(asked, held)
    return [place_of(item) for item in sorted(held, key=lambda item: item.index)]


def _heads_several(item: CandidateSpan, sub_questions: Sequence[RankedSubQuestion]) -> bool:
    headed = [sub_question.terms.heads(item) for sub_question in sub_questions]
    named = Counter(chain.from_iterable(headed))
    return sum(any(named[cell] == 1 for cell in cells) for cells in headed) > 1


def _told_of_each(
    asked: Asked, sub_questions: Sequence[RankedSubQuestion], fit: Sequence[Ranked]
) -> list[Place]:
    """Return what tells of each thing: a sentence of all and why, a table, the best of each."""
    compares = asked.lexicon.sub_questions.contrasting
    comparing = (one.item for one in fit if compares.search(one.item.text))
    if why := next((item for item in comparing if says_all_and_why(asked, item)), None):
        return with_intro(why)
    return _table_of(asked, sub_questions, fit) or _best_of_each(asked, sub_questions)


def _best_of_each(asked: Asked, sub_questions: Sequence[RankedSubQuestion]) -> list[Place]:
    """Return the best span for each sub-question, in their order."""
    chosen: list[CandidateSpan] = []
    for sub_question in sub_questions:
        fit = fit_to_lead(asked, sub_question.ranked)
        items = [
            one.item
            for one in fit
            if not is_repeated(one.item, chosen)
            and _has_thing(sub_questions, sub_question, one.item)
        ]
        if not items:
            continue
        # The clearest about the sub-question; of equals the likeliest, which comes first.
        clearest = max(items, key=lambda item: _is_about(sub_question, sub_questions, item))
        telling = _telling_what(sub_question, sub_questions, clearest, fit)
        chosen.append(telling if telling in items and telling else clearest)
    return list(dict.fromkeys(chain.from_iterable(map(with_intro, chosen))))


def _telling_what(
    sub_question: RankedSubQuestion,
    sub_questions: Sequence[RankedSubQuestion],
    clearest: CandidateSpan,
    fit: Sequence[Ranked],
) -> CandidateSpan | None:
    """Return the span that says of which kind the thing is; where only that is asked, what tells it.

    One that has a clause for each thing that is compared has them side by side.
    """
    asked = sub_question.asked
    named = find_named(asked, sub_question.ranked)
    is_told = asked.defined_by(clearest) == 1.0 or _is_parallel(sub_questions, clearest)
    if named or is_told or not sub_question.terms.part.plain:
        return named
    opening = (one for one in fit[_NEAR:] if opens_section_of(one.item, asked.thing))
    near = [one for one in fit[:_NEAR] if not _only_names(sub_questions, one.item)]
    near += opening
    telling = find_defining(asked, near) if near else None
    return telling if telling and sub_question.terms.is_of(telling) else None


def _only_names(sub_questions: Sequence[RankedSubQuestion], item: CandidateSpan) -> bool:
    """Whether a sentence names all that is compared, and says of none what the others are not."""
    contrasting = sub_questions[0].asked.lexicon.sub_questions.contrasting
    is_told = contrasting is OFF or contrasting.search(item.text) is not None
    if is_told or item.span.kind is not BlockKind.PARAGRAPH:
        return False
    names_all = all(one.terms.own <= item.terms for one in sub_questions)
    return names_all and not _is_parallel(sub_questions, item)


def _is_parallel(sub_questions: Sequence[RankedSubQuestion], item: CandidateSpan) -> bool:
    """Whether a span says something of each thing, and does not only name them together."""
    lexicon = sub_questions[0].asked.lexicon
    if lexicon.sub_questions.contrasting.search(item.text):
        return all(part.terms.own <= item.terms for part in sub_questions)
    ends = lexicon.checks.polarity.clause_end
    clauses = [one for one in ends.split(item.text) if one and len(words(one)) >= _CLAUSE_WORDS]
    told = [distinct_terms(one) for one in clauses]
    return all(any(part.terms.own <= one for one in told) for part in sub_questions) and not any(
        all(part.terms.own <= one for part in sub_questions) for one in told
    )


def _has_thing(
    sub_questions: Sequence[RankedSubQuestion], sub_question: RankedSubQuestion, item: CandidateSpan
) -> bool:
    """Whether a span names, with its titles, what the first clause wants explained, if its own does."""
    thing, asked_in = sub_questions[0].asked.thing, sub_question.terms.part.question
    is_later = sub_question is not sub_questions[0]
    if not is_later or not thing or not thing <= distinct_terms(asked_in):
        return True
    return thing <= item.terms | item.titles | distinct_terms(item.over)


def _is_about(
    sub_question: RankedSubQuestion, sub_questions: Sequence[RankedSubQuestion], item: CandidateSpan
) -> tuple[bool, bool, bool]:
    """Rank a span by how clearly it names this sub-question, and not another one.

    Where it is only asked what each is, one that but names all of them says of none what it is.
    """
    others = any(other.terms.titles(item) for other in sub_questions if other is not sub_question)
    is_its = sub_question.terms.titles(item) or not others
    only_names = sub_question.terms.part.plain and _only_names(sub_questions, item)
    return is_its, sub_question.terms.share_in(item) == 1.0, not only_names


def is_repeated(item: CandidateSpan, others: Sequence[CandidateSpan]) -> bool:
    return any(
        len(item.terms & other.terms) >= _ALIKE * len(item.terms | other.terms) for other in others
    )
