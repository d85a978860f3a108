"""Which chapters a book has, by their numbers or else by its order, and where it speaks of itself."""

from pathlib import PurePosixPath
from string import ascii_lowercase

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.about_book import AboutBook, BookAspect, read_about_book
from services.retrieval.adapters.outlines import KEPT_BYTES, KEPT_S, OutlineCache, read_outline
from services.retrieval.model import Heading, Listed
from services.retrieval.outline import MOST_CHAPTERS, OPENING, Outline, choose_places

RULES = load_lexicon("en").about_book
C = BookAspect.CONTENTS


def outline_of(*titles: str, paths: tuple[str, ...] = ()) -> Outline:
    """Documents of one title each, the first of them at the front."""
    names = paths or tuple(f"{letter}.md" for letter in ascii_lowercase[: len(titles)])
    return Outline(
        [Heading(name, 0, (title,)) for name, title in zip(names, titles, strict=True)], RULES
    )


def in_one(*paths: tuple[str, ...]) -> Outline:
    """Sections of one document, ten characters apart."""
    return Outline([Heading("a.pdf", 10 * at, path) for at, path in enumerate(paths)], RULES)


def titles(outline: Outline) -> list[str]:
    return [chapter.path[-1] for chapter in outline.list_chapters()]


def found(outline: Outline, **asked: str | int) -> str:
    heading = outline.find_chapter(AboutBook(C, **{"kind": "chapter", **asked}))  # type: ignore[arg-type]
    return heading.path[-1] if heading else ""


def test_numbered_titles_are_chapters_and_what_begins_anew_is_an_appendix() -> None:
    book = outline_of("Contents", "1. Scope", "2. Files", "3. Docs", "1. Forms", "4. Licence")
    assert titles(book) == ["1. Scope", "2. Files", "3. Docs"]
    assert found(book, number="2") == "2. Files"
    assert found(book, place=-1) == "3. Docs"
    assert found(book, number="9") == found(book, place=7) == ""


def test_folders_number_the_chapters_that_their_first_pages_are() -> None:
    paths = (
        "index.md",
        "01-what/index.md",
        "01-what/quiz.md",
        "02-who/index.md",
        "03-why/README.md",
    )
    book = outline_of("All", "What it is", "Quiz", "Who it is", "Why it is", paths=paths)
    assert titles(book) == ["What it is", "Who it is", "Why it is"]
    assert found(book, number="2") == "Who it is"


def test_a_folder_is_titled_by_the_document_that_is_called_as_it_is() -> None:
    paths = (
        "01_Preface/authors.md",
        "01_Preface/preface.md",
        "02_Phases/funds.md",
        "02_Phases/phases.md",
        "03_Annex/annex.md",
    )
    names = ("The authors", "Preface", "Funds", "Phases", "Annex")
    book = outline_of(*names, paths=paths)
    assert titles(book) == ["Preface", "Phases", "Annex"]
    plain = [path.partition("_")[2] for path in paths]
    plain[3:3] = [f"Phases/{one}{two}.md" for one in "ab" for two in ascii_lowercase]
    of_many = outline_of(*(PurePosixPath(path).stem for path in plain), paths=tuple(plain))
    assert titles(of_many) == ["preface", "phases", "annex"]


def test_a_title_that_names_the_book_speaks_of_it_wherever_it_stands() -> None:
    names = ("Rooms", "Cider", "Stable", "Oats", "Hay", "What this guide is not", "What beer is")
    places = outline_of(*names).list_front(BookAspect.SUBJECT)
    assert [document for document, *_ in places] == ["a.md", "f.md"]


def test_titles_of_chapters_may_say_what_a_book_is_about() -> None:
    asked = AboutBook(BookAspect.SUBJECT)

    def listed(*titles: str) -> int:
        return len(choose_places(asked, outline_of(*titles)).titled)

    assert listed("1. Kant", "2. Mill", "3. Vallor") == 3
    assert listed("Ethics", "1. Kant", "2. Mill", "3. Vallor") == 3
    assert listed("Ethics", "Kant", "Mill") == 3
    assert listed("Ethics", "Kant") == 0


def test_the_numbers_of_a_few_steps_are_no_chapters_of_a_book_of_many() -> None:
    pages = ("Hours", "Leave", "1. Ask", "2. Wait", "3. Go", *(f"Room {one}" for one in "abcdefgh"))
    assert [one.path[-1] for one in outline_of(*pages).list_chapters()] == list(pages)
    few = outline_of("Preface", "1. Ask", "2. Wait", "3. Go", "Index")
    assert [one.path[-1] for one in few.list_chapters()] == ["1. Ask", "2. Wait", "3. Go"]


