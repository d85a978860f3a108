"""A question that compares is split into one for each side; any other stays whole."""

import pytest

from libs.sides import MOST_SIDES, own_terms, split_question


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "When should I prefer springs over dampers?",
            ("When should I prefer springs?", "When should I prefer dampers?"),
        ),
        (
            "How do depth cameras stack up against lidar in range?",
            ("How do depth cameras in range?", "How do lidar in range?"),
        ),
        (
            "Is the first gripper stronger than the second gripper?",
            ("Is the first gripper stronger?", "Is the second gripper stronger?"),
        ),
        (
            "How does the late policy differ from the early policy?",
            ("What is late policy?", "What is early policy?"),
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
        ("Compare lidar with a depth camera.", ("What is lidar?", "What is depth camera?")),
        (
            "Compare springs and dampers for landing.",
            ("Compare springs for landing.", "Compare dampers for landing."),
        ),
        ("Springs or soft dampers?", ("What is Springs?", "What is soft dampers?")),
        ("red vs green vs blue", ("What is red?", "What is green?", "What is blue?")),
        (
            "What is the difference between abort! and Result?",
            ("What is abort!?", "What is Result?"),
        ),
        ("Compare wires and steel ropes.", ("What is wires?", "What is steel ropes?")),
        ("When do I use a spring and when a damper?", ("What is spring?", "What is damper?")),
        (
            "What is better for racing, springs or dampers?",
            ("What is better for racing, springs?", "What is better for racing, dampers?"),
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
                "What do the hardware page each ask for?",
                "What do the setup lesson each ask for?",
                "What do the capstone each ask for?",
            ),
        ),
        (
            "How often does the sender send, and how often does the receiver poll?",
            ("How often does the sender send", "how often does the receiver poll?"),
        ),
    ],
)
def test_every_side_gets_a_question_of_its_own(question, sides):
    assert tuple(side.question for side in split_question(question)) == sides


def test_a_side_has_its_name_and_is_plain_where_nothing_else_is_asked():
    lidar, camera = split_question("Compare lidar and depth cameras!")
    assert (lidar.name, camera.name) == ("lidar", "depth cameras")
    assert lidar.plain
    assert not split_question("Compare lidar and depth cameras in range.")[0].plain
    wrong, copy = split_question("How does a planner go wrong, and how does a learnt copy?")
    assert copy.name == "how does a learnt copy?"
    assert not wrong.plain


def test_a_side_is_told_by_the_terms_that_no_other_side_has():
    spring, damper = own_terms([frozenset({"steel", "spring"}), frozenset({"steel", "damper"})])
    assert (spring, damper) == ({"spring"}, {"damper"})
    first, second = own_terms([frozenset({"ros", "1"}), frozenset({"ros", "2"})])
    assert (first, second) == ({"ros", "1"}, {"ros", "2"})


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
        "both",
        "and, or, than vs: ?!",
        "",
        "What is the difference between a and b? " + "word " * 60,
    ],
)
def test_a_question_about_one_thing_stays_whole(question):
    assert split_question(question) == ()


def test_a_long_enumeration_gives_a_few_sides():
    question = "Compare apples, pears, plums, cherries and quinces."
    assert len(split_question(question)) == MOST_SIDES
