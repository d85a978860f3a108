"""A language model is given the passages that answer, nearest first, and each thing once."""

from dataclasses import replace

from libs.question.analyse import analyse_question
from services.generation.language_model.context import choose_context
from services.generation.model import BlockKind, Locator, Passage, Question, Selection, Span

COMPARED = "What is the difference between hydraulic actuators and electric motors?"


def about(
    name: str, score: float, text: str = "", kind: BlockKind = BlockKind.PARAGRAPH
) -> Passage:
    """A passage whose only span is `score` near to the question."""
    text = text or f"What is said of {name} stands in this sentence and is said nowhere else."
    place = Locator("a.md", 0, len(text), ("A",))
    return Passage(name, place, text, (Span(0, len(text), kind, score),))


def choose(
    *passages: Passage, asked: str = "What moves?", selection: Selection | None = None
) -> str:
    question = Question("book", 1, asked, selection=selection)
    chosen = choose_context(passages, question, analyse_question(asked))
    return " ".join(passage.chunk_id for passage in chosen)


def test_the_nearest_comes_first() -> None:
    assert choose(about("b", 0.5), about("a", 0.6), about("c", 0.4)) == "a b c"


def test_passages_far_from_the_question_are_left_out() -> None:
    assert choose(about("a", 0.6), about("far", 0.3), about("b", 0.45)) == "a b"


def test_passages_that_are_all_near_all_stay() -> None:
    near = [about(str(number), 0.6 - number / 100) for number in range(8)]
    assert choose(*near) == "0 1 2 3 4 5 6 7"


def test_passages_that_repeat_another_are_left_out() -> None:
    said = "The arm has six joints and every joint has a motor with a brake of its own."
    assert choose(about("a", 0.6, f"{said} It is heavy."), about("twin", 0.5, said)) == "a"


def test_passages_that_share_a_phrase_are_no_duplicates() -> None:
    one = "The arm has six joints, of which the first carries everything else that moves."
    other = "The arm has six joints, and a gripper with two fingers is what it ends in."
    assert choose(about("a", 0.6, one), about("b", 0.5, other)) == "a b"


def test_a_caption_is_left_out_of_the_prompt_where_text_says_the_same() -> None:
    caption = about("caption", 0.7, "Figure 3: what moves.", BlockKind.CAPTION)
    assert choose(caption, about("a", 0.5)) == "a"
    assert choose(caption) == "caption"


def test_a_comparison_is_given_the_best_of_each_search_and_no_more() -> None:
    found = [about(str(number), 0.6 if number % 2 else 0.2) for number in range(15)]
    chosen = choose(*found, asked=COMPARED).split()
    assert sorted(chosen) == sorted("01234567")
    assert chosen[:4] == ["1", "3", "5", "7"]


def test_selected_text_is_given_whole_and_in_its_order() -> None:
    selection = Selection("a.md", 0, 100)
    assert choose(about("a", 0.1), about("b", 0.6), selection=selection) == "a b"


def test_without_passages_the_context_is_empty() -> None:
    assert choose() == ""


def test_passages_without_scores_all_stay() -> None:
    blank = [replace(about(name, 0.0), spans=()) for name in "ab"]
    assert choose(*blank) == "a b"
