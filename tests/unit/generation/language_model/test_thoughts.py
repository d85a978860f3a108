"""What a model thinks aloud is taken out of its text, however it comes in pieces."""

import pytest

from services.generation.language_model.thoughts import Habit, Thoughts, without_thoughts

ANSWER = 'A servo turns. [Source 1: "A servo turns"]\n'
NEXT = "<|end|><|start|>assistant<|channel|>"


def in_pieces(text: str, size: int, habit: Habit | None = None) -> str:
    """What is left of a text that comes in pieces of `size` characters."""
    thoughts = Thoughts(habit or Habit())
    shown = ""
    for start in range(0, len(text), size):
        piece = thoughts.feed(text[start : start + size])
        shown = piece if thoughts.take_restart() else shown + piece
    return shown + thoughts.finish()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        (ANSWER, ANSWER),
        (f"<think>Hm. Let me see.</think>{ANSWER}", ANSWER),
        (f"<think>\nHm.\nA servo flies.\n</think>\n\n{ANSWER}", f"\n\n{ANSWER}"),
        (f"<thinking>Hm.</thinking>{ANSWER}", ANSWER),
        (f"<Thought>Hm.</Thought>{ANSWER}", ANSWER),
        (f"<seed:think>Hm.</seed:think>{ANSWER}", ANSWER),
        (f"[THINK]Hm.[/THINK]{ANSWER}", ANSWER),
        (f"◁think▷Hm.◁/think▷{ANSWER}", ANSWER),
        (f"<think></think>{ANSWER}", ANSWER),
        (f"<think>a <think> b</think>{ANSWER}", ANSWER),
        (f"{ANSWER}<think>Is that all?</think>It stops.", f"{ANSWER}It stops."),
        (f"It stops. <think>Or not?</think>{ANSWER}", f"It stops. {ANSWER}"),
        (f"{ANSWER}<think>Is that all? It may", ANSWER),
        ("<think>Hm. I never end", ""),
        (f"A servo hums.\nSo it turns.</think>{ANSWER}", ANSWER),
        ("It is <b", "It is <b"),
        ("3 < 4, and 5 > 4 [t", "3 < 4, and 5 > 4 [t"),
        ("The tag `<think>` opens it.", "The tag `<think>` opens it."),
        ('It is. [Source 1: "then </think> is"]', 'It is. [Source 1: "then </think> is"]'),
        ('{"text": "a <think> b"}', '{"text": "a <think> b"}'),
        ('<think>{"a": 1}</think>{"text": "a </think> b"}', '{"text": "a </think> b"}'),
        ('```json\n{"text": "a <think> b"}\n```', '```json\n{"text": "a <think> b"}\n```'),
        (
            f"<|channel|>analysis<|message|>A final.{NEXT}final<|message|>{ANSWER}<|return|>",
            ANSWER,
        ),
        (
            f"{NEXT}analysis<|message|>Hm.{NEXT}final <|constrain|>json<|message|>{ANSWER}",
            ANSWER,
        ),
        (
            "<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|call|>",
            "",
        ),
        (f"analysis<|message|>Hm.<|end|><|channel|>final<|message|>{ANSWER}<|end|>", ANSWER),
        (f"{ANSWER}<|end|><|start|>assistant<|channel|>analysis<|message|>Done?", ANSWER),
        ('<|channel|>final<|message|>{"a": "5\\""}<|return|>', '{"a": "5\\""}'),
        (f"<|channel|>final<|message|><think>Hm.</think>{ANSWER}", ANSWER),
        ("<|channel|>analysis<|message|>Hm. I never end", ""),
        (f"analysisWe need one word.\nOr two.assistantfinal{ANSWER}", ANSWER),
        (f"analysisHm.assistantcommentary{{}}assistantfinal{ANSWER}", ANSWER),
        ("analysis of it takes long.", "analysis of it takes long."),
        ("analysis, they say, takes long.", "analysis, they say, takes long."),
        ("analysis", "analysis"),
        ("An assistantfinal is no word.", "An assistantfinal is no word."),
        ("It ends at `<|end|>` and goes on.", "It ends at `<|end|>` and goes on."),
        ('{"text": "a <|end|> b"}', '{"text": "a <|end|> b"}'),
        ("a <|b", "a <|b"),
    ],
)
def test_a_thought_is_no_part_of_a_text(text: str, left: str, size: int) -> None:
    assert in_pieces(text, size) == left


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_model_whose_thoughts_nothing_opens_is_remembered(size: int) -> None:
    habit = Habit()
    assert in_pieces(f"Hm.\nA servo hums.</think>{ANSWER}", size, habit) == ANSWER
    thoughts = Thoughts(habit)
    assert thoughts.feed("Hm.\nA servo hums.\n") == ""
    assert thoughts.feed(f"</think>{ANSWER}") == ANSWER
    assert not thoughts.take_restart()
    assert in_pieces(f"<think>Hm.</think>{ANSWER}", size, habit) == ANSWER


def test_a_model_that_thinks_no_more_is_read_whole() -> None:
    habit = Habit(opens_unseen=True)
    assert in_pieces(ANSWER, 4, habit) == ANSWER
    thoughts = Thoughts(habit)
    assert thoughts.feed(ANSWER) == ANSWER


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize(
    ("text", "length"),
    [
        (ANSWER, 0),
        (f"<think>12345</think>{ANSWER}", 20),
        (f"12345</think>{ANSWER}", 13),
        (f"analysisHm, soassistantfinal{ANSWER}", 28),
    ],
)
def test_the_length_of_a_thought_is_measured(text: str, length: int, size: int) -> None:
    thoughts = Thoughts(Habit())
    for start in range(0, len(text), size):
        thoughts.feed(text[start : start + size])
    thoughts.finish()
    assert thoughts.length == length


def test_a_whole_text_is_left_without_its_thoughts() -> None:
    assert (
        without_thoughts('<think>{"verdicts": []}</think>{"verdicts": [1]}') == '{"verdicts": [1]}'
    )
    assert without_thoughts('Hm. {"a"}\n</think>{"verdicts": [1]}') == '{"verdicts": [1]}'
