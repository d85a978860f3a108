"""Which names of a question none of its passages knows."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.entities import list_names, list_years
from services.generation.coverage.entities import lacks_price, unknown_names
from services.generation.model import Locator, Passage


def passage(
    text: str, document: str = "ros-2/nav2-setup.mdx", titles: tuple[str] = ("Balance",)
) -> Passage:
    return Passage("c1", Locator(document, 0, len(text), titles), text)


HELD = passage("The zero moment point moves. An RTX 4090 draws 450 W. The ESP-32 board is cheap.")


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("How do I run a micro-ROS agent on an ESP8266?", ["micro-ROS", "ESP8266"]),
        ("Where is on_activate called?", ["on_activate"]),
        ("Does it use a QoSProfile?", ["QoSProfile"]),
        ("What does an ESP32 cost?", []),
        ("How much does the RTX4090 draw?", []),
        ("Where does the ZMP go?", []),
        ("How many ESP-32s are there?", []),
        ("How is Nav2 set up?", []),
        ("What of IMUs?", ["IMU"]),
        ("Why does the Unicorn walk in the 1990s at 5kg and v2?", []),
        ("WHY DOES MY XJ900 NOT START?", []),
        ("What is a dwarf?", []),
        ("Which of them is NOT moved by self.0?", []),
        ("Why does `my_var` move in\n```rust\nlet other_var = MyType::new();\n```", []),
        ("Does this run?\nlet s_x = Foo3Bar;\nAnd do_it(a_b) too?", []),
        ("enum PumpState { On }\nmatch pump {\n  PumpState::On => 1,\n}\nIs PumpState used?", []),
        ("let a = PumpState::On;\nHow is it sent over SQLite3?", ["SQLite3"]),
        ("What of `PumpState`, that is, PumpState?", ["PumpState"]),
    ],
)
def test_identifiers_and_acronyms_that_no_passage_holds_are_unknown(
    question: str, unknown: list[str]
) -> None:
    assert unknown_names(analyse_question(question), [passage("Nothing of it."), HELD]) == unknown


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("How much does a pump cost?", True),
        ("What would it cost to build one?", True),
        ("What is the price of the pump?", True),
        ("How expensive is it?", True),
        ("How much energy does a step cost?", False),
        ("How is the cost of a path told?", False),
        ("How much does it weigh?", False),
    ],
)
def test_a_price_that_no_passage_says_is_missing(question: str, lacks: bool) -> None:
    assert (
        lacks_price(
            analyse_question(question),
            [HELD, passage("Run `sh build.sh $1`, $0.8 \\times 481 = 385$, $385/320 = 1.20$ h.")],
        )
        is lacks
    )
    assert (
        lacks_price(analyse_question(question), [passage("Free software may be copied freely.")])
        is lacks
    )
    for said in (
        "It is $35.",
        "Some $5-10.",
        "It has a runtime cost.",
        "It is 40 €.",
        "12 dollars each.",
        "The pump is free of charge.",
    ):
        assert not lacks_price(analyse_question(question), [HELD, passage(said)])


def test_titles_and_file_names_count_as_known() -> None:
    assert (
        unknown_names(
            analyse_question("What is ros2_control?"), [passage("Text", titles=("ros2 control",))]
        )
        == []
    )
    assert unknown_names(analyse_question("What is Nav2?"), [passage("Text")]) == []


def test_a_name_is_listed_once_for_each_time_it_is_said() -> None:
    assert list_names("rosbag2's MCAP, or SQLite3?", load_lexicon("en")) == (
        "rosbag2",
        "MCAP",
        "SQLite3",
    )


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("Which release came out in 2025?", ["2025"]),
        ("How did sales grow from 2016 to 2017?", ["2016", "2017"]),
        ("What was built before 1562, and by whom?", ["1562"]),
        ("What happens after 2000 steps in 1500 rooms?", []),
        ("Was it in the 1990s, in 2019s or in v2020.1?", []),
        ("Why does this not run in 2020?\n```\nmove in 2031\n```", ["2020"]),
    ],
)
def test_a_year_is_told_from_a_number_that_counts(question: str, years: list[str]) -> None:
    assert list(list_years(question, load_lexicon("en"))) == years


def test_a_year_that_no_passage_holds_is_unknown() -> None:
    held = [passage("It was released in May 2022."), passage("Nothing.", titles=("News of 2023",))]
    assert unknown_names(analyse_question("Was it released in 2022?"), held) == []
    assert unknown_names(analyse_question("What came in 2023?"), held) == []
    assert unknown_names(analyse_question("Was it released in 2025?"), held) == ["2025"]