def test_a_section_is_a_chapter_where_no_section_has_its_number() -> None:
    book = outline_of("Contents", "1. Scope", "2. Files", "3. Docs", "2.1. Names")
    assert found(book, kind="section", number="2") == "2. Files"
    assert found(book, kind="section", number="2.1") == "2.1. Names"
    assert found(book, kind="week", number="2") == ""


def test_modules_are_chapters_each_counted_once() -> None:
    book = outline_of(
        "Welcome", "Module 1: Nodes", "Week 1: Topics", "Module 1: Questions", "Module 2: Twins"
    )
    assert titles(book) == ["Module 1: Nodes", "Module 2: Twins"]
    assert found(book, kind="module", number="2") == "Module 2: Twins"
    assert found(book, number="2") == "Module 2: Twins"
    assert found(book, kind="week", number="1") == "Week 1: Topics"


def test_numbers_of_files_count_where_titles_have_none() -> None:
    book = outline_of(
        "Foreword",
        "Hello",
        "Cargo",
        "Ownership",
        "Moves",
        "Structs",
        "Loose",
        "Keywords",
        paths=(
            *("foreword.md", "ch01-00-hello.md", "ch01-01-cargo.md", "ch02-00-ownership.md"),
            *("ch02-01-moves.md", "ch03-00-structs.md", "ch04-01-loose.md"),
            "appendix-01-keywords.md",
        ),
    )
    assert titles(book) == ["Hello", "Ownership", "Structs"]
    assert found(book, number="2") == "Ownership"
    assert book.front == ("foreword.md",)


def test_documents_without_any_number_are_counted_as_they_are_read() -> None:
    book = outline_of("Motors", "Sensors", "Safety")
    assert found(book, number="2") == "Sensors"
    assert found(book, kind="", title="safety") == "Safety"
    many = Outline(
        [
            Heading(f"{n % 2}/{chr(65 + n)}.md", 0, (f"Page {'x' * n}",))
            for n in range(MOST_CHAPTERS + 1)
        ],
        RULES,
    )
    assert len(many.list_chapters()) == 2


@pytest.mark.parametrize("title", ["The Book", "Book"])
def test_the_sections_of_a_single_document_are_its_chapters(title: str) -> None:
    book = in_one(
        (title,),
        (title, "Preface"),
        (title, "Chapter 1. Motors"),
        (title, "Chapter 2. Sensors"),
        (title, "Chapter 2. Sensors", "2.1. Lidar"),
        (title, "Appendix A. Tables"),
    )
    assert titles(book) == ["Chapter 1. Motors", "Chapter 2. Sensors"]
    assert found(book, kind="section", number="2.1") == "2.1. Lidar"
    assert found(book, kind="appendix", number="A") == "Appendix A. Tables"
    plain = in_one((title,), (title, "Motors"), (title, "Sensors"))
    assert titles(plain) == ["Motors", "Sensors"]


def test_a_chapters_opening_ends_where_the_next_one_begins() -> None:
    book = in_one(("B",), ("B", "Motors"), ("B", "Motors", "Gears"), ("B", "Sensors"))
    places = [book.place_of(chapter) for chapter in book.list_chapters()]
    assert places == [("a.pdf", 10, 30), ("a.pdf", 30, 30 + OPENING)]


def test_a_book_speaks_of_itself_at_its_front_and_under_such_titles() -> None:
    book = Outline(
        [
            *(Heading("index.md", 0, ("The Book",)), Heading("1.md", 0, ("1. Motors",))),
            *(Heading("1.md", 500, ("1. Motors", "Overview")), Heading("2.md", 0, ("2. Sensors",))),
            *(Heading("3.md", 0, ("3. Care",)), Heading("4.md", 0, ("4. About this book",))),
            *(Heading("5.md", 0, ("5. Notes",)), Heading("5.md", 90, ("5. Notes", "Overview"))),
            Heading("5.md", 200, ("5. Notes", "Authors")),
        ],
        RULES,
    )
    of_author = [place[:2] for place in book.list_front(BookAspect.AUTHOR)]
    of_subject = [place[:2] for place in book.list_front(BookAspect.SUBJECT)]
    assert of_author == [("index.md", 0), ("1.md", 500), ("4.md", 0), ("5.md", 200)]
    assert of_subject == [("index.md", 0), ("1.md", 500), ("4.md", 0)]


def test_an_outline_has_each_section_once_in_the_order_of_the_documents() -> None:
    placed = [("b.md", 0, ["B"]), ("a.md", 90, ["A", "A\u001fTwo"]), ("a.md", 0, ["A"])]
    outline = read_outline(placed, {"a.md": 2, "b.md": 1})
    assert outline == (
        Heading("b.md", 0, ("B",)),
        Heading("a.md", 0, ("A",)),
        Heading("a.md", 90, ("A", "Two")),
    )
    assert read_outline(placed, {"a.md": 1})[-1].document == "b.md"


