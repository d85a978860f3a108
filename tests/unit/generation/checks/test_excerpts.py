"""Pieces of passages that one sentence is made of."""

from services.generation.checks.excerpts import Excerpt, join_texts
from tests.support.leads import passage_of


def test_items_and_rows_stand_in_lines_of_their_own_and_sentences_side_by_side() -> None:
    pieces = ("Take these:", "It is short.", "- One step", "- Two steps", "x | y")
    held = passage_of(pieces, [0.5] * len(pieces))
    excerpts = [Excerpt(held, (span,), (span,)) for span in held.spans]
    assert join_texts(excerpts) == "Take these: It is short.\n- One step\n- Two steps\nx | y"
    assert join_texts([]) == ""
