"""Comments as Obsidian has them are no text of a book, and the report names them."""

import pytest

from services.ingest.parsers.asciidoc import parse_asciidoc
from services.ingest.parsers.markdown import parse_markdown


def read(source: str) -> tuple[str, list[tuple[str, str, int]]]:
    parsed = parse_markdown(source, False, "F")
    dropped = [(one.kind, one.place, one.characters) for one in parsed.dropped_content]
    return parsed.text, dropped


@pytest.mark.parametrize(
    ("source", "text", "characters"),
    [
        ("The gate %%hidden%% opens.", "The gate opens.", 6),
        ("The gate opens. %% check this %%", "The gate opens.", 9),
        ("The gate opens at 9 %% check this %%", "The gate opens at 9", 9),
        ("Seen.\n\n%% see page 100 %%\n\nAs well.", "Seen.\n\nAs well.", 10),
        ("Seen.\n%%\nNot seen.\n\nNor this.\n%%\nAs well.", "Seen.\n\nAs well.", 16),
        ("%% Not seen,\n\nnor this %%\n\nSeen.", "Seen.", 15),
        ("%%\nNot seen.\n%% Seen.", "Seen.", 8),
        ("- One %%two%%\n- %% three %%\n- Four", "One\nFour", 8),
        ("> %%\n> gone\n> %%\n> Kept.", "Kept.", 4),
        ("See *this %% not [that](x) %% now*.", "See this now.", 12),
        ("| a | b |\n|---|---|\n| c %% no %% | 2 |", "a | b\nc | 2", 2),
    ],
)
def test_comments_are_left_out_and_counted(source: str, text: str, characters: int) -> None:
    shown, dropped = read(source)
    assert (shown, sum(one[2] for one in dropped)) == (text, characters)
    assert {one[0] for one in dropped} == {"hidden text"}


@pytest.mark.parametrize(
    "source",
    [
        "It grew by 100 %% and then by 50 %% more.",
        "It grew by 100%% and then by 50%% more.",
        "In printf %d is a number and %% a sign, which is why %% is written.",
        "Write %% for a sign; 100 %% is what it looks like.",
        "for %%i in (a b) do echo %%i",
        "One %% alone is text.",
        "The gate opens %% check, page 12 %% at nine.",
        "100 %% is twice 50 %%",
        "Cells begin with %%time or with %%bash there.",
        "%% One line\n%% and one more\n%%",
        "%% is a sign, and so is %%%% here.",
        "Formats: %%, %%. And %%; no more.",
    ],
)
def test_percent_signs_that_mean_themselves_stay(source: str) -> None:
    assert read(source) == (source.replace("\n", " "), [])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Run `a %% b %% c` now.", "Run a %% b %% c now."),
        ("```\n%%\nx\n%%\n```", "%%\nx\n%%"),
        ("    %%\n    x\n    %%", "%%\nx\n%%"),
        ("It is $a %% b %% c$ here.", "It is $a %% b %% c$ here."),
        ("$$\na %% b\n%% c\n$$", "a %% b\n%% c"),
    ],
)
def test_code_and_formulas_keep_their_percent_signs(source: str, text: str) -> None:
    assert read(source) == (text, [])


def test_a_comment_is_named_with_its_line() -> None:
    source = "# T\n\nSeen %%one%% here.\n\n%%\ntwo\n%%\n\n## Head %%three%%\n"
    text, dropped = read(source)
    assert text == "T\n\nSeen here.\n\nHead"
    assert dropped == [
        ("hidden text", "line 3", 3),
        ("hidden text", "line 5", 3),
        ("hidden text", "line 9", 5),
    ]


def test_other_formats_have_no_such_comments() -> None:
    assert parse_asciidoc("= T\n\nA %%b%% c.\n", "F").text == "T\n\nA %%b%% c."
    assert "%%b%%" in parse_markdown("A %%b%% c.", True, "F").text