def test_outlines_are_kept_for_a_while() -> None:
    now = [0.0]
    cache = OutlineCache(lambda: now[0])
    cache.add("book", 1, [Heading("a.md", 0, ("A",))])
    assert cache.find("book", 1) is not None
    assert cache.find("book", 2) is None
    now[0] = KEPT_S + 1
    assert cache.find("book", 1) is None


@pytest.mark.parametrize("title", ["A", "A" * 1000], ids=["short", "long"])
def test_outlines_are_kept_as_far_as_their_bytes_fit(title: str) -> None:
    cache = OutlineCache()
    a_third = [Heading("a.md", 0, (title,))] * (KEPT_BYTES // 3 // (250 + len(title)))
    for edition in range(5):
        cache.add("book", edition, a_third)
    assert [edition for edition in range(5) if cache.find("book", edition)] == [2, 3, 4]
    cache.add("book", 5, a_third * 4)
    assert [edition for edition in range(6) if cache.find("book", edition)] == [5]


@pytest.mark.parametrize(
    ("aspect", "title"),
    [
        (BookAspect.SUBJECT, "Overview of all robots"),
        (BookAspect.DATE, "Revision history"),
        (BookAspect.VERSION, "Revision history"),
        (BookAspect.ORGANISATION, "Roadmap"),
        (BookAspect.AUDIENCE, "Prerequisites"),
    ],
)
def test_a_title_says_what_of_the_book_stands_under_it(aspect: BookAspect, title: str) -> None:
    book = Outline(
        [
            Heading("a.md", 0, ("B",)),
            Heading("a.md", 500, ("B", title)),
            Heading("a.md", 900, ("B", "Motors")),
        ],
        RULES,
    )
    assert [place[:2] for place in book.list_front(aspect)] == [("a.md", 0), ("a.md", 500)]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("The Harbour", "CHAPTER I The Harbour"),
        ("the  storm", "Kapitel II. The Storm"),
        ("港", "第三章 港"),
        ("Harbour", None),
        ("Storm", None),
        # What is called so is meant, not what ends so behind a number.
        ("Return", "Return"),
    ],
)
def test_a_chapter_is_named_without_the_number_before_its_name(
    name: str, title: str | None
) -> None:
    book = outline_of(
        "Novel",
        "CHAPTER I The Harbour",
        "Kapitel II. The Storm",
        "第三章 港",
        "Kapitel IV Return",
        "Return",
    )
    heading = book.name_chapter(name)
    assert (heading and heading.path[-1]) == title


@pytest.mark.parametrize("name", ["2", "II", "chapter 2", "Chapter Two", "the second chapter"])
def test_a_filter_and_a_question_mean_the_same_chapter_by_a_number(name: str) -> None:
    lexicon = load_lexicon("en")
    names = [*("The Book", "1. Motors", "2. Sensors", "3. Care", "2", "II", "Chapter Two")]
    titled = outline_of(*names)
    book = Outline(titled.headings, RULES, lexicon.checks.numbers.values)
    heading = book.name_chapter(name)
    assert heading is not None
    question = name if not name.isalnum() else f"chapter {name}"
    asked = read_about_book(f"What does {question} say?", lexicon)
    assert asked is not None
    assert heading == book.find_chapter(asked)
    assert heading.path[-1] == "2. Sensors"


def test_the_title_of_a_book_is_its_first_unless_that_is_a_chapters() -> None:
    numbered = outline_of("The Robot Book", "1. Scope", "2. Files", "3. Docs")
    title = numbered.find_title()
    assert title is not None
    assert title.path == ("The Robot Book",)
    for others in (("1. Scope", "2. Files", "3. Docs"), ("Preface", "1. Scope", "2. Files")):
        assert outline_of(*others).find_title() is None
    assert outline_of("The harbour", "The mill", "The road").find_title() is None
    asked = choose_places(AboutBook(BookAspect.TITLE), numbered)
    assert [place[0] for place in asked.titles] == ["a.md"]


def test_a_first_chapter_may_say_what_a_book_is_about_and_for_whom() -> None:
    book = outline_of("The Robot Book", "1. Scope", "2. Files", "3. Docs")
    for aspect in (BookAspect.SUBJECT, BookAspect.AUDIENCE):
        assert [place[0] for place in choose_places(AboutBook(aspect), book).stated] == ["b.md"]
    assert choose_places(AboutBook(BookAspect.AUTHOR), book).stated == ()


def listed(*entries: tuple[str, int, tuple[str, ...]]) -> Outline:
    """Documents as a table of contents puts them: title, depth, and the parts that begin there."""
    return Outline(
        [
            Heading(f"{title.lower()}.md", 0, (title,), Listed(depth, parts, True))
            for title, depth, parts in entries
        ],
        RULES,
    )


