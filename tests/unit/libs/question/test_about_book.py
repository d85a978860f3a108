"""Questions about the book itself are told apart from those about something in it; and its answers."""

import pytest

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.about_book import (
    AboutBook,
    BookAspect,
    Standing,
    TitleNumber,
    rate_statement,
    read_about_book,
    read_title_number,
)
from libs.question.analyse import analyse_as_thing, analyse_question
from libs.question.expected import AnswerKind, ExpectedAnswer
from libs.question.follow_up import Conversation
from libs.rpc.question import analysis_from_proto, analysis_to_proto

ENGLISH = load_lexicon("en")
RULES = ENGLISH.about_book
FIRST = Standing(at_front=True)


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("What is this book about?", BookAspect.SUBJECT),
        ("What's this manual about?", BookAspect.SUBJECT),
        ("Please summarise the book briefly.", BookAspect.SUBJECT),
        ("What will I learn from this course?", BookAspect.SUBJECT),
        ("What is the purpose of this document?", BookAspect.SUBJECT),
        ("Which topics does this guide cover?", BookAspect.SUBJECT),
        ("Who wrote this book?", BookAspect.AUTHOR),
        ("Who are the authors of the handbook?", BookAspect.AUTHOR),
        ("By whom was this book written?", BookAspect.AUTHOR),
        ("Who publishes this book?", BookAspect.PUBLISHER),
        ("Under which licence is this book published?", BookAspect.LICENCE),
        ("What is the license of the manual?", BookAspect.LICENCE),
        ("May I copy this book?", BookAspect.LICENCE),
        ("Who is the publisher of the manual?", BookAspect.PUBLISHER),
        ("When was this book last updated?", BookAspect.DATE),
        ("In which year was this manual published?", BookAspect.DATE),
        ("What version of the manual is this?", BookAspect.VERSION),
        ("How is this book organised?", BookAspect.ORGANISATION),
        ("What is the structure of the course?", BookAspect.ORGANISATION),
        ("How should I read this book?", BookAspect.ORGANISATION),
        ("Which chapters are there?", BookAspect.CHAPTERS),
        ("How many chapters does this book have?", BookAspect.CHAPTERS),
        ("Table of contents", BookAspect.CHAPTERS),
        ("How many modules does this course have?", BookAspect.CHAPTERS),
        ("Which sections are there?", BookAspect.CHAPTERS),
        ("What sections does this manual have?", BookAspect.CHAPTERS),
        ("Who is this book for?", BookAspect.AUDIENCE),
        ("What should I know before reading this book?", BookAspect.AUDIENCE),
        ("Is this book for beginners?", BookAspect.AUDIENCE),
        ("Who wrote it?", BookAspect.AUTHOR),
        ("What is this about?", BookAspect.SUBJECT),
        ("What sort of document is this?", BookAspect.SUBJECT),
        ("What is this book for?", BookAspect.SUBJECT),
        ("How is the material arranged?", BookAspect.ORGANISATION),
        ("Into how many parts is the manual divided, and what are they?", BookAspect.ORGANISATION),
        ("Who wrote it and which edition is this?", BookAspect.AUTHOR),
        ("Which version of the FAQ do I have and from when is it?", BookAspect.VERSION),
        ("For what kind of reader is the tutorial written?", BookAspect.AUDIENCE),
        ("What must one know already?", BookAspect.AUDIENCE),
    ],
)
def test_questions_about_the_book_itself_are_recognised(question: str, aspect: BookAspect) -> None:
    assert read_about_book(question, ENGLISH) == AboutBook(aspect)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does chapter 3 cover?", {"kind": "chapter", "number": "3"}),
        ("Summarise chapter IV.", {"kind": "chapter", "number": "4"}),
        ("What is chapter five about?", {"kind": "chapter", "number": "5"}),
        ("What's in Appendix A?", {"kind": "appendix", "number": "A"}),
        ("What does section 4.2 say?", {"kind": "section", "number": "4.2"}),
        ("What is the goal of Module 2?", {"kind": "module", "number": "2"}),
        ("What is the last chapter about?", {"kind": "chapter", "place": -1}),
        ("What will I learn in the second chapter of this book?", {"kind": "chapter", "place": 2}),
        ("What does the chapter on sensors cover?", {"title": "sensors"}),
        ("Summarise the Safety chapter.", {"title": "Safety"}),
    ],
)
def test_a_chapter_is_named_by_its_number_its_place_or_its_title(
    question: str, named: dict[str, str | int]
) -> None:
    assert read_about_book(question, ENGLISH) == AboutBook(BookAspect.CONTENTS, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which chapters are in part two?", {"kind": "part", "number": "2"}),
        ("List the chapters of the last part.", {"kind": "part", "place": -1}),
        ("What sections does chapter 3 have?", {"kind": "chapter", "number": "3"}),
        ("How many chapters are in part I?", {"kind": "part", "number": "1"}),
        ("Which chapters belong to the part on networking?", {"title": "networking"}),
        ("Which chapters are in the Getting Started part?", {"title": "Getting Started"}),
        ("What chapters does the User Guide section have?", {"title": "User Guide"}),
        ('Which pages are in the "Reference" section?', {"title": "Reference"}),
        ("Which pages are under Reference?", {"title": "Reference"}),
    ],
)
def test_the_chapters_of_a_part_are_asked_for_by_its_number_its_place_or_its_title(
    question: str, named: dict[str, str | int]
) -> None:
    assert read_about_book(question, ENGLISH) == AboutBook(BookAspect.CHAPTERS, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question",
    [
        "What is a servo?",
        "Which pages are in memory?",
        "Which modules are in the kernel?",
        "Which parts are in the engine?",
        "What does chapter 3 say about actuators?",
        "Which chapters cover sensors?",
        "Who wrote ROS 2?",
        "When was ROS 2 released?",
        "How many modules are there in ROS?",
        "How much does this course cost?",
        "What is the purpose of a gyroscope?",
        "How do I update this document?",
        "What does the first law of robotics say?",
        "What is the second part of a VLA?",
        "Why is this book free?",
        "Which hardware does this course need?",
        "When was this proclamation issued?",
        "What is the use of a servo, and is it for beginners?",
        "What is this book about and how do I install ROS?",
    ],
)
def test_questions_about_its_contents_are_not_about_the_book_itself(question: str) -> None:
    assert read_about_book(question, ENGLISH) is None


