"""A question that compares is split into one for each side; any other stays whole."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.decompose import MOST_SUB_QUESTIONS, decompose_question, own_terms

ENGLISH = load_lexicon("en")


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "When should I prefer springs over dampers?",
            ("When should I prefer springs?", "When should I prefer dampers?"),
        ),
        (
            "How do depth cameras measure up against lidar in range?",
            ("What is the range of depth cameras?", "What is the range of lidar?"),
        ),
        (
            "Is the first gripper stronger than the second gripper?",
            ("Is the first gripper stronger?", "Is the second gripper stronger?"),
        ),
        (
            "How does the late policy differ from the early policy?",
            ("What is the late policy?", "What is the early policy?"),
        ),
        (
            "What is the difference between central and spread control?",
            ("What is central control?", "What is spread control?"),
        ),
        (
            "What is the difference between Gazebo and Isaac Sim?",
            ("What is Gazebo?", "What is Isaac Sim?"),
        ),
        (
            "What is the difference between String and &str?",
            ("What is String?", "What is &str?"),
        ),
        ("Compare lidar with a depth camera.", ("What is lidar?", "What is a depth camera?")),
        (
            "Compare springs and dampers for landing.",
            ("Compare springs for landing.", "Compare dampers for landing."),
        ),
        ("Springs or soft dampers?", ("What are Springs?", "What are soft dampers?")),
        ("red vs green vs blue", ("What is red?", "What is green?", "What is blue?")),
        (
            "What is the difference between abort! and Result?",
            ("What is abort!?", "What is Result?"),
        ),
        ("Compare wires and steel ropes.", ("What are wires?", "What are steel ropes?")),
        ("When do I use a spring and when a damper?", ("What is a spring?", "What is a damper?")),
        (
            "Compare the French and the American revolutions.",
            ("What is the French revolution?", "What is the American revolution?"),
        ),
        ("Compare Japan and South Korea.", ("What is Japan?", "What is South Korea?")),
        (
            "What is better for racing, springs or dampers?",
            ("Are springs better for racing?", "Are dampers better for racing?"),
        ),
        (
            "Is lidar or a depth camera better for mapping?",
            ("Is lidar better for mapping?", "Is a depth camera better for mapping?"),
        ),
        (
            "How does a planner usually go wrong, and how does a learnt copy?",
            (
                "How does a planner usually go wrong",
                "how does a learnt copy? How does a planner usually go wrong",
            ),
        ),
        (
            "What do the hardware page, the setup lesson and the capstone each ask for?",
            (
                "What does the hardware page ask for?",
                "What does the setup lesson ask for?",
                "What does the capstone ask for?",
            ),
        ),
        (
            "How often does the sender send, and how often does the receiver poll?",
            ("How often does the sender send", "how often does the receiver poll?"),
        ),
    ],
)
def test_every_side_gets_a_question_of_its_own(question: str, sides: tuple[str, ...]) -> None:
    assert tuple(side.question for side in decompose_question(question, ENGLISH)) == sides


def test_a_side_has_its_name_and_is_plain_where_nothing_else_is_asked() -> None:
    lidar, camera = decompose_question("Compare lidar and depth cameras!", ENGLISH)
    assert (lidar.name, camera.name) == ("lidar", "depth cameras")
    assert lidar.plain
    assert not decompose_question("Compare lidar and depth cameras in range.", ENGLISH)[0].plain
    wrong, copy = decompose_question(
        "How does a planner go wrong, and how does a learnt copy?", ENGLISH
    )
    assert copy.name == "how does a learnt copy?"
    assert not wrong.plain


def test_a_side_is_told_by_the_terms_that_no_other_side_has() -> None:
    spring, damper = own_terms([frozenset({"steel", "spring"}), frozenset({"steel", "damper"})])
    assert [set(spring), set(damper)] == [{"spring"}, {"damper"}]
    first, second = own_terms([frozenset({"ros", "1"}), frozenset({"ros", "2"})])
    assert [set(first), set(second)] == [{"ros", "1"}, {"ros", "2"}]


@pytest.mark.parametrize(
    "question",
    [
        "What is an actuator?",
        "Which sensors and motors does the arm have?",
        "Should I wait for the bus or walk?",
        "or",
        "Why is the cloud risky, and what do students do instead?",
        "What are the parts of the kit and what does each cost?",
        "How do they differ?",
        "For racing, which do you prefer, springs or dampers?",
        "both",
        "and, or, than vs: ?!",
        "",
        "What is the difference between a and b? " + "word " * 60,
    ],
)
def test_a_question_about_one_thing_stays_whole(question: str) -> None:
    assert decompose_question(question, ENGLISH) == ()


def test_a_clause_names_for_its_pronoun_what_the_first_wants_explained() -> None:
    def asked(question: str) -> list[str]:
        return [part.question for part in decompose_question(question, load_lexicon("en"))]

    first, second = "What is lag", "why does lag matter?"
    assert asked("What is lag and why does it matter?") == [first, second]
    assert asked("What are locks and who opens them?")[1] == "who opens locks?"
    assert asked("What is lag and what are its causes?")[1] == "what are lag's causes?"
    assert asked("Where is the lock and why does it matter?") == []


def test_a_long_enumeration_gives_a_few_sides() -> None:
    question = "Compare apples, pears, plums, cherries and quinces."
    assert len(decompose_question(question, ENGLISH)) == MOST_SUB_QUESTIONS


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("How do I compare a copy to my disk?", 0),
        ("How can you compare the copy with the disk?", 0),
        ("What is the difference between the copy and the disk?", 2),
        ("How does the copy differ from the disk?", 2),
    ],
)
def test_how_to_compare_is_no_comparison(question: str, sides: int) -> None:
    asked = analyse_question(question, "en")
    assert len(asked.sub_questions) == sides
    assert asked.types.comparison == bool(sides)
