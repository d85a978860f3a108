"""Search the index for candidates."""

import asyncio
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


async def search_part(
    index: PassageIndex,
    scope: Scope,
    asked: Sequence[QuestionVectors],
    question: QuestionVectors | None,
    *,
    limit: int,
    book_limit: int,
    timeout_s: float,
) -> tuple[list[list[Candidate]], Sequence[Candidate]]:
    """Return the candidates of each question, and those of the rest of the book for `question`.

    Without it only the scope is searched. Raises as `search_index`.
    """
    searching = search_index(index, scope, asked, limit=limit, timeout_s=timeout_s)
    if question is None:
        return await searching, ()
    book = Scope(scope.book, scope.edition)
    of_book = index.search(book, [question], limit=book_limit, timeout_s=timeout_s)
    found, [everywhere] = await asyncio.gather(searching, of_book)
    held = {item.chunk.chunk_id for item in found[0]}
    return found, [item for item in everywhere if item.chunk.chunk_id not in held]


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