def test_a_book_is_called_by_its_title_where_that_is_a_books() -> None:
    title = "Debian Policy Manual — Debian Policy Manual v4.6"
    assert read_about_book("Who wrote the Debian Policy Manual?", ENGLISH) is None
    asked = read_about_book("Who wrote the Debian Policy Manual?", ENGLISH, title=title)
    assert asked == AboutBook(BookAspect.AUTHOR)
    assert read_about_book("What is physical AI?", ENGLISH, title="Physical AI: a course") is None


def test_it_is_the_book_only_where_nothing_else_was_spoken_of() -> None:
    of_book = Conversation(("What is this book about?",), "Robots.")
    of_thing = Conversation(("What is a servo?",), "A motor.")
    author = AboutBook(BookAspect.AUTHOR)
    assert analyse_question("And who wrote it?", before=of_book).about_book == author
    assert analyse_question("And who wrote it?", before=of_thing).about_book is None
    named = analyse_question("What is this book about?", before=of_thing)
    assert (named.about_book, named.follow_up) == (AboutBook(BookAspect.SUBJECT), False)


@pytest.mark.parametrize(
    "question",
    [
        "There is a deposit of £40, what is it for?",
        "Since terminal 5 is grey, what is it for?",
        "The window switch is sold separately. What is it for?",
    ],
)
def test_it_is_what_the_clause_before_speaks_of(question: str) -> None:
    assert analyse_question(question, "en").about_book is None
    assert analyse_question("What is it for?", "en").about_book is not None


def test_a_question_about_selected_text_asks_nothing_of_the_book() -> None:
    assert analyse_question("What is this about?", of_selection=True).about_book is None


def test_questions_about_the_book_itself_expect_no_kind_of_answer() -> None:
    for question in ("How many chapters are there?", "Who wrote this book?"):
        assert analyse_question(question).expected == ExpectedAnswer()
    assert analyse_question("How many axes are there?").expected.kind is AnswerKind.QUANTITY


def test_a_language_without_rules_asks_for_things_alone() -> None:
    assert read_about_book("What is this book about?", Lexicon()) is None


def test_a_question_about_the_book_itself_crosses_the_wire() -> None:
    for question in ("What does appendix B cover?", "Who wrote this book?", "What is a servo?"):
        analysis = analyse_question(question)
        assert analysis_from_proto(analysis_to_proto(analysis), question) == analysis


