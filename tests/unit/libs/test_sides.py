"""A question that compares is split into one for each side; any other stays whole."""

import pytest

from libs.sides import MOST_SIDES, split_question


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
            ("Is the first gripper?", "Is the second gripper?"),
        ),
        (
            "How does the late policy differ from the early policy?",
            ("How does the late policy?", "How does the early policy?"),
        ),
        (
            "What is the difference between central and spread control?",
            (
                "What is the difference between central control?",
                "What is the difference between spread control?",
            ),
        ),
        (
            "What is the difference between Gazebo and Isaac Sim?",
            ("What is the difference between Gazebo?", "What is the difference between Isaac Sim?"),
        ),
        (
            "What is the difference between String and &str?",
            ("What is the difference between String?", "What is the difference between &str?"),
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
    assert split_question(question) == sides


@pytest.mark.parametrize(
    "question",
    [
        "What is an actuator?",
        "Which sensors and motors does the arm have?",
        "Should I wait for the bus or walk?",
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
