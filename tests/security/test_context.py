"""Lies that are made of the book's own whole sentences, shown without what the book says with them.

`tests/quality/lies/dairy.md` is a book of ours that denies, doubts or limits much of what it says, in a
neighbouring sentence, a lead-in, a quotation, a footnote or a title. `dairy.jsonl` has 100 lies about
it, 40 true sentences, and of each sentence that says something else alone what must stand beside it.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from services.generation.model import Passage
from tests.support.displays import passages_of, show_verbatim

LIES = Path(__file__).parents[1] / "quality/lies"

SHOWN = {"neighbour after": 1, "neighbour before": 4}
"""The lies of a category that are shown: "People know better now" stands three sentences on, nothing
joins "If the inspector finds listeria, the following happens" with what follows."""

Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(map(json.loads, (LIES / "dairy.jsonl").read_text("utf-8").splitlines()))


@pytest.fixture(scope="module")
def passages() -> tuple[Passage, ...]:
    return passages_of("dairy.md", (LIES / "dairy.md").read_bytes())


async def show(passages: tuple[Passage, ...], row: Row) -> str:
    """What a reader sees of the draft at `verbatim`, in one line."""
    return await show_verbatim(passages, [(it["text"], it["quote"]) for it in row["sentences"]])


def leaves_out(shown: str, rows: list[Row], passages: tuple[Passage, ...]) -> bool:
    """Whether something is shown without what must stand beside it, or that is no whole span."""
    if any(
        row["text"] in shown and row["needs"] not in shown
        for row in rows
        if row["kind"] == "context"
    ):
        return True
    spans = [one.text_of(span).replace("\n", " ") for one in passages for span in one.spans]
    for span in sorted(spans, key=len, reverse=True):
        shown = shown.replace(span, "")
    return re.search(r"[^\s;]", shown) is not None


async def test_no_more_whole_sentences_are_shown_without_their_context_than_were_measured(
    passages: tuple[Passage, ...], rows: list[Row]
) -> None:
    lies = [row for row in rows if row["kind"] == "lie"]
    assert len(lies) == 100
    shown: Counter[str] = Counter()
    for row in lies:
        shown[row["category"]] += leaves_out(await show(passages, row), rows, passages)
    assert dict(+shown) == SHOWN


async def test_true_sentences_of_the_same_book_are_shown(
    passages: tuple[Passage, ...], rows: list[Row]
) -> None:
    truths = [row for row in rows if row["kind"] == "true"]
    texts = {row["sentences"][0]["text"]: await show(passages, row) for row in truths}
    assert [text for text, shown in texts.items() if text not in shown] == []
    assert sum(text == shown for text, shown in texts.items()) >= 28


GLOSSARY = {
    "pump.html": """<h1>Pumps</h1><p>The faults that are ruled out are:</p><dl>
        <dt>dry run</dt><dd><p>The pump turns without any water.</p></dd>
        <dt>-k</dt><dt>--keep</dt><dd><p>Keep the valve open all night.</p>
        <p>By default the big valve closes again.</p></dd>
        <dt>--no-keep</dt><dd><p>The valve is closed at once by it.</p></dd></dl>
        <p>All pumps are painted green.</p>""",
    "pump.rst": """Pumps
=====

The faults that are ruled out are:

dry run
    The pump turns without any water.

-k, --keep
    Keep the valve open all night.

    By default the big valve closes again.

--no-keep
    The valve is closed at once by it.

All pumps are painted green.
""",
    "pump.md": """# Pumps

The faults that are ruled out are:

dry run
: The pump turns without any water.

-k, --keep
: Keep the valve open all night.

    By default the big valve closes again.

--no-keep
: The valve is closed at once by it.

All pumps are painted green.
""",
    "pump.adoc": """= Pumps

The faults that are ruled out are:

dry run:: The pump turns without any water.
-k::
--keep::

Keep the valve open all night.
+
By default the big valve closes again.
--no-keep::
    The valve is closed at once by it.

All pumps are painted green.
""",
    "pump.txt": """Pumps

The faults that are ruled out are:

dry run
    The pump turns without any water.
-k
--keep
    Keep the valve open all night.

    By default the big valve closes again.

--no-keep
    The valve is closed at once by it.

