"""What is said of each thing that a question compares: which none mentions, and which is thin."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.comparison import count_things, list_missing_entities, share_said
from services.generation.model import Citation, Locator, Passage, Verdict


def passage(text: str, *titles: str) -> Passage:
    return Passage("c1", Locator("a.md", 0, len(text), titles), text)


def cited(quote: str, *titles: str) -> Citation:
    return Citation(1, quote, Locator("a.md", 0, 9, titles), "c1", quote, Verdict.EXACT)


LIDAR = passage("A lidar times its echoes. Depth cameras see more.", "Sensors", "Lidar")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Compare LiDAR and radar.", ("radar",)),
        ("Compare LiDAR and depth cameras.", ()),
        ("Compare LiDAR and stereo cameras.", ("stereo cameras",)),
        ("What is better for mapping, Sensors or Webots?", ("Webots",)),
        ("What is the difference between Gazebo and Webots?", ("Gazebo", "Webots")),
        # What stands there may be no name: too much else is asked.
        ("Why is a lidar dearer than what the radar costs in the end?", ()),
        ("What is a radar?", ()),
    ],
)
def test_entities_that_no_passage_mentions_are_named(question: str, names: tuple[str, ...]) -> None:
    assert list_missing_entities(analyse_question(question), [LIDAR]) == names


@pytest.mark.parametrize(
    ("quotes", "share"),
    [
        ([cited("A lidar times echoes.")] * 3, 1 / 2),
        ([cited("A lidar times echoes.")] * 3 + [cited("A radar does too.")], 2 / 3),
        ([cited("Dear.", "Sensors", "Lidar"), cited("A lidar is no radar.")] * 3, 1.0),
        # The title of the whole document is not about one of them.
        ([cited("Dear.", "Lidar and radar", "Prices")], 0.0),
        ([], 0.0),
    ],
)
def test_a_side_that_few_quotes_speak_of_counts_less(quotes: list[Citation], share: float) -> None:
    assert share_said(analyse_question("Compare lidar and radar."), quotes) == pytest.approx(share)


def test_a_question_that_compares_nothing_is_said_whole() -> None:
    assert share_said(analyse_question("What is a lidar?"), []) == 1.0
    assert count_things(analyse_question("What is a lidar?")) == 1
    assert count_things(analyse_question("Compare lidar and radar.")) == 2
