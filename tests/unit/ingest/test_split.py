"""Chunks: ranges of the text, in sections, of the size asked for, with nothing lost."""

import hashlib
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.profiles import Chunking, Strategy, load_profile
from libs.tokens import TokenCounter as TiktokenCounter
from services.ingest.embedding_text import dense_text, span_ranges, sparse_text
from services.ingest.model.book import Block, BlockKind, Chunk, Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.ports.reading import TokenCounter
from services.ingest.publish import POINT_SCHEMA, point_digest
from services.ingest.split import split_document
from services.ingest.splitters.captions import captions_of
from tests.support.ingest_fakes import LetterTokens, source

BOOKS = Path(__file__).parents[4] / "shared" / "books"
SIZES = Chunking("heading", min_tokens=10, max_tokens=40, overlap_tokens=0)


def split(
    text: str, chunking: Chunking = SIZES, path: str = "a.md"
) -> tuple[Document, list[Chunk]]:
    [placed] = plan_book(source({path: text})).documents
    document, _ = parse_document(placed)
    return document, split_document("book", "en", document, chunking, LetterTokens())


def check(
    document: Document, chunks: list[Chunk], chunking: Chunking, tokens: TokenCounter
) -> None:
    """Assert what holds for every document and every setting."""
    text = document.text
    covered = bytearray(len(text))
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.body
        assert chunk.body == chunk.body.strip() or chunk.spans[0].kind is BlockKind.CODE
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
        check_spans(chunk)
        assert chunk.token_count == tokens.count(chunk.body)
        assert chunk.token_count <= chunking.max_tokens or len(chunk.body) == 1
    assert all(covered[at] or text[at].isspace() for at in range(len(text)))
    for chunk, following in pairwise(chunks):
        assert chunk.gap == text[chunk.end : max(chunk.end, following.start)]
        assert not chunk.gap.strip()
    if not chunking.overlap_tokens:
        ends = [0, *(chunk.end for chunk in chunks)]
        assert all(end <= chunk.start for end, chunk in zip(ends, chunks, strict=False))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    assert [chunk.position for chunk in chunks] == sorted({chunk.position for chunk in chunks})
    blocks = document.blocks
    assert all(a.end <= b.start for a, b in pairwise(blocks))


def check_spans(chunk: Chunk) -> None:
    inside = bytearray(len(chunk.body))
    last = chunk.start
    for span in chunk.spans:
        assert last <= span.start < span.end <= chunk.end
        last = span.end
        inside[span.start - chunk.start : span.end - chunk.start] = b"\1" * (span.end - span.start)
    assert all(inside[at] or chunk.body[at].isspace() for at in range(len(chunk.body)))