All pumps are painted green.
""",
}


async def shown_of(name: str, source: str, sentence: str) -> str:
    row = {"sentences": [{"text": sentence, "quote": sentence}]}
    return await show(passages_of(name, source.encode()), row)


@pytest.mark.parametrize("name", GLOSSARY)
async def test_a_sentence_of_a_definition_is_shown_with_its_term_and_what_leads_the_list(
    name: str,
) -> None:
    async def shown(sentence: str) -> str:
        return await shown_of(name, GLOSSARY[name], sentence)

    lead_in = "The faults that are ruled out are:"
    told = "The pump turns without any water."
    assert re.fullmatch(f"{lead_in} dry run:? {told}", await shown(told))
    for told in ("Keep the valve open all night.", "By default the big valve closes again."):
        of_keep = await shown(told)
        assert of_keep.startswith(f"{lead_in} -k")
        assert re.search("--keep:? ", of_keep)
        assert "dry run" not in of_keep
        assert of_keep.endswith(told)
    closed = "The valve is closed at once by it."
    assert re.fullmatch(f"{lead_in} --no-keep:? {closed}", await shown(closed))
    assert await shown("All pumps are painted green.") == "All pumps are painted green."


async def test_later_sentences_of_an_option_are_shown_with_it() -> None:
    options = "-k, --keep  Keep the valve open. Big valves stay open longer.\n-x  Other.\n"
    source = f"Pumps\n=====\n\n{options}"
    shown = await shown_of("a.rst", source, "Big valves stay open longer.")
    assert shown == "-k, --keep Keep the valve open. Big valves stay open longer."


POINTING = {
    "- The damper is made of iron.\n- It is closed at night.": (
        "It is closed at night.",
        "The damper is made of iron. It is closed at night.",
    ),
    "- The flue is swept.\n- This is hard work.\n- It takes an hour.": (
        "It takes an hour.",
        "The flue is swept. This is hard work. It takes an hour.",
    ),
    "1. The ferry costs two coins.\n\n   It stops at night.\n2. The bridge is free.": (
        "It stops at night.",
        "The ferry costs two coins. It stops at night.",
    ),
    "The damper has two rules:\n\n- It is closed at night.\n- Only the guard may turn it.": (
        "Only the guard may turn it.",
        "The damper has two rules: Only the guard may turn it.",
    ),
    "The damper has three rules:\n\n- It is closed at night.\n- It is oiled.": (
        "It is oiled.",
        "The damper has three rules: It is oiled.",
    ),
    "The guard opens the door. Nobody else may do so. He carries the key of the door.": (
        "He carries the key of the door.",
        "The guard opens the door. Nobody else may do so. He carries the key of the door.",
    ),
}


@pytest.mark.parametrize("source", POINTING)
async def test_a_pronoun_is_shown_with_what_it_points_to(source: str) -> None:
    sentence, expected = POINTING[source]
    assert await shown_of("a.md", f"# Kilns\n\n{source}\n", sentence) == expected


async def test_a_list_in_a_definition_of_asciidoc_has_its_own_terms_alone() -> None:
    source = """= Pumps

big:: Turns.
inner::: Stands. Big valves stay open longer.
* One of two.
last::

* Another valve.
"""
    shown = await shown_of("a.adoc", source, "Big valves stay open longer.")
    assert shown == "big: Turns. inner: Stands. Big valves stay open longer."
    assert await shown_of("a.adoc", source, "Another valve.") == "last: Another valve."


async def test_options_of_a_printed_manual_are_shown_with_their_later_sentences() -> None:
    source = """Valves of the hall

They are closed in winter, when nobody is there.

OPTIONS

       -k     Keep the valve open for as long as the pump of the big hall that
              is turned on runs. Big valves stay open longer.
       -x     Close it. The hall stays dry.

              Then open it again.
"""
    shown = await shown_of("a.txt", source, "Big valves stay open longer.")
    assert shown.endswith("that is turned on runs. Big valves stay open longer.")
    assert shown.startswith("-k Keep the valve")
    again = await shown_of("a.txt", source, "Then open it again.")
    assert again == "-x Close it. The hall stays dry. Then open it again."


async def test_verse_and_letters_in_plain_text_define_nothing() -> None:
    source = """There was an Old Man with a beard
    Who said, "It is just as I feared!
Two owls and a hen
    Four larks and a wren."

He wrote:
        12 High Street.
"""
    assert [one.lead_ins for one in passages_of("a.txt", source.encode())] == [()]


async def test_words_before_code_are_shown_with_it_as_far_as_it_is_short() -> None:
    told = "This query cannot use the index of the pumps:"
    source = f"# A\n\n{told}\n\n```\nSELECT all_pumps\n" + "FROM the_big_hall\n" * 60 + "```\n"
    shown = await shown_of("a.md", source, told)
    assert shown.startswith(f"{told} SELECT all_pumps FROM the_big_hall")
    assert len(shown) < 700
