"""Titles and sentences become questions whose grammar is sure, or none."""

import pytest

from libs.language.lexicon import load_lexicon
from services.generation.suggestions.phrasing import QuestionWriter

TEXT = (
    "A piston moves. The relief valve opens, as Gazebo shows, before a line bursts. "
    "A hydraulic pump turns. Hydraulic pumps and electric pumps need oil. "
    "Fernhill Pottery stands by the mill. Change filters and pumps, and a piston. "
    "With sensor fusion ROS 2 sees; sensor fusion helps. For simple example: simple example code.\n"
    "Pumps are machines."
)
DIFFERENCE = "What is the difference between hydraulic pumps and electric pumps?"
ENGLISH = load_lexicon("en")
WRITER = QuestionWriter(TEXT, ENGLISH)


@pytest.mark.parametrize(
    ("path", "question"),
    [
        (("Actuators", "Hydraulic Pumps"), "What are hydraulic pumps?"),
        (("Sensor Fusion",), "What is sensor fusion?"),
        (("Relief Valve",), "What is the relief valve?"),
        (("Gazebo",), "What is Gazebo?"),
        (("Becoming a Keeper of Pumps",), "How do I become a keeper of pumps?"),
        (("ROS 2: the nervous system",), "What is ROS 2?"),
        (("Introduction to Sensor Fusion",), "What is sensor fusion?"),
        (("Chapter 3: Pumps",), "What are pumps?"),
        (("PCBs",), "What are PCBs?"),
        (("Main-pumps",), "What are main-pumps?"),
        (("Sensor Fusion", "Summary"), "What is sensor fusion?"),
        (("Hydraulic pumps", "Advantages"), "What are the advantages of hydraulic pumps?"),
        (
            ("Hydraulic pumps vs. electric pumps",),
            "What is the difference between hydraulic pumps and electric pumps?",
        ),
        (
            ("Hydraulic Pumps and Electric Pumps",),
            "What is the difference between hydraulic pumps and electric pumps?",
        ),
        (("Sensor fusion and regeneration",), ""),
        (("Pumps and filters",), ""),
        (("For team members",), ""),
        (("How to bleed a line",), "How do I bleed a line?"),
        (("When to open your valve",), "When should I open my valve?"),
        (("2. Install the Pump",), "How do I install the pump?"),
        (("Exercise 2: Replace Piston and Valve",), "How do I replace piston and valve?"),
        (("Replacing the Piston",), "How do I replace the piston?"),
        (("How lines fail",), "How do lines fail?"),
        (("How often are lines made",), "How often are lines made?"),
        (("What is a pump",), "What is a pump?"),
        (("Why do lines leak?",), "Why do lines leak?"),
        (("Contact forces are limited",), "Why are contact forces limited?"),
        (("Hydraulic pumps and electric pumps",), DIFFERENCE),
        (("Filters and Pumps",), "What are filters and pumps?"),
        (("Fernhill Pottery",), "What is Fernhill Pottery?"),
        (("The robot Tally",), "What is the robot Tally?"),
        (("Choosing the valves of Kent",), "How do I choose the valves of Kent?"),
        (("Fuzzing Gazebo",), ""),
        (("Version 1.2.0rc1",), ""),
        (("More pumps",), ""),
        (("Install Piston",), "How do I install a piston?"),
        (("Gazebo's Pumps",), "What are Gazebo's pumps?"),
        (("The Valves worth Knowing",), "What are the valves worth knowing?"),
        (("Properties", "Trade-offs of the Pump"), "What are the trade-offs of the pump?"),
        (("2.1 What's in the pump house?",), "What's in the pump house?"),
        (("4.3. How does it, the pump, lift water?",), ""),
        (("I have a pump. How do I start?",), ""),
        (("Oil of a pump: How do I?",), ""),
        (("Oil: how do I change a filter?",), "Oil: how do I change a filter?"),
        (
            ("4.3. How compatible is a pump with all other pumps of a plant?",),
            "How compatible is a pump with all other pumps of a plant?",
        ),
        (("Debugging the Pump",), "How do I debug the pump?"),
        (("Flash the Controller",), "How do I flash the controller?"),
    ],
)
def test_a_title_asks_by_its_form(path: tuple[str, ...], question: str) -> None:
    assert WRITER.ask_of_title(path, lists=False) == question


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("2. THE TIDAL RACE", "What is the tidal race?"),
        ("THE RNLI", "What is the RNLI?"),
        ("THE VECTIS MILL: AN INTRODUCTION", "What is the Vectis mill?"),
        ("WHAT IS A TIDAL RACE?", "What is a tidal race?"),
        ("CALIBRATING A SEA GATE", "How do I calibrate a sea gate?"),
        ("THE VECTIS ARCHIVE", ""),
        ("WHAT IS AN ARCHIVE?", ""),
    ],
)
def test_a_title_in_capitals_asks_in_the_letters_of_the_text_or_not_at_all(
    title: str, question: str
) -> None:
    text = "Race. The tidal race fills the sea gate of a Vectis mill, says the RNLI."
    assert QuestionWriter(text, ENGLISH).ask_of_title(("Mills", title), lists=False) == question


