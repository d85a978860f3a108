"""A follow-up is answered by what it speaks of, and what was said is not said again."""

from dataclasses import replace

from libs.profiles import load_profile
from libs.tokens import TokenCounter
from services.generation.adapters.conversation import turn_to_follow_up
from services.generation.adapters.extractive_answerer import choose_places
from services.generation.adapters.quotable import list_quotables
from services.generation.model import BlockKind, Locator, Message, Passage, Role, Unit
from services.generation.prompt import pack_prompt
from tests.support.generation_fakes import PASSAGES, prompt, question

LINES = (
    "The lift is a platform that oil pushes up.",
    "Oil is pumped through a hose to the lift.",
    "The price of the lift is 9,000 in the small size.",
    "Most of them are painted yellow.",
)
TOLD = (
    Message(Role.USER, "What is a lift?"),
    Message(Role.ASSISTANT, f"{LINES[0]} [Source 1]\n{LINES[1]}"),
)


def ordered(follow_up):
    """The lines from the most to the least likely, all as likely as each other before."""
    text, units = "", []
    for line in LINES:
        units.append(Unit(len(text), len(text) + len(line), BlockKind.PARAGRAPH, 0.5))
        text += line + "\n"
    passage = Passage("c-1", Locator("a.md", 0, len(text), ("Lifts",)), text, tuple(units))
    asked = prompt((passage,), f"What is a lift? {follow_up}", history=TOLD, follow_up=follow_up)
    ranked = [(1.0, item) for item in list_quotables(asked.passages)]
    return [item.text for _, item in turn_to_follow_up(asked, ranked)]


def test_what_the_follow_up_names_comes_first():
    assert ordered("and at what price?")[0] == LINES[2]


def test_what_was_said_comes_last():
    assert ordered("tell me more")[2:] == list(LINES[:2])


def test_what_was_said_is_said_again_where_it_alone_has_what_the_follow_up_names():
    assert ordered("and the hose?")[0] == LINES[1]


def test_the_answer_to_a_follow_up_is_another_one():
    passages = tuple(
        Passage(
            f"c-{number}",
            Locator("a.md", 1000 * number, 1000 * number + len(line), (f"Part {number}",)),
            line,
            (Unit(1000 * number, 1000 * number + len(line), BlockKind.PARAGRAPH, 0.5),),
        )
        for number, line in enumerate(LINES)
    )

    def first(text, **fields):
        asked = prompt(passages, text, **fields)
        settings = replace(asked.settings, max_sentences=1)
        places = choose_places(replace(asked, settings=settings))
        return passages[places[0].source - 1].text

    assert first("What is a lift?") == LINES[0]
    told = {"history": TOLD, "follow_up": "tell me more"}
    assert first("What is a lift? tell me more", **told) not in LINES[:2]


def test_only_a_question_that_was_made_whole_is_a_follow_up(tmp_path_factory):
    counter = TokenCounter(tmp_path_factory.getbasetemp() / "cache")

    def packed(asked, searched):
        settings = load_profile("").generation
        room = {"settings": settings, "budget_tokens": 1000, "counter": counter}
        return pack_prompt(asked, searched, PASSAGES, **room)[0].follow_up

    assert packed(question("and why?", history=TOLD), "What is a lift? and why?") == "and why?"
    assert packed(question("What is a lift?", history=TOLD), "What is a lift?") == ""
