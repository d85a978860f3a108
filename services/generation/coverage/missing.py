"""List what a question names, compares or takes for granted and no passage mentions."""

from libs.question.analyse import QuestionAnalysis
from libs.text import words
from services.generation.coverage.comparison import list_missing_entities
from services.generation.coverage.entities import list_unmentioned
from services.generation.coverage.untold import list_untold
from services.generation.model import Question, SearchResult
from services.generation.other_value import OtherValue


def list_missing(
    question: Question,
    analysis: QuestionAnalysis,
    found: SearchResult,
    other: OtherValue | None,
) -> tuple[str, ...]:
    """Return it in order, each once; `other` is what the book says in place of what is asked."""
    titled = frozenset(words(question.title))
    named = () if question.selection else list_unmentioned(analysis, found.passages)
    named = tuple(name for name in named if not titled.issuperset(words(name)))
    compared = list_missing_entities(analysis, found.passages)
    is_lacked = other is not None and not other.stands_in(one.text for one in found.passages)
    taken = (other.asked,) if other and other.asked and is_lacked else ()
    untold = () if question.selection else list_untold(analysis, found.passages)
    return tuple(dict.fromkeys((*compared, *named, *taken, *untold)))