@pytest.mark.parametrize("title", ["Titles for Pumps", "Notes about pumps", "Remarks on oil"])
def test_a_list_below_what_a_text_is_called_is_not_asked_for(title: str) -> None:
    assert WRITER.ask_of_title((title,), lists=True) == ""


def test_names_of_several_things_over_a_list_ask_which_there_are() -> None:
    assert WRITER.ask_of_title(("Degrees of freedom",), lists=True) == (
        "Which degrees of freedom are there?"
    )


@pytest.mark.parametrize(
    "title",
    [
        "Introduction",
        "Installation",
        "December 2015: a keeper died",
        "v0.1 (unreleased)",
        "v0.1",
        "Solving problems and finding valves",
        "…report a bug in pumps?",
        "Workstation",
        "Next steps",
        "1.2",
        "Publisher pattern",
        "Packs and their names",
        "Choo, choo!",
        "YouTube Channels",
        "Useful Links",
        "Isaac Sim and NVIDIA Resources",
        "Learning Outcomes",
        "Tips for Success",
        "And how about valves and old pumps?",
        "Where do these names come from?",
        "How to use these pumps",
        "How Pumps are Connected to Lines",
        "Getting and installing pumps",
        "Safety is the absence of pumps",
        "The rest of hydraulics",
        "Loop",
        "Hydraulic",
        "Training new models",
        "When something has happened",
        "Why not",
        "Installing new and old pumps it needs",
        "Debugging workflow",
        "Simple Example",
        "Simple examples",
        "Description",
        "Related concepts",
        "The Pump Manual",
        "Pump Manual V1.00.0",
        "Pumps for Ships User's Manual",
        "Pumps - Colour management",
        "License",
        "What hydraulics do well",
        "What you can do afterwards",
        "The first pumps",
        "Early hydraulic pumps",
        "cockpit-tls",
        "cockpit.js",
        "A note about hydraulic pumps",
        "A word on sensor fusion",
        "Thoughts on pumps",
        "A Guide to the Relief Valve",
    ],
)
def test_a_title_whose_question_is_not_sure_asks_none(title: str) -> None:
    assert WRITER.ask_of_title((title,), lists=False) == ""


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("A pump is a machine that moves fluid.", "What is a pump?"),
        ("Sensor fusion is the joining of data.", "What is sensor fusion?"),
        ("Gazebo is a simulator.", "What is Gazebo?"),
        ("Vec is a type.", "What is Vec?"),
        ("Hydraulic pumps are the oldest.", "What are hydraulic pumps?"),
        ("To bleed a line, open the valve.", "How do I bleed a line?"),
        ("Dirt is dangerous, because it blocks the valve.", "Why is dirt dangerous?"),
        (
            "Note the difference between a pump and a motor.",
            "What is the difference between a pump and a motor?",
        ),
    ],
)
def test_a_sentence_asks_what_it_answers(sentence: str, question: str) -> None:
    assert QuestionWriter(f"{TEXT} {sentence}", ENGLISH).ask_of_sentence(sentence) == question


