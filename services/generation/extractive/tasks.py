"""Find the sentence that begins to tell a task by its name: "To create a folder, right-click …".

"Click OK, and the folder is created" has all words of "How do I create a folder?" as well, and is the
last step of it.
"""

from collections.abc import Iterable

from libs.question.synonyms import are_said
from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.features import Asked


def telling_task(asked: Asked, items: Iterable[CandidateSpan]) -> CandidateSpan | None:
    """Return the first sentence with a clause for the whole task, and what to do for it."""
    if not asked.words:
        return None
    return next((one for one in items if _names_task(asked, one)), None)


def _names_task(asked: Asked, item: CandidateSpan) -> bool:
    clauses = (found["task"] for found in item.rules.task.finditer(item.text))
    language = asked.analysis.language
    return any(are_said(asked.words, one, asked.lexicon, language) for one in clauses)
