"""What a glossary has an entry for is compared by its entries, in however few words they are."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.definitions import has_entries_for
from tests.support.generation_fakes import passage

PRIMARY = "Primary air: Air that reaches the wood from below."
SECONDARY = "Secondary air: Air that burns the gases."


@pytest.mark.parametrize(
    ("asked", "lines", "has"),
    [
        ("Compare primary air and secondary air", (PRIMARY, SECONDARY), True),
        ("What is the difference between primary air and secondary air?", (PRIMARY,), False),
        ("Compare primary air and fuel", (PRIMARY, SECONDARY), False),
        ("What is primary air?", (PRIMARY,), False),
    ],
)
def test_both_of_two_things_need_an_entry(asked: str, lines: tuple[str, ...], has: bool) -> None:
    held = tuple(passage(line, "\n".join(lines)) for line in lines)
    assert has_entries_for(analyse_question(asked, "en"), held) is has