@pytest.mark.parametrize(
    ("aspect", "text"),
    [
        (BookAspect.SUBJECT, "This manual describes the policy of the project."),
        (BookAspect.SUBJECT, "The purpose of this document is to help."),
        (BookAspect.AUTHOR, "This manual was initially written in 1996 by Ian Example."),
        (BookAspect.AUTHOR, "by Ann Example, with help from many"),
        (BookAspect.AUTHOR, "This document was written by Ann Example."),
        (BookAspect.PUBLISHER, "This booklet is issued by the Hill Society."),
        (BookAspect.PUBLISHER, "This guide is now published on Hillside."),
        (BookAspect.PUBLISHER, "Hillside is pleased to publish this new edition of the guide."),
        (BookAspect.LICENCE, "This work is licensed under a Creative Commons licence."),
        (BookAspect.LICENCE, "Textbook content by the Hill Society is licensed under CC BY 4.0."),
        (BookAspect.LICENCE, "Potting 2e is licensed under a Creative Commons licence."),
        (BookAspect.LICENCE, "Permission is granted to copy this document under the GFDL."),
        (BookAspect.VERSION, "This manual describes version 1.10 of Tern."),
        (BookAspect.AUTHOR, "The authors of this document are Ann Example and others."),
        (BookAspect.DATE, "This manual was last updated on 2022-12-17."),
        (BookAspect.ORGANISATION, "Chapters 2 to 5 are about the body, 6 to 8 about software."),
        (BookAspect.ORGANISATION, "This book is divided into three parts."),
        (BookAspect.CONTENTS, "This chapter introduces three families of motors."),
        (BookAspect.AUDIENCE, "The target reader is someone who writes scripts."),
        (BookAspect.CHAPTERS, "The course comprises four modules."),
    ],
)
def test_a_sentence_says_it_wherever_it_stands(aspect: BookAspect, text: str) -> None:
    assert rate_statement(AboutBook(aspect), text, RULES, Standing()) == 1.0


@pytest.mark.parametrize(
    ("aspect", "text"),
    [
        (BookAspect.AUTHOR, "Copyright © 2013-2021 Ann Example"),
        (BookAspect.DATE, "January 2021"),
        (BookAspect.DATE, "This guide (2022-05-09) describes packages."),
        (BookAspect.SUBJECT, "Hello, and welcome to the robot manual!"),
        (BookAspect.VERSION, "Version 11.0"),
    ],
)
def test_a_name_or_a_date_alone_says_it_only_where_a_book_begins(
    aspect: BookAspect, text: str
) -> None:
    assert 0 < rate_statement(AboutBook(aspect), text, RULES, FIRST) < 1
    assert rate_statement(AboutBook(aspect), text, RULES, Standing()) == 0.0


@pytest.mark.parametrize(
    ("aspect", "text"),
    [
        (BookAspect.SUBJECT, "This manual is free software; you may redistribute it."),
        (
            BookAspect.SUBJECT,
            "In no event shall the authors of this manual be liable for any damage.",
        ),
        (BookAspect.SUBJECT, "What is this book about?"),
        (BookAspect.SUBJECT, "This manual is designed to be readable by beginners."),
        (BookAspect.AUTHOR, "Git was written by Linus Torvalds."),
        # Of any document of a kind, not of the one that says so.
        (BookAspect.AUTHOR, "A header says that the document was written by Robot Writer 7."),
        (BookAspect.AUTHOR, "The author of a signed document is Ann Example."),
        (BookAspect.ORGANISATION, "As chapter 4 shows, a servo draws current."),
        (BookAspect.AUDIENCE, "If you are in a hurry, press the button."),
        (BookAspect.AUDIENCE, "What you should know before you begin."),
    ],
)
def test_sentences_about_other_things_say_nothing_of_the_book(
    aspect: BookAspect, text: str
) -> None:
    assert rate_statement(AboutBook(aspect), text, RULES, FIRST) == 0.0


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Chapter 3. Sensors", TitleNumber("chapter", "3")),
        ("4 Shell Builtin Commands", TitleNumber("", "4")),
        ("4.2. Pipes", TitleNumber("", "4.2")),
        ("Module 2: Digital twins", TitleNumber("module", "2")),
        ("Part II. The body", TitleNumber("part", "2")),
        ("Appendix B. Grammar", TitleNumber("appendix", "B")),
        ("Sensors", None),
        ("A robot in the room", None),
        ("I saw a robot", None),
    ],
)
def test_the_number_of_a_title(title: str, number: TitleNumber | None) -> None:
    assert read_title_number(title, RULES) == number


