"""What somebody replies in a book stands for what it was asked."""

from dataclasses import replace

from services.generation.extractive.answerer import choose_places
from services.generation.extractive.candidates import list_candidates
from services.generation.model import Passage
from tests.support.displays import passages_of
from tests.support.generation_fakes import prompt

ASKED = '"Who broke the pump?" asked the clerk.'
LOOKED = "The smith looked at the river for a while."
REPLY = '"It was the miller\'s boy," he said at last.'
MORE = '"He came at night."'
CLOCK = '"When does the sluice open?"'
NOON = '"At noon," said the smith.'
TALE = "\n\n".join(("# The Pump", ASKED, LOOKED, f"{REPLY} {MORE}", CLOCK, NOON))


def tale() -> Passage:
    """The passage of a tale whose own question is all that is near the reader's."""
    [passage] = passages_of("tale.md", TALE.encode())
    spans = (
        replace(one, score=0.95 if passage.text_of(one) == ASKED else 0.1) for one in passage.spans
    )
    return replace(passage, spans=tuple(spans))


def test_a_reply_is_introduced_by_its_question_and_as_near_as_that() -> None:
    items = list_candidates([tale()])
    replies = {item.text: (item.intro_text, item.score) for item in items if item.is_reply}
    assert replies == {REPLY: (ASKED, 0.95), MORE: (ASKED, 0.95), NOON: (CLOCK, 0.1)}
    assert not {ASKED, CLOCK} & {item.text for item in items}, "what only asks answers nothing"


def test_the_reply_leads_behind_the_question_that_the_book_has_already() -> None:
    passage = tale()
    shown = [
        passage.text_of(one.span) for one in choose_places(prompt((passage,), "Who broke it?"))
    ]
    assert shown[:2] == [ASKED, REPLY]