WORDS = st.sampled_from(
    [
        *("robot", "Motors", "e.g.", "v1.2", "**bold**", "`code`", "Dr.", "torque.", "Why?", "“q”"),
        *(
            "$x$",
            "[link](u)",
            "naïve",
            "机器人。",
            "🤖",
            "a\u0301",
            "<b>x</b>",
            "{y}",
            "&amp;",
            "[^1]",
        ),
        *("supercalifragilisticexpialidocious" * 8, "\u00a0", "|", "-", "#", ">", "***", "\\"),
    ]
)
LINES = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)
BLOCKS = st.one_of(
    LINES,
    st.tuples(st.integers(1, 6), LINES).map(lambda pair: "#" * pair[0] + " " + pair[1]),
    st.lists(LINES, min_size=1, max_size=5).map(lambda items: "\n".join(f"- {i}" for i in items)),
    st.lists(LINES, min_size=1, max_size=4).map(lambda rows: "\n".join(f"> {r}" for r in rows)),
    st.lists(LINES, min_size=1, max_size=6).map(
        lambda rows: "| a | b |\n|---|---|\n" + "\n".join(f"| {r} | x |" for r in rows)
    ),
    st.lists(LINES, max_size=9).map(lambda lines: "```py\n" + "\n".join(lines) + "\n```"),
    LINES.map(lambda text: f":::note {text[:20]}\n{text}\n:::"),
    LINES.map(lambda text: f"[^1]: {text}"),
    LINES.map(lambda text: f"{text[:20]}\n: {text}\n\n    {text}"),
    LINES.map(lambda text: f"<Tabs>\n<TabItem label='L'>\n{text}\n</TabItem>\n</Tabs>"),
    st.text(max_size=80).filter(lambda text: "\0" not in text),
)
DOCUMENTS = st.lists(BLOCKS, max_size=14).map("\n\n".join)
CHUNKINGS = st.builds(
    Chunking,
    st.just("heading"),
    min_tokens=st.integers(0, 30),
    max_tokens=st.integers(5, 80),
    overlap_tokens=st.sampled_from([0, 0, 3, 10]),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(text=DOCUMENTS, chunking=CHUNKINGS, path=st.sampled_from(["a.md", "a.mdx"]))
def test_chunks_of_any_document_are_ranges_that_hold_everything(
    text: str, chunking: Chunking, path: str
) -> None:
    if text.encode(errors="ignore").decode() != text:
        return
    document, chunks = split(text, chunking, path)
    check(document, chunks, chunking, LetterTokens())
    again = split(text, chunking, path)[1]
    assert [chunk.chunk_id for chunk in again] == [chunk.chunk_id for chunk in chunks]


def bodies(text: str, chunking: Chunking = SIZES) -> list[str]:
    return [chunk.body for chunk in split(text, chunking)[1]]


def words(count: int, name: str = "word") -> str:
    return " ".join([name] * count) + "."


def test_a_chunk_lies_in_one_section_and_starts_with_its_heading() -> None:
    text = f"# T\n\n{words(15, 'one')}\n\n## A\n\n{words(15, 'two')}\n\n## B\n\n{words(15, 'six')}"
    _, chunks = split(text)
    assert [chunk.body.split("\n")[0] for chunk in chunks] == ["T", "A", "B"]
    assert [chunk.section_path for chunk in chunks] == [("T",), ("T", "A"), ("T", "B")]
    assert chunks[1].anchor == "a"
    assert chunks[1].section_keys == ("T", "T\u001fA")


def test_a_bare_heading_goes_with_the_text_below_it() -> None:
    [chunk] = split(f"# T\n\n## A\n\n### B\n\n{words(15)}")[1]
    assert chunk.section_path == ("T", "A", "B")
    assert chunk.body.startswith("T\n\nA\n\nB\n\nword")


def test_tiny_sections_join_those_after_them_under_the_same_parent() -> None:
    text = (
        "# T\n\n## A\n\n" + words(15) + "\n\n### x\n\nFew.\n\n### y\n\nTwo.\n\n## B\n\n" + words(15)
    )
    chunks = split(text)[1]
    assert [chunk.section_path[1:] for chunk in chunks] == [("A",), ("A", "x"), ("B",)]
    assert chunks[1].body == "x\n\nFew.\n\ny\n\nTwo."
    assert "T\u001fA\u001fy" in chunks[1].section_keys


def test_a_section_that_is_too_large_is_cut_between_blocks_then_sentences_then_words() -> None:
    assert bodies(f"{words(30)}\n\n{words(30)}") == [words(30), words(30)]
    assert bodies(f"{words(30)} {words(30)}") == [words(30), words(30)]
    assert [len(body.split()) for body in bodies(words(100))] == [40, 40, 20]
    assert [len(body) for body in bodies("x" * 400)] == [160, 160, 80]


def test_code_and_tables_stay_whole_while_they_fit() -> None:
    code = "\n".join(["line of code"] * 12)
    assert bodies(f"{words(20)}\n\n```\n{code}\n```")[1] == code
    table = "a | b\n" + "\n".join(["cell | cell"] * 12)
    source_table = "| a | b |\n|---|---|\n" + "\n".join(["| cell | cell |"] * 12)
    assert bodies(f"{words(20)}\n\n{source_table}")[1] == table


def test_the_rows_of_a_table_that_is_too_large_are_embedded_under_its_header() -> None:
    rows = [f"| row{number} | cell of it |" for number in range(30)]
    text = f"{words(20)}\n\n| Kind | Force |\n|---|---|\n" + "\n".join(rows)
    first, *rest = split(text)[1]
    assert first.header == ""
    assert "Kind | Force\nrow0" in first.body
    assert rest
    for chunk in rest:
        assert chunk.header == "Kind | Force"
        assert chunk.header not in chunk.body
        assert sparse_text(chunk) == f"A\nKind | Force\n{chunk.body}"
    whole = split("| Kind | Force |\n|---|---|\n" + "\n".join(rows[:3]))[1]
    assert [chunk.header for chunk in whole] == [""]


def test_rows_are_embedded_under_names_of_several_columns_and_of_each() -> None:
    rows = [f"| row{number} | {number} N | 2 mm | 3 N | 4 mm |" for number in range(30)]
    over = "|  | Motor |  | Piston |  |\n|---|---|---|---|---|\n"
    names = "|  | Force | Range | Force | Range |\n"
    first, *rest = split(f"{words(20)}\n\n{over}{names}" + "\n".join(rows))[1]
    assert first.header == ""
    assert rest
    for chunk in rest:
        assert chunk.header.endswith("Force | Range | Force | Range")
        assert "Motor" in chunk.caption
        assert "Piston" in chunk.caption


@pytest.mark.parametrize("is_over", [False, True])
def test_rows_are_embedded_under_the_name_of_their_own_group(*, is_over: bool) -> None:
    groups = [[f"| {n} | 0.{n} | {name[0]} |" for n in range(100, 130)] for name in ("A", "B")]
    names = "| n | Bias | Kind |\n|---|---|---|\n"
    labels = ["| Peng |  |  |", "| Portnoy |  |  |"]
    if is_over:
        names = f"{labels[0]}\n|---|---|---|\n| n | Bias | Kind |\n"
    rows = [*labels[: not is_over], *groups[0], labels[1], *groups[1]]
    chunks = split(f"{words(20)}\n\n{names}" + "\n".join(rows))[1][1:]
    for chunk in chunks:
        begins = chunk.body.split("\n")[0]
        over = f"{chunk.caption}\n{chunk.header}"
        assert ("Portnoy" in over) is begins.endswith("| B")
        assert "Peng" not in over or "Portnoy" not in over
    assert any("Peng" in f"{chunk.caption}{chunk.header}" for chunk in chunks)


def test_a_part_of_a_long_row_is_embedded_under_its_first_cell_and_its_own_columns() -> None:
    names = " | ".join(f"column{number}" for number in range(200))
    rows = [" | ".join(f"r{row}c{number}" for number in range(200)) for row in range(3)]
    source = f"| Row | {names} |\n|{'---|' * 201}\n"
    source += "\n".join(f"| Row{number} | {row} |" for number, row in enumerate(rows))
    chunks = [chunk for chunk in split(source)[1] if "r2c150" in chunk.body]
    (chunk,) = chunks
    first, *columns = chunk.header.split(" | ")
    cells = chunk.body.partition("\n")[0].split(" | ")
    assert first == "Row2"
    assert columns[0] == cells[0].replace("r2c", "column")
    assert len(chunk.header) <= 600
    assert sparse_text(chunk).startswith("A\nRow2 | column")


@pytest.mark.parametrize("below", [False, True], ids=["above", "below"])
def test_the_rows_of_a_table_that_is_too_large_are_embedded_under_its_caption(
    *, below: bool
) -> None:
    rows = "".join(f"<tr><td>Year {number}<td>{number} tons" for number in range(30))
    table = f"<table><tr><th>Year<th>Force{rows}</table>"
    caption = "<div class=caption>Table 3. Force in tons</div>"
    order = (table, caption) if below else (caption, table)
    chunks = split(f"<h1>A</h1><p>{words(20)}</p>{''.join(order)}", path="a.html")[1]
    with_rows = [chunk for chunk in chunks if "tons" in chunk.body.replace("Force in tons", "")]
    assert len(with_rows) > 3
    for chunk in with_rows:
        held = "Table 3. Force in tons" in chunk.body
        assert chunk.caption == ("" if held else "Table 3. Force in tons")
        if chunk.header and not held:
            assert sparse_text(chunk) == f"A\n{chunk.caption}\nYear | Force\n{chunk.body}"
            assert "Force in tons" in dense_text(chunk)
            start, end = span_ranges(chunk)[0]
            assert dense_text(chunk)[start:end] == chunk.body.split("\n")[0]
    assert sum("Table 3. Force in tons" in chunk.body for chunk in chunks) == 1


@pytest.mark.parametrize(
    ("kinds", "pairs"),
    [
        ("CT CT", {1: 0, 3: 2}),
        ("TC TC", {0: 1, 2: 3}),
        ("CT P T", {1: 0}),
        ("CTTCTC", {1: 0, 2: 3, 4: 5}),
        ("TCT P TC", {0: 1, 4: 5}),
        ("CTT P T", {1: 0, 2: 0}),
    ],
)
def test_a_caption_belongs_to_the_table_on_whose_side_most_stand(
    kinds: str, pairs: dict[int, int]
) -> None:
    named = {"C": BlockKind.CAPTION, "T": BlockKind.TABLE, "P": BlockKind.PARAGRAPH}
    blocks = [Block(named[kind], at, at + 1) for at, kind in enumerate(kinds.replace(" ", ""))]
    assert {at: block.start for at, block in captions_of(document_of(blocks)).items()} == pairs


def document_of(blocks: list[Block], text: str = "") -> Document:
    return replace(split("Text.")[0], blocks=blocks, text=text)


def test_a_caption_of_a_figure_that_ends_above_a_table_is_none_of_the_table_named_below() -> None:
    named = ["Figure 1. Pump", "text", "Figure 2. Valve", "a | b", "Table 1. Force"]
    kinds = [BlockKind.CAPTION, BlockKind.PARAGRAPH, BlockKind.CAPTION, BlockKind.TABLE]
    text, blocks = "", list[Block]()
    for kind, shown in zip([*kinds, BlockKind.CAPTION], named, strict=True):
        blocks.append(Block(kind, len(text), len(text) + len(shown)))
        text += f"{shown}\n"
    assert [*captions_of(document_of(blocks, text)).items()] == [(blocks[3].start, blocks[4])]


def test_without_caption_and_other_forms_the_digest_of_a_point_is_as_it_was() -> None:
    chunk = split("# A\n\nText.")[1][0]
    for further in (replace(chunk, caption="Table 3"), replace(chunk, other_forms=("pump",))):
        assert point_digest(chunk, "en") != point_digest(further, "en")
    fields = {**vars(chunk), "spans": [vars(span) for span in chunk.spans]}
    fields |= {"place": vars(chunk.place)}
    for name in ("caption", "other_forms", "neighbours", "lead_ins", "defined"):
        del fields[name]
    text = json.dumps([fields, "en", POINT_SCHEMA], sort_keys=True)
    assert point_digest(chunk, "en") == hashlib.sha256(text.encode()).hexdigest()


def test_code_that_is_too_large_is_cut_between_lines_and_each_part_is_one_span() -> None:
    code = "\n".join(f"line{number:02} of code" for number in range(30))
    chunks = split(f"```\n{code}\n```")[1]
    assert "\n".join(chunk.body for chunk in chunks) == code
    assert all(len(chunk.spans) == 1 for chunk in chunks)


def test_a_chunk_that_sections_share_says_where_each_begins() -> None:
    [chunk] = split("# Words\n\n## Brood\n\nYoung bees.\n\n## Nectar\n\nIt is sweet.")[1]
    paths = [("Words",), ("Words", "Brood"), ("Words", "Nectar")]
    assert [(path, anchor) for _, path, anchor in chunk.sections] == [
        (path, path[-1].lower()) for path in paths
    ]
    begun = [chunk.body[start - chunk.start :] for start, *_ in chunk.sections]
    assert all(text.startswith(path[-1]) for text, path in zip(begun, paths, strict=True))
    assert split("# Words\n\nOne text.")[1][0].sections == ()


def test_a_list_stays_with_the_line_that_leads_to_it() -> None:
    text = f"{words(25)}\n\nThree kinds:\n\n" + "\n".join(["- an item of it"] * 3)
    assert bodies(text)[1].startswith("Three kinds:\n\nan item")


@pytest.mark.parametrize(
    "block",
    [
        f"```\n{words(12)}\n```",
        f"| a | b |\n|---|---|\n| c | {words(10)} |",
        f"$$\n{words(12)}\n$$",
    ],
)
def test_a_block_stays_with_the_paragraph_that_leads_to_it(block: str) -> None:
    before, lead_in = words(22), f"{' '.join(['lead'] * 8)}:"
    of_two = bodies(f"# A\n\n{before}\n\n{lead_in}\n\n{block}")
    assert (len(of_two), of_two[1].startswith(lead_in)) == (2, True)
    apart = bodies(f"# A\n\n{before}\n\n{lead_in[:-1]}.\n\n{block}")
    assert lead_in[:-1] in apart[0]


def test_a_term_stays_with_what_is_said_of_it() -> None:
    before, said = words(26), words(12, "said")
    first, second = bodies(f"# A\n\n{before}\n\nSome term\n: {said}\n")
    assert first.endswith(before)
    assert second == f"Some term\n\n{said}"


STRATEGIES = ("heading", "paragraph", "sentence", "fixed", "window")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_footnote_goes_with_the_chunk_that_refers_to_it(strategy: Strategy) -> None:
    filler = "\n\n".join(words(9) for _ in range(6))
    note = words(6, "note")
    text = f"# A\n\n{filler}\n\n{words(8, 'claim')}[^n]\n\n{filler}\n\n[^n]: {note}"
    chunks = split(text, Chunking(strategy, 5, 40, 0, 40))[1]
    [claim] = [chunk for chunk in chunks if "claim." in chunk.body]
    assert claim.footnotes == (note,)
    assert sparse_text(claim) == f"A\n{claim.body}\n{note}"
    [holder] = [chunk for chunk in chunks if "note." in chunk.body]
    assert holder.footnotes == ()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_footnote_that_the_chunk_holds_is_not_said_twice(strategy: Strategy) -> None:
    [chunk] = split("A claim.[^n]\n\n[^n]: The note.", Chunking(strategy, 5, 40, 0, 40))[1]
    assert (chunk.footnotes, chunk.body) == ((), "A claim.[1]\n\nThe note.")


def test_long_footnotes_of_a_chunk_are_cut() -> None:
    filler = "\n\n".join(words(9) for _ in range(6))
    notes = "\n\n".join(f"[^{n}]: {words(250, f'note {n}')}" for n in "ab")
    chunks = split(f"Claim[^a] and claim[^b].\n\n{filler}\n\n{notes}")[1]
    [cut] = chunks[0].footnotes
    assert (len(cut), cut[-1]) == (600, "…")


@pytest.mark.parametrize("strategy", ["heading", "paragraph", "window"])
def test_a_quotation_is_complete_and_has_its_attribution(strategy: Strategy) -> None:
    filler = "\n\n".join(words(9) for _ in range(3))
    text = f"{filler}\n\n> {words(16, 'said')}\n>\n> — Somebody of note\n\n{filler}"
    chunks = split(text, Chunking(strategy, 5, 40, 0, 40))[1]
    [quoted] = [chunk for chunk in chunks if "said." in chunk.body]
    assert f"{words(16, 'said')}\n\n— Somebody of note" in quoted.body


def test_the_last_chunk_is_filled_from_the_one_before() -> None:
    chunks = split(f"{words(17)}\n\n{words(17)}\n\n{words(6)}")[1]
    assert [chunk.token_count for chunk in chunks] == [18, 25]


def test_chunks_overlap_by_whole_sentences_when_asked_to() -> None:
    sentences = " ".join(f"Sentence number {number} is here." for number in range(20))
    chunks = split(sentences, Chunking("heading", 10, 40, 10))[1]
    for before, after in pairwise(chunks):
        shared = before.spans[-1]
        assert after.start <= shared.start
        assert after.spans[0] in before.spans
        assert after.token_count <= 40


def test_a_section_that_fits_is_one_chunk_whatever_the_overlap() -> None:
    assert len(bodies(words(39), Chunking("heading", 10, 40, 20))) == 1


def test_equal_texts_get_keys_of_their_own_that_do_not_depend_on_their_place() -> None:
    text = f"# T\n\n## A\n\n{words(20)}\n\n## A\n\n{words(20)}"
    first = [chunk.chunk_id for chunk in split(text)[1]]
    assert len(set(first)) == 2
    moved = [chunk.chunk_id for chunk in split(text.replace("# T\n", f"# T\n\n{words(20)}\n"))[1]]
    assert set(first) & set(moved)


def test_urls_lead_to_the_anchor() -> None:
    files = {
        "quoth.toml": 'base_url = "https://b.example"',
        "a.md": f"# T\n\n## A b\n\n{words(20)}",
    }
    [placed] = plan_book(source(files)).documents
    document, _ = parse_document(placed)
    [chunk] = split_document("book", "en", document, SIZES, LetterTokens())
    assert chunk.url == "https://b.example/a#a-b"


@pytest.mark.skipif(not BOOKS.is_dir(), reason="the books to try the product on are not here")
@pytest.mark.parametrize(("book", "documents"), [("physical_ai", 44), ("rust_book", 120)])
def test_a_real_book_loses_no_document_and_no_text(
    book: str, documents: int, tmp_path: Path
) -> None:
    tokens = TiktokenCounter(tmp_path)
    chunking = load_profile("").chunking
    folder = BOOKS / book
    files = [
        SourceFile(path.relative_to(folder).as_posix(), path.read_bytes())
        for path in sorted(folder.rglob("*.md"))
    ]
    plan = plan_book(Source(files))
    assert len(plan.documents) == documents
    for placed in plan.documents:
        document, _ = parse_document(placed)
        chunks = split_document(book, "en", document, chunking, tokens)
        assert chunks, placed.file.path
        check(document, chunks, chunking, tokens)
