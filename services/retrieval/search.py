"""Search the index for candidates."""

from collections.abc import Sequence
from dataclasses import replace

from libs.errors import InvalidInput, WrongIndex
from libs.vectors.schema import Scope
from services.retrieval.model import (
    OTHERWISE_INDEXED,
    Candidate,
    QuestionVectors,
)
from services.retrieval.ports import PassageIndex


async def search_index(
    index: PassageIndex,
    scope: Scope,
    asked: Sequence[QuestionVectors],
    *,
    limit: int,
    timeout_s: float,
) -> list[list[Candidate]]:
    """Return the candidates of each question, none when the scope is an empty part of an indexed book.

    Raises WrongIndex when the whole edition has nothing in the index of the model in use, InvalidInput
    when no document of it has the section that the scope names.
    """
    found = await index.search(scope, asked, limit=limit, timeout_s=timeout_s)
    if any(found):
        return found
    edition = Scope(scope.book, scope.edition)
    if not await index.count(edition, timeout_s=timeout_s):
        raise WrongIndex(OTHERWISE_INDEXED)
    section = replace(edition, section_path=scope.section_path)
    if not await index.count(section, timeout_s=timeout_s):
        path = " > ".join(scope.section_path)
        raise InvalidInput(f'"{path}" is no section of this edition of the book.')
    return found
