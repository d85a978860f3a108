"""Make golden questions of graded answers, and say what to do where too little is found."""

from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]

KIND = "graded"
NO_PLACE = "the grade does not say where the book answers"
SELECTED = "the question is about selected text alone"

LARGER_MODEL = (
    "a document may be missing. If none is, a larger embedding model may find more: "
    "QUOTH_EMBEDDER=openai QUOTH_EMBEDDER_MODEL=text-embedding-3-large, with a key "
    "(deploy/OPERATIONS.md, Change the embedding model)."
)
"""What to do where more questions find nothing than the alarm allows."""


def golden_rows(answers: Iterable[Json]) -> tuple[list[Json], dict[str, str]]:
    """Return a golden row for each graded answer, and of those left out why, by their ids.

    A right answer stands where it was cited; of a wrong one, and of a refusal that should have been an
    answer, the reviewer says where. Of a question that was graded more than once the newest row counts.
    """
    rows: dict[str, Json] = {}
    omitted: dict[str, str] = {}
    for answer in answers:
        question = answer["question"].strip()
        if answer["grade"] is None or question in rows:
            continue
        answerable, gold = _judge(answer)
        if not question:
            omitted[answer["answer_id"]] = SELECTED
        elif answerable and not gold:
            omitted[answer["answer_id"]] = NO_PLACE
        else:
            rows[question] = {
                "id": answer["answer_id"],
                "kind": KIND,
                "question": question,
                "answerable": answerable,
                "gold": gold,
                "need": "any",
            }
    return list(rows.values()), omitted


def _judge(answer: Json) -> tuple[bool, list[Json]]:
    """Return whether the book answers, and where."""
    grade = answer["grade"]
    if grade["grade"] == "should_have_refused":
        return False, []
    if grade["grade"] == "right" and answer["outcome"] == "refused":
        return False, []
    if grade["quote"]:
        return True, [{"path": grade["document"], "quote": grade["quote"]}]
    if grade["grade"] != "right":
        return True, []
    return True, [{"path": one["document"], "quote": one["quote"]} for one in answer["citations"]]
