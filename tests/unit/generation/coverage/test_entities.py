"""Which names of a question none of its passages knows."""

from dataclasses import replace

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis, analyse_question
from libs.question.entities import list_names, list_versions, list_years
from services.generation.coverage.entities import lacks_value, list_unmentioned, unknown_names
from services.generation.model import BlockKind, Locator, Passage, Span


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
        ("What colour is the cable 940-0024C?", ["940-0024C"]),
        ("Is it 10-20 or 12-5A?", []),
        ("What is a dwarf?", []),
        ("How hot is programme P7?", ["P7"]),
        ("How do x1 and v2 of T differ?", []),
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
        ("How is the cost of a path told?", False),
    ],
)
def test_a_price_that_no_passage_says_is_missing(question: str, lacks: bool) -> None:
    assert (
        lacks_value(
            analyse_question(question),
            [HELD, passage("Run `sh build.sh $1`, $0.8 \\times 481 = 385$, $385/320 = 1.20$ h.")],
        )
        is lacks
    )
    assert (
        lacks_value(analyse_question(question), [passage("Free software may be copied freely.")])
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
        assert not lacks_value(analyse_question(question), [HELD, passage(said)])


@pytest.mark.parametrize(
    ("question", "said", "lacks"),
    [
        ("How heavy is the arm?", "It weighs 4 kg.", False),
        ("How heavy is the arm?", "It is 4 m long.", True),
        ("How many arms does it have?", "It has 4 legs and some arms.", False),
        ("How many arms does it have?", "It has 4 legs.", True),
        ("How long may its name be?", "Names of 63 bytes are allowed.", False),
        ("How much hotter does it get?", "The heat is quadrupled.", False),
        ("How often is it checked?", "It is checked daily.", False),
        ("When was it built?", "It was built in 1288.", False),
        ("When was it built?", "It was built of 12 stones.", True),
        ("Who invented it?", "It goes back to Ada Lovelace.", False),
        ("Who invented it?", "It was shown to Ada Lovelace.", True),
        ("Which company makes it?", "It is made by Acme.", False),
        ("Tell me of its arms.", "It has legs.", False),
    ],
)
def test_a_value_is_missing_where_no_passage_has_one_of_its_type(
    question: str, said: str, lacks: bool
) -> None:
    assert lacks_value(analyse_question(question), [passage(said)]) is lacks


def test_a_number_in_a_table_has_the_unit_of_its_header() -> None:
    text = "Part | Weight (kg)\nArm | 4"
    spans = (Span(0, 18, BlockKind.TABLE), Span(19, 26, BlockKind.TABLE))
    table = replace(passage(text), spans=spans)
    assert not lacks_value(analyse_question("How heavy is the arm?"), [table])
    assert lacks_value(analyse_question("How hot is the arm?"), [table])
    cut = replace(passage("Arm | 4"), table_header="Part | Weight (kg)")
    assert not lacks_value(analyse_question("How heavy is the arm?"), [cut])


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("IDE", "They provide it.", False),
        ("IDE", "An IDE helps.", True),
        ("IMU", "All IMUs drift.", True),
        ("RTX4090", "An RTX 4090 draws 450 W.", True),
        ("ROS2", "The ROS 20 is none.", False),
        ("ZMP", "the zero-moment point", True),
    ],
)
def test_names_are_compared_by_whole_words(name: str, text: str, known: bool) -> None:
    asked = QuestionAnalysis("?", names=(name,))
    assert (unknown_names(asked, [passage(text, "a.md")]) == []) is known


def test_words_that_are_taken_for_names_are_missing_unless_written_as_several() -> None:
    asked = analyse_question("How do I feed bogofilter by a dropdown?")
    held = [passage("A drop-down opens.")]
    assert unknown_names(asked, held, ("bogofilter", "dropdown")) == ["bogofilter"]


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


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("When was m4 2.0 released?", ["2.0"]),
        ("What is new in version 2.0 of m4?", ["2.0"]),
        ("When did Quern 3.12 appear?", ["3.12", "Quern"]),
        ("When was m4 1.4 released?", []),
        ("When was m4 1.4.18 released?", []),
        ("When was m4 4.1 released?", ["4.1"]),
        ("What does Table 2.1 say?", []),
        ("What is behind IP 192.168.1.1?", []),
        ("Does the mill turn by 0.5 rounds?", []),
    ],
)
def test_a_version_that_no_passage_has_is_unknown(question: str, unknown: list[str]) -> None:
    held = passage(
        "The macro processor m4 1.4.18 came in 2016, and 1.4.17 in 2013. It has 2 or 0 ports."
    )
    assert unknown_names(analyse_question(question), [held]) == unknown


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("When was Hoard 20 released?", ["Hoard 20"]),
        ("When was Hoard 14 released?", []),
        ("When was Hoard 7 released?", []),  # the book may write a small number as a word
        ("What is new in Hoard 1998?", []),
        ("What does Chapter 20 say?", []),
        ("What happened on May 20?", []),
        ("How many keepers had it after 20 years?", []),
    ],
)
def test_a_number_behind_a_name_that_no_passage_has_is_unknown(
    question: str, unknown: list[str]
) -> None:
    far = "Its keepers met once a year since, and each time they were as many as 20, or more."
    held = passage(f"Hoard 12.1 came in 2016, and Hoard-14 in 2013. {far}")
    assert unknown_names(analyse_question(question), [held]) == unknown