@pytest.mark.parametrize(
    "sentence",
    [
        "It is a machine that moves fluid.",
        "This pump is the best.",
        "Because Rust is a language, it runs.",
        "Chapter 2 is a tutorial.",
        "To be honest with you, pumps leak.",
        "To illustrate the point, look here.",
        "The second one is loud because it is old.",
        "Pumps leak.",
        "Similarly important is the seal, which is of rubber.",
        "The valve is also useful because it opens.",
        "Reading the gauge is quick but dull because it is small.",
        "To display the current pump and, if it is set, the valve, press F1.",
    ],
)
def test_a_sentence_that_needs_its_surroundings_asks_nothing(sentence: str) -> None:
    assert WRITER.ask_of_sentence(sentence) == ""


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("“I have no ink,” said the keeper.", ""),
        ("The keeper laughed and went up.", ""),
        (
            "The keeper holds a pump; it is said the keepers wear.\nA keeper is a valve.",
            "What is the keeper?",
        ),
    ],
)
def test_nothing_asks_what_is_a_person_of_a_story(text: str, question: str) -> None:
    writer = QuestionWriter(text, ENGLISH)
    assert writer.ask_of_title(("Lamps", "The Keeper"), lists=False) == question
    defined = writer.ask_of_sentence("A keeper is a man of sixty years.")
    assert bool(defined) == bool(question)


def test_nothing_is_asked_of_a_licence() -> None:
    assert not WRITER.asks_of(("Pumps", "Appendix", "GNU Free Documentation License"))
    assert WRITER.asks_of(("Licence plates", "Pumps"))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The CB-180 band saw cuts. Start the band saw. Blades are sold.", "What is the band saw?"),
        ("A bench band saw cuts. Stop a band saw at once.", "What is a band saw?"),
        ("About band saw there is little. By band saw and the band saw.", "What is band saw?"),
    ],
)
def test_a_name_has_the_article_of_the_text_and_no_number_of_a_model(
    text: str, question: str
) -> None:
    assert QuestionWriter(text, ENGLISH).ask_of_title(("Band saw",), lists=False) == question


@pytest.mark.parametrize("title", ["Copyrights", "Colophon", "Trademarks"])
def test_an_imprint_is_not_asked_of(title: str) -> None:
    assert not WRITER.asks_of((title,))
    assert not WRITER.asks_of(("Book", title))


def test_a_thing_and_what_has_no_article_are_not_asked_for_together() -> None:
    text = "Sound and hearing matter. A sound is heard. This hearing fades, and hearing fades."
    assert QuestionWriter(text, ENGLISH).ask_of_title(("Sound and hearing",), lists=False) == ""


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Q 2.4: What happened to the old pumps?", "What happened to the old pumps?"),
        ("C- What happened to the old pumps?", "What happened to the old pumps?"),
        ("8) What happened to the old pumps?", "What happened to the old pumps?"),
        ("Multiple Valves in a Pump", ""),
        ("Comparing multiple valves", "How do I compare multiple valves?"),
        ("How TOIL is calculated", ""),
        ("How long is a reel", "How long is a reel?"),
        ("How to apply", ""),
        ("How to apply for leave", "How do I apply for leave?"),
        ("What to take with you", ""),
        ("A comparison of pumps with valves", ""),
    ],
)
def test_a_title_gives_no_label_and_nothing_that_leans(title: str, question: str) -> None:
    writer = QuestionWriter("Valves in a pump leak.", load_lexicon("en"))
    assert writer.ask_of_title((title,), lists=True) == question


def test_a_way_that_goes_over_into_an_order_is_not_asked_for() -> None:
    writer = QuestionWriter("", load_lexicon("en"))
    told = "To create an account use Add Category in the menu, and go on."
    assert writer.ask_of_sentence(told) == ""
