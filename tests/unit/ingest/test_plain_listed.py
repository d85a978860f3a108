"""Plain text: a table of contents is no prose, and what it names is a heading where it stands."""

import pytest

from services.ingest.model.book import ParsedText
from services.ingest.parsers.plain import parse_plain

TITLES = ("The Lamp", "The Lens", "Fog Signals", "Keeping the Log")
SAID = (
    "The lamp is lit at dusk and put out at dawn. It burns oil.",
    "The lens has forty-two prisms in a frame of brass.",
    "In fog the horn sounds for five seconds every minute.",
    "Each watch writes the weather and the ships it saw.",
)
BODY = "\n\n".join(f"{title}\n\n{said}" for title, said in zip(TITLES, SAID, strict=True))


def read(contents: str, body: str = BODY) -> ParsedText:
    return parse_plain(f"THE HANDBOOK\n\n{contents}\n\n{body}\n", "Book")


@pytest.mark.parametrize(
    "contents",
    [
        "Contents\n\n" + "\n".join(TITLES),
        "CONTENTS\n" + "\n".join(TITLES),
        "Table of Contents\n\n" + "\n\n".join(TITLES),
        "Contents\n\n" + "\n".join(f"{n}. {title}" for n, title in enumerate(TITLES, 1)),
        "\n".join(f"{title} {'.' * 30} {4 + 3 * n}" for n, title in enumerate(TITLES)),
        "\n".join(f"{title:30}{4 + 3 * n:4}" for n, title in enumerate(TITLES)),
        "Contents\n\n"
        + "\n".join(f"{title} . . . . . {3 * n + 1}" for n, title in enumerate(TITLES)),
        "Inhalt\n\n" + "\n".join(TITLES),
    ],
)
def test_titles_that_contents_name_are_headings_and_the_contents_are_no_text(contents: str) -> None:
    parsed = read(contents)
    assert tuple(section.path[-1] for section in parsed.sections if len(section.path) > 1) == TITLES
    assert all(parsed.text.count(title) == 1 for title in TITLES)
    assert "ontents" not in parsed.text
    assert [one.kind for one in parsed.dropped_content] == ["table of contents"]


def test_sections_are_as_deep_as_contents_list_them() -> None:
    parsed = read("Contents\n\nThe Lamp\n  The Lens\n  Fog Signals\nKeeping the Log")
    assert [(len(section.path), section.path[-1]) for section in parsed.sections[1:]] == [
        (2, "The Lamp"),
        (3, "The Lens"),
        (3, "Fog Signals"),
        (2, "Keeping the Log"),
    ]


def test_titles_beside_chapters_in_contents_are_as_deep_as_they() -> None:
    body = BODY.replace("The Lens", "Chapter 1. The Lens").replace("Fog Signals", "Chapter 2. Fog")
    titles = "The Lamp\nChapter 1. The Lens\nChapter 2. Fog\nKeeping the Log"
    parsed = read(f"Contents\n\n{titles}", body)
    assert {len(section.path) for section in parsed.sections[1:]} == {2}
    assert [section.path[-1] for section in parsed.sections[1:]] == titles.split("\n")


@pytest.mark.parametrize(
    "listed",
    [
        # Nothing further on is called so.
        "Tea ........ 2\nCoffee ........ 3\nA bun ........ 5",
        # Not in the order of pages.
        "The Lamp ........ 9\nThe Lens ........ 3\nFog Signals ........ 5",
        "Contents\n\nOil\nBrass\nGlass",
        "The Lamp\nThe Lens\nFog Signals",
    ],
)
def test_lists_that_are_no_contents_stay(listed: str) -> None:
    parsed = read(listed)
    assert (
        listed.rsplit("\n", maxsplit=1)[-1].split(" .", maxsplit=1)[0]
        in parsed.text.split("forty-two")[0]
    )
    assert not parsed.dropped_content


def test_many_tables_of_contents_are_read_in_the_time_of_as_many_lines() -> None:
    assert parse_plain("Contents\n\nA\n\nB\n\n" * 5_000, "Book").text


@pytest.mark.parametrize("dots", ["", f" {'.' * 20} 7"])
def test_lines_over_and_under_the_contents_that_are_no_entries_stay(dots: str) -> None:
    titles = [f"{at}. Part {at} of the mill" for at in range(1, 12)]
    entries = "\n".join(f"{title}{dots}" for title in titles)
    chapters = "\n\n".join(f"{title}\n{'=' * len(title)}\n\nIt turns." for title in titles)
    for front in (f"Version 0.72\n{entries}", f"{entries}\nRead it twice."):
        parsed = parse_plain(f"Mills\n=====\n\nAda\n\n{front}\n\n{chapters}\n", "Book")
        assert front.replace(entries, "").strip() in parsed.text
        assert parsed.text.count("of the mill") == len(titles)
        assert [one.kind for one in parsed.dropped_content] == ["table of contents"]


def test_a_line_under_the_entries_that_stands_nowhere_else_stays() -> None:
    named = read("\n".join(("Contents", *TITLES, "Read it twice.")))
    titles = ("The Tide", "The Boat", "The Rope", "The Oar", "The Anchor", "The Sail")
    paged = "\n".join(
        ("Version 0.72", *(f"{one} ..... {at}" for at, one in enumerate((*TITLES, *titles), 1)))
    )
    more = "\n\n".join(f"{one}\n\nIt is of the harbour and of nobody else." for one in titles)
    for parsed, said in ((named, "Read it twice."), (read(paged, f"{BODY}\n\n{more}"), "0.72")):
        assert said in parsed.text
        assert parsed.text.count("Fog Signals") == 1
        assert {"The Lamp", "Fog Signals"} <= {one.path[-1] for one in parsed.sections}
