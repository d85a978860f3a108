"""What is embedded is the same whatever format a book comes in, and its spans stand in it."""

from dataclasses import replace
from pathlib import Path

import pytest

from libs.defined_terms import name_key
from libs.profiles import Chunking
from libs.text import content_terms
from libs.tokens import TokenCounter
from libs.vectors.sparse import sparse_encoder
from services.ingest.embedding_text import (
    dense_text,
    known_terms,
    span_ranges,
    sparse_text,
    texts_alone,
)
from services.ingest.model.book import BlockKind, Chunk, Span
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from services.ingest.splitters.shared_text import shared_text, without_number
from tests.support.ingest_fakes import LetterTokens, source

FORMS = {
    "book.md": (
        "# Servos\n\n## Arms\n\n### Torque\n\n"
        "The so-called “stall torque” isn’t *rated* – see below.\n"
    ),
    "book.html": (
        "<title>Servos</title><h1>Servos</h1><h2>3. Arms</h2><h3>3.1. Torque</h3>"
        "<p>The so-called “stall torque” isn’t <em>rated</em> – see below.</p>"
    ),
    "book.rst": (
        "Servos\n======\n\nArms\n----\n\nTorque\n~~~~~~\n\n"
        'The so-called "stall torque" isn\'t *rated* -- see below.\n'
    ),
    "book.txt": (
        "Servos\n******\n\n\nChapter 3. Arms\n===============\n\n\n3.1. Torque\n-----------\n\n"
        'The so-called "stall torque" isn\'t *rated* -- see below\n(https://arms.example/torque).\n'
    ),
}


def chunk_of(path: str, text: str, size: int = 400) -> Chunk:
    [placed] = plan_book(source({path: text})).documents
    document, _ = parse_document(placed)
    [chunk] = split_document(
        "b", "en", document, Chunking("heading", 5, size, 0, size), LetterTokens()
    )
    return chunk


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("CHAPTER TWO THE ARCHIVE", "THE ARCHIVE"),
        ("Part One: Arms", "Arms"),
        ("Chapter 12 Arms", "Arms"),
        ("Two arms", "Two arms"),
        ("Chapter two", "Chapter two"),
    ],
)
def test_numbers_of_titles_are_left_out_in_words_as_in_digits(title: str, bare: str) -> None:
    assert without_number(title) == bare


@pytest.mark.parametrize("path", FORMS)
def test_every_format_of_a_book_gives_the_same_text_to_embed(path: str) -> None:
    words = dense_text(chunk_of(path, FORMS[path])).split()
    shown = " ".join(words).replace(" .", ".")
    assert shown.endswith("Torque The so-called stall torque isn't rated - see below.")
    assert not any(letter.isdigit() for letter in shown)


@pytest.mark.parametrize(
    "text",
    ["It is *never* so", "It is **never** so", '*"never so"* it is', "so: *never*, or **so.**"],
)
def test_stars_of_stress_are_left_out_and_all_letters_stay_in_their_places(text: str) -> None:
    shared = shared_text(text)
    assert "*" not in shared
    assert len(shared) == len(text)
    assert shared.index("never") == text.index("never")


def test_stars_that_stress_nothing_stay() -> None:
    for text in ("all of a*b and perlapi-* and 2 * 3", "the bug is in * here"):
        assert shared_text(text) == text
    assert "*" in shared_text('versions "*" and "*-dev" of it')


def test_a_word_goes_on_behind_a_quotation_mark_in_it_and_options_have_one_dash() -> None:
    assert shared_text('any "conffile"s here') == " ".join(("any", " conffile\u00ads", "here"))
    assert shared_text('with "--install" or --purge') == "with  - install  or - purge"


@pytest.mark.parametrize("path", FORMS)
def test_spans_are_where_they_stand_in_what_is_embedded(path: str) -> None:
    chunk = chunk_of(path, FORMS[path])
    text = dense_text(chunk)
    parts = [text[start:end].split()[:2] for start, end in span_ranges(chunk)]
    assert parts[-2:] == [["Torque"], ["The", "so-called"]]


