"""What the book says of itself is shown in its own sentences, or by its titles."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import BlockKind, Locator, Passage, PassageScores, SentenceRole, Span
from tests.support.generation_fakes import prompt

H, P, L = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM


def page(*lines: tuple[BlockKind, str], path: tuple[str, ...] = ("The Book",)) -> Passage:
    text, spans = "", []
    for kind, body in lines:
        text += "\n" if text else ""
        spans.append(Span(len(text), len(text) + len(body), kind, 0.5))
        text += body
    place = Locator("index.md", 0, len(text), path)
    return Passage(f"index.md-{path[-1]}", place, text, tuple(spans), PassageScores())


def show(question: str, *pages: Passage) -> list[tuple[str, SentenceRole]]:
    asked = prompt(pages, question)
    assert asked.analysis == analyse_question(question)
    return [
        (pages[place.source - 1].text_of(place.span), place.role) for place in choose_places(asked)
    ]


def leads(question: str, *pages: Passage) -> list[str]:
    return [text for text, role in show(question, *pages) if role is SentenceRole.LEAD]


def test_the_sentence_that_says_what_it_is_about_leads_and_others_support_it() -> None:
    shown = show(
        "What is this book about?",
        page(
            (H, "The Book"),
            (P, "This book is free software; you may redistribute it."),
            (P, "This book explains robots."),
            (P, "Robots are machines that move by themselves."),
            (P, "This guide covers motors and sensors too."),
        ),
    )
    assert shown == [
        ("This book explains robots.", SentenceRole.LEAD),
        ("This guide covers motors and sensors too.", SentenceRole.SUPPORT),
    ]


def test_a_sentence_under_purpose_leads_only_where_it_speaks_of_the_book() -> None:
    inn = "The inn on the northern road has twelve rooms and a stable."
    cellar = "The purpose of the cellar is to store cider in casks of oak."
    opening = page((H, "The Northern Inn"), (P, inn), path=("The Northern Inn",))
    purpose = page((H, "Purpose"), (P, cellar), path=("The Northern Inn", "Purpose"))
    assert leads("What is this book about?", opening, purpose) == [inn]
    told = "The purpose of this book is to describe an inn on the northern road."
    purpose = page((H, "Purpose"), (P, told), path=("The Northern Inn", "Purpose"))
    assert leads("What is this book about?", opening, purpose) == [told]


def test_the_subject_of_the_title_is_told_first_when_no_sentence_says_what_the_book_is_about() -> (
    None
):
    front = page(
        (H, "What is passive compliance?"),
        (P, "Copyright © 2001-2023 by everybody who had a hand in it."),
        (P, "Permission is granted to everyone to copy what stands here."),
        (P, "THE AUTHORS OWE NOTHING TO ANYBODY FOR WHAT BECOMES OF A DOOR OR A SPRING."),
        (P, "A door that gives way is friendlier than one that does not."),
        (P, "Passive compliance is what a spring gives without a computer."),
        path=("What is passive compliance?",),
    )
    shown = [text for text, _ in show("What is this book about?", front)]
    assert shown == [
        "Passive compliance is what a spring gives without a computer.",
        "A door that gives way is friendlier than one that does not.",
    ]


def test_titles_answer_which_chapters_there_are_and_each_is_a_lead() -> None:
    pages = [page((H, title), path=(title,)) for title in ("1. Motors", "2. Sensors", "3. Care")]
    assert leads("Which chapters are there?", *pages) == ["1. Motors", "2. Sensors", "3. Care"]
    assert leads("How is this book organised?", *pages) == ["1. Motors", "2. Sensors", "3. Care"]


def test_a_chapter_is_told_by_its_title_and_by_what_it_says_of_itself() -> None:
    chapter = page(
        (H, "Download the book"),
        (H, "2. Sensors"),
        (P, "A robot without sensors is blind, and does the wrong thing."),
        (P, "This chapter describes what a robot can know."),
        path=("2. Sensors",),
    )
    told = ["2. Sensors", "This chapter describes what a robot can know."]
    assert leads("What does chapter 2 cover?", chapter) == told
    silent = page((H, "2. Sensors"), (P, chapter.text.split("\n")[2]), path=("2. Sensors",))
    opened = ["2. Sensors", "A robot without sensors is blind, and does the wrong thing."]
    assert leads("What does chapter 2 cover?", silent) == opened


def test_a_list_is_shown_whole_with_what_introduces_it() -> None:
    front = page((P, "This book is divided into two parts:"), (L, "Bodies"), (L, "Minds"))
    assert leads("How is this book organised?", front) == [front.text]


def test_the_surest_alone_are_shown_each_once() -> None:
    line = "This manual was written in 1996 by Ann Example."
    front = page((P, "Copyright © 1996 The Project"), (P, line), (P, line))
    assert show("Who wrote this manual?", front) == [(line, SentenceRole.LEAD)]


def test_a_line_of_names_right_below_the_title_is_shown() -> None:
    line = "Ann Example – Version 1.2, 2024-03-01"
    front = page((H, "The Book"), (P, line), (P, "Ben Other"))
    for question in ("Who is the author?", "Who wrote this book?", "When was this book written?"):
        assert show(question, front) == [(line, SentenceRole.LEAD)]


def test_nothing_is_shown_where_nothing_says_what_is_asked() -> None:
    front = page((H, "The Book"), (P, "This book explains robots to those who like them."))
    assert show("Who wrote this book?", front) == []
    assert show("When was this book published?", front) == []


def test_a_list_under_a_title_that_says_it_is_shown_whole() -> None:
    front = page(
        (H, "The Book"),
        (P, "Robots are machines."),
        (H, "Prerequisites"),
        (H, "Required"),
        (L, "Python"),
        (L, "Some algebra"),
        (H, "Next"),
        (L, "A robot"),
    )
    assert leads("Who is this book for?", front) == ["Python\nSome algebra"]


def test_the_title_answers_what_the_book_is_called() -> None:
    assert leads("What is this book called?", page((H, "The Book"))) == ["The Book"]


def test_an_address_opens_no_book() -> None:
    told = "A door that gives way is friendlier than one that does not."
    front = page((H, "The Book"), (P, "Ann Example, who wrote it all <ann@example.org>"), (P, told))
    assert leads("What is this book about?", front) == [told]


def test_a_short_sentence_of_a_script_without_spaces_tells_of_a_chapter() -> None:
    title, body = "第2章 传感器", "机器人如果没有传感器，就什么也看不见，也什么都做不好。"
    text = f"{title}\n{body}"
    spans = (
        Span(0, len(title), BlockKind.HEADING, 0.5),
        Span(len(title) + 1, len(text), BlockKind.PARAGRAPH, 0.5),
    )
    place = Locator("a.md", 0, len(text), (title,))
    chapter = Passage("a", place, text, spans, PassageScores())
    asked = replace(prompt((chapter,)), analysis=analyse_question("第2章讲什么？", "zh"))
    shown = [chapter.text_of(one.span) for one in choose_places(asked)]
    assert shown == [title, body]


@pytest.mark.parametrize(
    "line",
    [
        "Lotte Brandvold ⋅ Finn Oakes – Version 2.1, 2020-05-14 | second printing",
        "Written by Ingrid Salcombe and the committee.",
        "Third edition, printed in March of the year 2021.",
        "Author: Lotte Brandvold, Finn Oakes",
    ],
)
def test_a_line_of_authors_and_dates_is_not_what_the_book_is_about(line: str) -> None:
    told = "A short guide to brewing ten litres of beer in a kitchen."
    opening = page((H, "Small Beer"), (P, line), (P, told), path=("Small Beer",))
    assert [text for text, _ in show("What is this book about?", opening)] == [told]
    assert leads("Who wrote this book?", opening) + leads("When was it written?", opening)


@pytest.mark.parametrize("nobody", ["AUTHORS", "the authors", "[Your Name]", "<owner>"])
def test_a_notice_that_names_nobody_says_not_who_wrote_the_book(nobody: str) -> None:
    front = page(
        (H, "The Book"), (P, f"Copyright © 2000-2022 {nobody}"), (P, "Robots are machines.")
    )
    assert leads("Who wrote this book?", front) == []
    named = page((H, "The Book"), (P, "Copyright © 2000-2022 Ada Wong"))
    assert leads("Who wrote this book?", named) != []


IMPRINT = "Printed for the Hill Historical Society, 1987."
COMPILED = "Compiled by Ann Example."


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (IMPRINT, [IMPRINT]),
        ("Issued by Hill Tooling Ltd., Hill, March 2021.", None),
        ("Copyright 2021 Ann Example.", []),
    ],
)
def test_the_publisher_is_not_who_edited_it(line: str, found: list[str] | None) -> None:
    front = page((H, "The Book"), (P, COMPILED), (P, line), (P, "Hill is a town on a river."))
    assert leads("Who published this book?", front) == ([line] if found is None else found)
    assert leads("Who compiled this book?", front) == [COMPILED]


def test_an_imprint_says_nothing_of_what_the_book_is_about() -> None:
    told = "This little book tells the story of Hill from its church to its railway."
    front = page((H, "The Book"), (P, "by Ann Example."), (P, IMPRINT), (P, told))
    assert IMPRINT not in leads("What is the history of Hill?", front)


def test_a_listing_or_a_picture_says_of_no_author_and_a_name_above_an_address_does() -> None:
    name, code = "Ada Lindt", "# Author: Tom Birch"
    signed = page((H, "The Book"), (P, name), (P, "<ada@lindt.example>"))
    assert leads("Who are the authors?", signed) == [name]
    for kind in (BlockKind.CODE, BlockKind.CAPTION):
        assert not leads("Who are the authors?", page((H, "The Book"), (kind, code)))


@pytest.mark.parametrize("line", ["Ada Lindt", "Ada Lindt and Tom Birch"])
def test_whom_the_metadata_name_is_told_by_the_first_page(line: str) -> None:
    other = "In a house by the sea Ada Lindt tends a garden with lamps."
    front = page((P, "A Guide to Lamps"), (P, "Kiln Press"), (P, line), (P, other))
    asked = replace(prompt((front,), "Who wrote the book?"), authors=("Ada Lindt", "Tom Birch"))
    (lead,) = choose_places(asked)
    assert front.text_of(lead.span) == line
    assert not choose_places(replace(asked, authors=("Nora Kell",)))


def test_an_edition_and_its_readers_are_told_in_plain_words() -> None:
    edition = "This is the second edition."
    readers = "This handbook is for members of the pottery."
    opening = page((H, "The Book"), (P, edition), (P, readers))
    assert leads("Which edition is this?", opening) == [edition]
    assert leads("Who is this handbook for?", opening) == [readers]


def test_a_date_that_is_set_as_a_title_says_when_the_book_is_of() -> None:
    front = page((H, "The Book"), (H, "August 5, 2019"), (H, "Contents"), (P, "Rooms | 2"))
    assert leads("When was this book published?", front) == ["August 5, 2019"]
    undated = page((H, "The Book"), (H, "The rooms of 2019"), (P, "Rooms | 2"))
    assert leads("When was this book published?", undated) == []


def test_lines_that_name_an_author_each_lead_together() -> None:
    names = ("Ida Noll, ida@inn.org", "Tom Berg, tom@inn.org")
    front = page((H, "The Book"), *((P, name) for name in names), (P, "Rooms and stables."))
    assert leads("Who wrote this book?", front) == list(names)
    apart = page((H, "The Book"), (P, names[0]), (P, "Rooms and stables."), (P, names[1]))
    assert leads("Who wrote this book?", apart) == [names[0]]


def test_whom_the_metadata_name_wrote_the_book_and_not_who_wrote_one_of_its_pages() -> None:
    front = page((H, "A Guide to Lamps"), (P, "Kiln Press Team"))
    other = page((H, "lamp(1)"), (P, "This manual page was originally written by Tom Birch."))
    asked = replace(prompt((front, other), "Who wrote this guide?"), authors=("Kiln Press Team",))
    assert front.text_of(choose_places(asked)[0].span) == "Kiln Press Team"
    unnamed = choose_places(replace(asked, authors=()))
    assert other.text_of(unnamed[0].span).startswith("This manual page")


@pytest.mark.parametrize(
    ("first", "second", "led"),
    [
        (
            "The master version of this manual is written in a markup language.",
            "This is the manual for Tern, a program for pilots of ships.",
            1,
        ),
        ("This manual describes version 1.10 of Tern.", "This manual describes ships.", 1),
        ("This manual describes ships.", "Tern was written in 1996.", 0),
    ],
)
def test_how_a_book_is_made_or_of_which_version_is_not_its_subject(
    first: str, second: str, led: int
) -> None:
    opening = page((H, "Tern"), (P, first), (P, second), path=("Tern",))
    assert leads("What is this book about?", opening) == [(first, second)[led]]


def test_the_thing_that_a_manual_is_called_by_is_told_before_that_of_a_chapter() -> None:
    layers = page(
        (H, "Layers"),
        (P, "A layer is a sheet of data that lies upon another one of the map."),
        path=("Layers",),
    )
    tern = "Tern is a program for pilots of ships who want to know the depth."
    opening = page((H, "Tern Manual"), (P, tern), path=("Tern Manual",))
    assert leads("What is this book about?", layers, opening) == [tern]
