"""What replies to what in a book whose people speak, and what is shown of it."""

import pytest

from services.generation.checks.speech import find_replies
from tests.support.displays import passages_of, show_verbatim

ASKED = '"Who broke the pump?" asked the clerk.'
LOOKED = "The smith looked at the river for a while."
REPLY = '"It was the miller\'s boy," he said at last.'
MORE = '"He came at night."'
CLOCK = '"When does the sluice open?"'
NOON = '"At noon," said the smith.'
TALE = "\n\n".join(("# The Pump", ASKED, LOOKED, f"{REPLY} {MORE}", CLOCK, NOON))


@pytest.mark.parametrize(
    ("paragraphs", "replies"),
    [
        ([['"Who?" he said.'], ['"I."']], {1: 0}),
        ([["“Speak,” he said.", "“Who was it?”"], ["“I.”", "“And you.”"]], {2: 1, 3: 1}),
        ([["「誰ですか」", "「私です」"]], {}),
        ([['"Who minds it?', 'I am too old."'], ['"The boy."']], {2: 0}),
        ([['"Who?" he said.'], ["He sat down."], ["It rained."], ['"I," she said.']], {3: 0}),
        ([['"Who?" he said.'], *([["It rained."]] * 3), ['"I," she said.']], {}),
        ([['"Who?" he said.'], ["It rained. " * 20], ['"I," she said.']], {}),
        ([["Who minds the pump?"], ['"The boy," they say.']], {}),
        ([['"The boy minds it," he said.'], ['"So he does."']], {}),
    ],
)
def test_a_reply_is_the_next_speech_behind_one_that_asks(
    paragraphs: list[list[str]], replies: dict[int, int]
) -> None:
    blocks = [number for number, held in enumerate(paragraphs) for _ in held]
    assert find_replies([text for held in paragraphs for text in held], blocks) == replies


def test_a_heading_or_a_table_between_ends_what_was_asked() -> None:
    assert find_replies(['"Who?" he said.', "The Next Day", '"I," she said.'], [0, -1, 2]) == {}


@pytest.mark.parametrize(
    ("quoted", "shown"),
    [
        (ASKED, f"{ASKED} {LOOKED} {REPLY}"),
        (CLOCK, f"{REPLY} {MORE} {CLOCK} {NOON}"),
        (NOON, f"{CLOCK} {NOON}"),
    ],
)
async def test_a_spoken_question_is_shown_with_its_reply_and_a_short_reply_with_that(
    quoted: str, shown: str
) -> None:
    passages = passages_of("tale.md", TALE.encode())
    assert (await show_verbatim(passages, [(quoted, quoted)])).endswith(shown)


async def test_a_talk_is_shown_from_the_turn_that_is_needed_not_from_where_it_opens() -> None:
    turns = [f'"Is boat {n} of oak?"\n\n"No. Boat {n} is of larch."' for n in range(5)]
    tale = "\n\n".join(("# The Yard", '"You are late," said Ada.', *turns))
    passages = passages_of("tale.md", tale.encode())
    reply = "Boat 4 is of larch."
    shown = await show_verbatim(passages, [(reply, reply)])
    assert "Is boat 4 of oak?" in shown
    assert "boat 2" not in shown.lower()
    assert "late" not in shown