def test_a_sentence_about_a_chapter_elsewhere_names_its_number() -> None:
    asked, elsewhere = AboutBook(BookAspect.CONTENTS, "chapter", "5"), Standing(in_chapter=False)
    for stated in ("Chapter 5 covers structs.", "Chapter 4 covers types, and chapter 5 enums."):
        assert 0 < rate_statement(asked, stated, RULES, elsewhere) < 1
    for other in ("Chapter 51 covers structs.", "This chapter covers structs."):
        assert rate_statement(asked, other, RULES, elsewhere) == 0.0


def test_sentences_that_point_at_others_are_rated_lower() -> None:
    asked = AboutBook(BookAspect.CONTENTS, "chapter", "5")
    leaning = rate_statement(asked, "This chapter describes both of these.", RULES, Standing())
    assert 0 < leaning < rate_statement(asked, "Chapter 5 describes boxes.", RULES, Standing())


def test_all_that_stands_under_some_titles_says_it_if_nothing_else_does() -> None:
    asked, line = AboutBook(BookAspect.AUDIENCE), "Linear algebra and calculus"
    assert (
        0 < rate_statement(asked, line, RULES, Standing(titles=("Required", "Prerequisites"))) < 0.2
    )
    assert rate_statement(asked, line, RULES, Standing(titles=("Overview",))) == 0.0


@pytest.mark.parametrize(
    ("aspect", "text"),
    [
        (BookAspect.DATE, "© 2013 Ann Example"),
        (BookAspect.VERSION, "Robots and motors, release 4"),
    ],
)
def test_a_copyright_line_is_the_last_resort_of_where_a_book_begins(
    aspect: BookAspect, text: str
) -> None:
    stated = "This is the manual of version 4.2, released on 2022-12-17."
    surely = rate_statement(AboutBook(aspect), stated, RULES, FIRST)
    assert 0 < rate_statement(AboutBook(aspect), text, RULES, FIRST) < surely == 1.0
    assert rate_statement(AboutBook(aspect), text, RULES, Standing()) == 0.0


@pytest.mark.parametrize(
    ("aspect", "title", "line"),
    [
        (BookAspect.AUTHOR, "3. The Authors", "Ann Example, lead developer"),
        (BookAspect.ORGANISATION, "Organization of this manual", "Parts one to three: the body"),
    ],
)
def test_a_list_under_a_telling_title_says_it(aspect: BookAspect, title: str, line: str) -> None:
    under = Standing(titles=("The Book", title))
    assert rate_statement(AboutBook(aspect), line, RULES, under) > 0
    assert rate_statement(AboutBook(aspect), line, RULES, Standing(titles=("Motors",))) == 0.0


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who wrote the document?", AnswerKind.PERSON),
        ("Who wrote the document that the mayor lost?", AnswerKind.PERSON),
        ("Who are the authors of the manual?", AnswerKind.PERSON),
        ("When was the volume published?", AnswerKind.DATE),
    ],
)
def test_a_thing_that_a_book_may_speak_of_is_asked_for_too(question: str, kind: AnswerKind) -> None:
    analysis = analyse_question(question, "en")
    assert analysis.about_book is not None
    of_thing = analyse_as_thing(analysis)
    assert of_thing is not None
    assert of_thing.about_book is None
    assert of_thing.expected.kind is kind


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote this document?",
        "Who wrote the book?",
        "Who is the author?",
        "Is this the manual that the manual describes, and who wrote this manual?",
    ],
)
def test_the_book_that_is_open_is_no_thing_in_it(question: str) -> None:
    assert analyse_as_thing(analyse_question(question, "en")) is None


@pytest.mark.parametrize(
    ("aspect", "text"),
    [
        (BookAspect.LICENCE, "The photo of the kiln is licensed under CC BY 4.0."),
        (BookAspect.LICENCE, "The program is released under the GNU GPL."),
        (BookAspect.LICENCE, "This License applies to any manual that says so in a notice."),
        (BookAspect.LICENCE, "The guide costs nothing and may be lent."),
        (BookAspect.PUBLISHER, "This guide was published on May 3."),
        (BookAspect.AUDIENCE, "This manual is for GNU Tern (version 2.9.5, 18 August 2013)."),
        (BookAspect.VERSION, "What is not in this FAQ stands in Section 12.1."),
        (BookAspect.VERSION, "Use the Station Release Form to record the time."),
        (BookAspect.VERSION, "For a robot of the size used in this book, an error of 0.5 is much."),
    ],
)
def test_a_line_on_something_else_says_nothing_of_the_book(aspect: BookAspect, text: str) -> None:
    assert rate_statement(AboutBook(aspect), text, RULES, Standing()) < 0.5
