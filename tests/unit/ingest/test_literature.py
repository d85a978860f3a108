"""Novels and talk: chapters are sections by what their titles are, speech is cut into sentences."""

import pytest

from libs.text import sentence_ranges
from services.ingest.parsers.plain import parse_plain

PROSE = "It was late when the old man came down to the harbour and untied the rope. " * 8


def book(titles: list[str], body: str = PROSE) -> str:
    return "THE OLD HARBOUR\n\nby nobody\n\n" + "".join(f"\n{one}\n\n{body}\n\n" for one in titles)


def chapters(text: str) -> list[str]:
    return [section.path[-1] for section in parse_plain(text, "t").sections[1:]]


@pytest.mark.parametrize(
    "titles",
    [
        ["CHAPTER I", "CHAPTER II", "CHAPTER III"],
        ["Chapter the First", "Chapter the Second", "Chapter the Third"],
        ["I", "II", "III"],
        ["I.", "II.", "III."],
        ["1", "2", "3"],
        ["I. THE HARBOUR", "II. THE STORM", "III. THE RETURN."],
        ["1. The Harbour", "2. The Storm", "3. The Return"],
        ["CHAPITRE PREMIER", "CHAPITRE DEUXIÈME", "CHAPITRE III"],
        ["Erstes Kapitel", "Zweites Kapitel", "Letztes Kapitel"],
        ["Capítulo primero", "Capítulo segundo", "Capítulo III"],
        ["Глава первая", "Глава вторая", "Глава 3"],
        ["第一章 港", "第二章　嵐", "第三章"],
        ["第一回", "第二回", "第十二回"],
    ],
    ids=lambda titles: titles[0],
)
def test_chapters_of_a_novel_are_sections(titles: list[str]) -> None:
    assert chapters(book(titles)) == [" ".join(title.split()) for title in titles]


NAMED = ["CHAPTER I\n\nThe Harbour", "CHAPTER II\n\n_The Storm_", "CHAPTER III\n\nTHE RETURN."]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (NAMED, ["CHAPTER I The Harbour", "CHAPTER II The Storm", "CHAPTER III THE RETURN."]),
        (["I.\n\nThe Harbour", "II.\n\nThe Storm", "III.\n\nThe Return"], None),
        (
            ["第一章\n\n港", "第二章\n\n嵐", "第三章\n\n帰り"],
            ["第一章 港", "第二章 嵐", "第三章 帰り"],
        ),
        # One of them begins with a line of its text.
        (
            [*NAMED[:2], "CHAPTER III\n\n“Who is there?”"],
            ["CHAPTER I The Harbour", "CHAPTER II The Storm", "CHAPTER III"],
        ),
        (["CHAPTER I\n\nDear Anne,", "CHAPTER II\n\nDear Tom,"], ["CHAPTER I", "CHAPTER II"]),
        ([NAMED[0], "CHAPTER II", "CHAPTER III"], ["CHAPTER I", "CHAPTER II", "CHAPTER III"]),
    ],
)
def test_the_name_below_the_number_of_a_chapter_is_part_of_its_title(
    titles: list[str], expected: list[str] | None
) -> None:
    wanted = expected or [title.replace("\n\n", " ") for title in titles]
    assert chapters(book(titles)) == wanted


@pytest.mark.parametrize(
    "front",
    ["(1814)\n\nby Nobody", f"by\n\nNobody\n\nTO THE READER\n\n{PROSE}"],
    ids=["a year", "a word to the reader"],
)
def test_the_first_line_of_a_novel_is_its_title(front: str) -> None:
    body = "".join(f"\n\nCHAPTER {number}\n\n{PROSE}" for number in ("I", "II", "III"))
    assert parse_plain(f"The Old Harbour\n\n{front}{body}", "slug").title == "The Old Harbour"
    assert parse_plain(f"Seen, and then said.{body}", "slug").title == "slug"


@pytest.mark.parametrize("title", ["{: ^70}", "_{}_", "*{}*"])
def test_titles_may_be_centred_or_stressed(title: str) -> None:
    names = ["Chapter I", "Chapter II", "Chapter III"]
    assert chapters(book([title.format(name).rstrip() for name in names])) == names


@pytest.mark.parametrize(
    "titles",
    [
        ["I", "II", "IV"],
        ["2", "3", "4"],
        ["1. Take the rope and pull it.", "2. Sail out.", "3. Come back, then."],
        ["1. take", "2. pull", "3. sail"],
    ],
    ids=lambda titles: titles[0],
)
def test_numbers_that_do_not_count_up_and_items_of_a_list_are_no_chapters(
    titles: list[str],
) -> None:
    assert chapters(book(titles)) == []


def test_short_items_with_numbers_are_no_chapters() -> None:
    assert chapters(book(["1. Rope", "2. Sail", "3. Oar"], "Tie it well.")) == []


def sentences(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in sentence_ranges(text, language)]


@pytest.mark.parametrize(
    ("text", "language", "cut"),
    [
        (
            "She said, “The sea is angry. I saw it worse only once. We lost the boat.” He laughed.",
            "en",
            [
                "She said, “The sea is angry.",
                "I saw it worse only once.",
                "We lost the boat.”",
                "He laughed.",
            ],
        ),
        (
            '"He went home at nine. He was tired," Boris said; then he sat down.',
            "en",
            ['"He went home at nine.', 'He was tired," Boris said; then he sat down.'],
        ),
        (
            "«Kommst du heute noch? Es regnet doch», fragte sie. Er schwieg.",
            "de",
            ["«Kommst du heute noch?", "Es regnet doch», fragte sie.", "Er schwieg."],
        ),
        (
            "他说：“我今天晚上不去那里了。现在已经太晚了，你走吧。”她走了。",
            "zh",
            ["他说：“我今天晚上不去那里了。", "现在已经太晚了，你走吧。”", "她走了。"],
        ),
    ],
)
def test_speech_is_cut_into_its_sentences(text: str, language: str, cut: list[str]) -> None:
    assert sentences(text, language) == cut


@pytest.mark.parametrize(
    "text",
    [
        "The message “File not found. Try again later.” appears when the disk is full.",
        "He cried, “Stop! Thief!” and ran.",
        "“It was Dr. Hale who came.”",
        "She said, “It has no end",
    ],
)
def test_words_quoted_inside_of_a_sentence_and_cries_stay_with_it(text: str) -> None:
    assert sentences(text) == [text]