@pytest.mark.parametrize("path", FORMS)
def test_spans_alone_stand_under_their_title_in_every_format(path: str) -> None:
    *headings, sentence = texts_alone(chunk_of(path, FORMS[path]))
    assert set(headings) <= {""}
    words = " ".join(sentence.split()).replace(" .", ".")
    assert words == "Torque. The so-called stall torque isn't rated - see below."


MANUAL = """# Pump

Before the start

Open the valve. Then wait:

- one minute in summer
- two minutes in winter

| Size | Flow |
| --- | --- |
| small | 3 l |
| large | 9 l |
"""


def test_spans_alone_come_with_what_introduces_them() -> None:
    assert texts_alone(chunk_of("pump.md", MANUAL, 4000)) == (
        "",
        "Pump. Before the start",
        "Pump. Before the start Open the valve.",
        "Pump. Then wait:",
        "Pump. Then wait: one minute in summer",
        "Pump. Then wait: two minutes in winter",
        "Pump. Size | Flow",
        "Pump. Size | Flow small | 3 l",
        "Pump. Size | Flow large | 9 l",
    )


def test_a_row_alone_has_the_header_of_the_table_that_its_chunk_begins_inside_of() -> None:
    start = MANUAL.index("| small")
    row = Span(start, start + 10, BlockKind.TABLE)
    chunk = replace(
        chunk_of("pump.md", MANUAL, 4000),
        start=start,
        body="small | 3l",
        header="Size | Flow",
        spans=[row],
    )
    assert texts_alone(chunk) == ("Pump. Size | Flow small | 3l",)


def test_words_over_a_span_never_take_its_own_place() -> None:
    chunk = chunk_of("a.md", f"# Pump\n\n{'so ' * 500}then:\n\n- open the valve\n", 4000)
    assert texts_alone(chunk)[-1].endswith(" open the valve")


def test_a_book_that_is_one_document_is_found_by_other_words_than_its_title() -> None:
    chunk = chunk_of("book.html", FORMS["book.html"])
    assert chunk.section_path == ("Servos", "3. Arms", "3.1. Torque")
    assert dense_text(chunk).startswith("Arms > Torque\n")
    assert sparse_text(chunk).startswith("3. Arms > 3.1. Torque\n")


LONG = {
    "book.html": "<p>The <code>arm</code> holds <a href='https://arms.example/torque'>still</a>.</p>"
    * 40,
    "book.txt": '\nThe "arm" holds still (https://arms.example/torque).\n' * 40,
}


def test_chunks_end_at_the_same_sentence_in_every_format(tmp_path: Path) -> None:
    tokens = TokenCounter(tmp_path)
    sizes = Chunking("heading", 5, 600, 0, 100)
    ends = []
    for path, text in LONG.items():
        [placed] = plan_book(source({path: text})).documents
        document, _ = parse_document(placed)
        chunks = split_document("b", "en", document, sizes, tokens)
        ends.append([chunk.body.count("holds") for chunk in chunks])
        assert all(chunk.token_count <= sizes.max_tokens for chunk in chunks)
    assert ends[0] == ends[1]
    assert len(ends[0]) > 1


def test_terms_weigh_the_same_in_every_format_and_those_of_an_address_are_found() -> None:
    encoder = sparse_encoder("en")
    vectors = {}
    for path, text in FORMS.items():
        chunk = chunk_of(path, text)
        vector = encoder.encode_document(dense_text(chunk), sparse_text(chunk))
        vectors[path] = dict(zip(vector.indices, vector.values, strict=True))
    for term in encoder.encode_question("stall torque rated below").indices:
        assert len({round(vector[term], 6) for vector in vectors.values()}) == 1
    [address] = encoder.encode_question("example").indices
    assert [path for path, vector in vectors.items() if address in vector] == ["book.txt"]


@pytest.mark.parametrize(
    ("title", "embedded"),
    [
        ("1.2 Arms", "Arms"),
        ("B.1. Arms", "Arms"),
        ("Chapter 4: Arms", "Arms"),
        ("Kapitel 4. Arme", "Arme"),
        ("Chapter 4 Arms", "Arms"),
        ("Chapter I am in", "Chapter I am in"),
        ("3D printing", "3D printing"),
        ("2018 in figures", "2018 in figures"),
        ("Release 12 is out", "Release 12 is out"),
        ("A robot", "A robot"),
        ("10.19", "10.19"),
    ],
)
def test_only_the_number_of_a_title_is_left_out(title: str, embedded: str) -> None:
    chunk = chunk_of("a.md", f"# Book\n\n## {title}\n\nThe arm stands still.\n")
    assert dense_text(chunk).split("\n", 1)[0] == embedded