GUIDE = listed(
    ("Index", 0, ()),
    ("Install", 1, ("Getting started",)),
    ("First run", 1, ()),
    ("Motors", 1, ("Reference",)),
    ("Gears", 2, ()),
    ("Sensors", 1, ()),
    ("Servers", 3, ("Deeper",)),
)


def members(outline: Outline, **asked: str | int) -> list[str]:
    part = outline.find_part(AboutBook(BookAspect.CHAPTERS, **asked))  # type: ignore[arg-type]
    return [one.path[-1] for one in part.members] if part else []


def test_chapters_are_what_the_contents_have_topmost_without_the_page_that_opens_the_site() -> None:
    assert titles(GUIDE) == ["Install", "First run", "Motors", "Sensors"]
    assert found(GUIDE, number="3") == "Motors"
    assert GUIDE.front == ("index.md",)


def test_steps_that_some_pages_count_are_no_chapters_of_a_book_that_lists_more() -> None:
    names = ("One", "1. Buy", "2. Build", "3. Run", "Two", "Three", "Four", "Five")
    assert titles(listed(*((name, 0, ()) for name in names))) == list(names)


def test_a_page_that_the_contents_pass_over_is_no_chapter() -> None:
    orphan = Heading("z.md", 0, ("Orphan",), Listed(is_named=False))
    assert titles(Outline([*GUIDE.headings, orphan], RULES))[-1] == "Sensors"


def test_a_chapter_is_none_of_a_list_of_chapters_that_the_contents_pass_over() -> None:
    orphan = Heading("z.md", 0, ("List",), Listed(is_named=False))
    named = Heading("z.md", 9, ("List", "Chapter 3: Cogs"))
    assert found(Outline([*GUIDE.headings, orphan, named], RULES), number="3") == "Motors"
    assert found(Outline([*GUIDE.headings, orphan, named], RULES), number="9") == ""
    ninth = Heading("z.md", 9, ("List", "Chapter 9: Cogs"))
    assert found(Outline([*GUIDE.headings, orphan, ninth], RULES), number="9") == "Chapter 9: Cogs"


def test_a_part_is_found_by_its_title_its_number_and_its_place() -> None:
    assert members(GUIDE, title="getting started") == ["Install", "First run"]
    assert members(GUIDE, kind="part", number="2") == ["Motors", "Sensors"]
    assert members(GUIDE, kind="part", place=-1) == ["Motors", "Sensors"]
    assert members(GUIDE, title="Motors") == ["Gears"]
    assert members(GUIDE, title="deeper") == ["Servers"]
    assert found(GUIDE, kind="part", number="2") == found(GUIDE, kind="part", place=2) == ""
    assert members(GUIDE, kind="part", number="3") == members(GUIDE, title="cooking") == []


def test_parts_with_numbers_of_their_own_are_found_by_those() -> None:
    book = listed(("Hello", 1, ("Part II: Basics",)), ("World", 1, ("Part III: More",)))
    assert members(book, kind="part", number="3") == ["World"]
    assert members(book, kind="part", number="1") == []


def test_a_part_within_one_document_has_the_sections_below_its_title() -> None:
    book = in_one(
        ("Book",),
        ("Book", "Part I Home"),
        ("Book", "Part I Home", "Doors"),
        ("Book", "Part I Home", "Doors", "Locks"),
        ("Book", "Part I Home", "Windows"),
        ("Book", "Part II Away"),
        ("Book", "Part II Away", "Trains"),
    )
    assert members(book, kind="part", number="1") == ["Doors", "Windows"]
    places = choose_places(AboutBook(BookAspect.CHAPTERS, "part", "2"), book)
    assert [one.path[-1] for one in places.titled] == ["Trains"]
    assert not choose_places(AboutBook(BookAspect.CHAPTERS, "part", "9"), book)


def test_a_section_called_author_amid_a_book_is_of_something_in_it() -> None:
    names = [f"{letter}.md" for letter in ascii_lowercase[:12]]
    documents = [Heading(name, 0, (name.upper(),)) for name in names]
    fields = [Heading(name, 90, (name.upper(), "Author")) for name in (names[6], names[11])]
    places = choose_places(
        AboutBook(BookAspect.AUTHOR), Outline(sorted([*documents, *fields]), RULES)
    )
    assert ("l.md", 90) in [place[:2] for place in places.front]
    assert "g.md" not in [place[0] for place in places.front]


def test_a_title_that_several_chapters_have_is_listed_once() -> None:
    book = outline_of("Motors", "Examples", "Sensors", "Examples")
    titled = choose_places(AboutBook(BookAspect.CHAPTERS), book).titled
    assert [one.path[-1] for one in titled] == ["Motors", "Examples", "Sensors"]