@pytest.mark.parametrize(
    ("language", "question", "unknown"),
    [
        ("en", "Who is the founder of Larder?", ["Larder"]),
        ("en", "Who is the founder of Hoard?", []),
        ("en", "When did Temur the Elder found Hoard?", []),
        ("en", "When was Hoard founded in April?", []),
        ("en", "What is the power of the Larder lamp?", ["Larder"]),
        ("en", "How does Larder work?", []),  # no value that belongs to it alone
        ("en", "When Was The Larder Founded?", []),
        ("es", "¿Cuándo nació Julieta en la casa de Berta?", ["Julieta", "Berta"]),
        ("fr", "Quand est-ce que Juliette est née ?", ["Juliette"]),
        ("ru", "Когда родилась Берта?", ["Берта"]),
        ("de", "Wann wurde die Larder gegründet?", []),  # every noun has a capital
    ],
)
def test_a_name_of_which_a_value_is_asked_for_stands_in_a_passage(
    language: str, question: str, unknown: list[str]
) -> None:
    held = passage("Tem\u00fcr the Elder, a miller, was born in 1931. He founded Hoard in 1966.")
    assert unknown_names(analyse_question(question, language), [held]) == unknown


def test_a_long_word_before_a_number_is_read_in_no_time() -> None:
    question = "Is " + "aB1" * 40_000 + " 2.0" * 10_000
    assert list_versions(question, load_lexicon("en")) == ()


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("What is the servo's price?", "The servo turns by 180 degrees.", True),
        ("What is the servo's price?", "The servo costs 12 dollars.", False),
        ("What's the lifting arm\u2019s weight?", "The lifting arm is 4 m long.", True),
        ("What's the lifting arm\u2019s weight?", "The lifting arm weighs 4 kg.", False),
        ("What is the motor's voltage?", "The motor turns at 300 rpm.", True),
        ("What is the motor's voltage?", "The motor takes 12 V.", False),
    ],
)
def test_a_value_that_belongs_to_a_thing_is_asked_for_by_its_possessor(
    question: str, text: str, lacks: bool
) -> None:
    assert lacks_value(analyse_question(question), [passage(text)]) is lacks


@pytest.mark.parametrize(
    ("language", "question", "unknown"),
    [
        ("en", "What is the voltage of module alpha49?", ["alpha49"]),
        ("en", "Which clause of section 12.4 names the court?", ["section 12.4"]),
        ("en", "What does RFC 9999 describe?", ["RFC 9999"]),
        ("en", "What does version 4.7 of the firmware add?", ["4.7"]),
        ("en", "How many arms has the model T-800?", ["T-800"]),
        ("en", "What is in room 215?", ["room 215"]),
        ("en", "What does RFC 9110 describe, and what section 12?", []),
        ("en", "How many rooms are there, and what do orders of 500 pieces cost?", []),
        ("de", "Was regelt Abschnitt 12.4?", ["Abschnitt 12.4"]),
        ("fr", "Que dit l'article 13 ?", ["article 13"]),
        ("ru", "О чём говорит статья 13?", ["статья 13"]),
        ("zh", "第13条说了什么？", ["第13条"]),
        ("ja", "第14条には何がありますか？", ["第14条"]),
    ],
)
def test_another_number_than_that_of_what_is_asked_for_is_not_it(
    language: str, question: str, unknown: list[str]
) -> None:
    held = [passage("alpha48: 24 V. Section 12.3. RFC 9110. Version 4.8. Model T-850. Table 3.")]
    assert unknown_names(analyse_question(question, language), held) == unknown


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which models from Eaton are supported?", ("Eaton",)),
        ("Which models from Kestrel are supported?", ()),
        ("Which models are supported?", ()),
        ("Who wrote this book?", ()),
    ],
)
def test_a_name_that_no_passage_mentions_is_told(question: str, names: tuple[str, ...]) -> None:
    held = passage("Kestrel models are supported.")
    assert list_unmentioned(analyse_question(question), [held]) == names


@pytest.mark.parametrize(
    ("said", "unknown"),
    [("mit E-Mail-Programmen", []), ("mit E-Mail-Listen und Programmen", ["E-Mail-Programme"])],
)
def test_a_joined_name_may_have_another_ending(said: str, unknown: list[str]) -> None:
    asked = analyse_question("Warum gibt es zwei E-Mail-Programme?", "de")
    assert unknown_names(asked, [passage(said)]) == unknown


def test_a_name_joined_by_strokes_has_to_stand_so() -> None:
    asked = analyse_question("What does PRINT_COLOR do?")
    assert unknown_names(asked, [passage("It can print each color.")]) == ["PRINT_COLOR"]
    assert not unknown_names(asked, [passage("Set print-color to on.")])