@pytest.mark.parametrize(
    ("told", "is_key"),
    [
        ("A stall torque is the torque of a motor that stands.", True),
        ("In our words, stall torque means what a motor holds.", True),
        ("ST (stall torque) is one of three limits.", True),
        ("Stall torque (the most) occurs when a motor stands.", True),
        ("Stall torques are limits that a motor has.", True),
        ("The stall torque is measured with a lever.", False),
        ("Stall torque occurs in each motor.", False),
        ("A lever that has stall torque is an arm.", False),
        ("A lever is an arm, and stall torque is the limit of it.", False),
    ],
)
def test_a_chunk_knows_by_a_key_what_a_sentence_of_it_says_is(told: str, is_key: bool) -> None:
    key = name_key(content_terms("stall torque"))
    terms = known_terms(chunk_of("book.md", f"# Servos\n\nRead on.\n\n{told}\n"))
    assert (key in terms) is is_key
    assert set(content_terms("stall torque")) <= terms
    listed = known_terms(chunk_of("book.md", f"# Servos\n\n- {told}\n"))
    assert key not in listed


def test_a_name_that_is_explained_is_found_by_its_initials_and_by_its_last_word() -> None:
    told = "# The KEEP pumps\n\n## Use\n\nKEEP pumps are a kind. Kiln Oil Pump is a small one.\n"
    chunk = chunk_of("book.md", told)
    assert {name_key(["kop"]), name_key(["pump"])} <= known_terms(chunk)
    assert sparse_text(chunk).endswith("\nKOP")
    assert "KOP" not in sparse_text(chunk_of("book.md", told.replace("Pump is", "Pump has")))


OPTIONS = {
    "a.rst": ".. option:: --drain\n\n   Empties it.\n\n.. option:: -s <n>, --speed <n>\n\n   Sets it.",
    "list.rst": "--drain      Empties it.\n--speed=<n>  Sets it.",
    "a.md": "`--drain`\n: Empties it.\n\n**-s**, **--speed** *n*\n: Sets it.",
    "list.md": "- `--drain`: Empties it.\n- `-s n`, `--speed=n`: Sets it.",
    "table.md": "| Option | Effect |\n|---|---|\n| `--drain` | Empties it. |\n| `--speed` | Sets it. |",
    "myst.md": "```{option} --drain\nEmpties it.\n```\n:::{option} -s <n>, --speed <n>\nSets it.\n:::",
    "a.html": (
        "<h1>A</h1><dl><dt><code>--drain</code></dt><dd>Empties it.</dd>"
        "<dt><code>-s</code>, <code>--speed</code> <em>n</em></dt><dd>Sets it.</dd></dl>"
    ),
    "a.adoc": "--drain::\n  Empties it.\n`--speed`=_n_:: Sets it.",
}


@pytest.mark.parametrize("path", OPTIONS)
def test_a_passage_defines_the_options_that_its_form_has_entries_for(path: str) -> None:
    terms = known_terms(chunk_of(path, OPTIONS[path]))
    assert {name_key(["drain"]), name_key(["speed"])} <= terms


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.adoc", "keep warm:: Holds it.\nfast:: Does it at once."),
        ("a.rst", ":keep warm: Holds it.\n:fast: Does it at once."),
    ],
)
def test_a_term_in_one_line_with_what_defines_it_is_defined_alone(path: str, text: str) -> None:
    keys = {key for key in known_terms(chunk_of(path, text)) if key.endswith(":")}
    assert {name_key(content_terms("keep warm")), name_key(["fast"])} <= keys


@pytest.mark.parametrize("text", ["--drain", "--drain --speed", "Use --drain to empty it."])
def test_options_that_nothing_is_said_of_are_not_defined(text: str) -> None:
    assert name_key(["drain"]) not in known_terms(chunk_of("a.md", text))
