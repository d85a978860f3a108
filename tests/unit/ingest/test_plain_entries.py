"""Keys of plain text with what they mean beside them are entries, each with all of its meaning."""

import pytest

from services.ingest.parsers.plain import parse_plain, read_layout

KEYS = """\
ALT-ENTER     Fire the kiln at once.
CTRL-F4       Change between ash and lead. Also the
              salt is changed.
CTRL-ALT-F5   Start recording the heat.
F5, ALT-F11   Stop the fire (in haste).
"""
SHOWN = [
    "ALT-ENTER Fire the kiln at once.",
    "CTRL-F4 Change between ash and lead. Also the salt is changed.",
    "CTRL-ALT-F5 Start recording the heat.",
    "F5, ALT-F11 Stop the fire (in haste).",
]


def blocks(text: str) -> list[str]:
    parsed = parse_plain(f"Glazes are glass that melts.\n\n{text}\nThey are thin.\n", "Fallback")
    return [parsed.text[one.start : one.end] for one in parsed.blocks][1:-1]


def test_a_key_is_an_entry_with_all_lines_of_its_meaning() -> None:
    assert blocks(KEYS) == SHOWN
    terms = [item for item in read_layout(KEYS).items if item.is_term and item.is_defined]
    assert [item.text for item in terms] == SHOWN


def test_a_line_that_introduces_keys_and_one_below_them_stay_apart() -> None:
    deeper = "".join(f"   {line}\n" for line in KEYS.splitlines())
    assert blocks(f"These keys are there:\n{deeper}This can be changed.\n") == [
        "These keys are there:",
        *SHOWN,
        "This can be changed.",
    ]
    assert blocks(f"These keys are there:\n\n{deeper}") == ["These keys are there:", *SHOWN]


def test_the_longest_key_may_have_one_space_behind_it() -> None:
    text = "COPYING      - how to copy it\nDEPENDENCIES - what is needed first\n"
    more = "NEWS         - all major changes\nTHANKS       - a list of helpers\n"
    assert blocks(f"{text}{more}") == [
        " ".join(line.split()) for line in (text + more).splitlines()
    ]


def test_an_item_goes_on_below_what_stands_behind_a_gap_in_it() -> None:
    assert blocks(
        "- f:    where the kiln stands. In most\n        cases it is f:\n- g:    a salt\n"
    ) == [
        "f: where the kiln stands. In most cases it is f:",
        "g: a salt",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Kilns burn.  They are hot.\nGlaze runs.  It is too thin.\nAshes fly.  They are light.\n",
        "int      kiln;\nchar     ash;\nlong     salt;\n",
        "A    1 /* as the standard says */\nB    2 /* as others do */\nC    3 /* so too */\n",
        "ash      green kiln\nlead     yellow kiln\n",  # only two
        "|    first of them all\n|    second of them\n|    third of them\n",
    ],
)
def test_gaps_that_part_no_keys_make_no_entries(text: str) -> None:
    assert not any(item.is_term for item in read_layout(text).items)
