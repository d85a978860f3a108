"""Each strategy keeps its sizes, its overlap and its sentences, on any document."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.profiles import SHIPPED, Chunking, Strategy, load_profile
from libs.settings import SettingsError
from libs.tokens import TokenCounter as TiktokenCounter
from services.ingest.model.book import Chunk, Document
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.ports.reading import TokenCounter
from services.ingest.split import split_document
from tests.support.ingest_fakes import LetterTokens, source

STRATEGIES = ["heading", "paragraph", "sentence", "fixed", "window"]
PARAGRAPH = Chunking("paragraph", 512, 1024, 128, 800, ())
SENTENCE = Chunking("sentence", 256, 512, 102, 512, ())
FIXED = Chunking("fixed", 0, 512, 128, 512, ())
HEADING = Chunking("heading", 500, 1500, 200, 1500, (2, 3))


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> TokenCounter:
    return TiktokenCounter(tmp_path_factory.mktemp("vocabulary"))


def split(
    text: str, chunking: Chunking, tokens: TokenCounter, path: str = "a.md"
) -> tuple[Document, list[Chunk]]:
    [placed] = plan_book(source({path: text})).documents
    document, _ = parse_document(placed)
    return document, split_document("book", "en", document, chunking, tokens)


def sentence(number: int) -> str:
    return f"The servo number {number} turns the arm by {number % 90} degrees towards the wall."


def prose(paragraphs: int, sentences: int = 12) -> str:
    numbers = iter(range(paragraphs * sentences))
    return "\n\n".join(
        " ".join(sentence(next(numbers)) for _ in range(sentences)) for _ in range(paragraphs)
    )


def overlaps(chunks: list[Chunk], text: str, tokens: TokenCounter) -> list[int]:
    """Return the tokens that each chunk but the first repeats."""
    return [tokens.count(text[after.start : before.end]) for before, after in pairwise(chunks)]


def check(
    document: Document, chunks: list[Chunk], chunking: Chunking, tokens: TokenCounter
) -> None:
    text = document.text
    covered = bytearray(len(text))
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.body
        assert chunk.token_count == tokens.count(chunk.body)
        assert chunk.token_count <= chunking.max_tokens or len(chunk.body) == 1
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
        last = chunk.start
        quotable = bytearray(len(chunk.body))
        for span in chunk.spans:
            assert last <= span.start < span.end <= chunk.end
            quotable[span.start - chunk.start : span.end - chunk.start] = b"\1" * (
                span.end - span.start
            )
            last = span.end
        assert all(quotable[at] or chunk.body[at].isspace() for at in range(len(chunk.body)))
    assert all(covered[at] or text[at].isspace() for at in range(len(text)))
    ends = [chunk.end for chunk in chunks]
    assert ends == sorted(set(ends))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


WORDS = st.sampled_from(
    ["robot", "e.g.", "v1.2", "Motors.", "Why?", "机器人。", "🤖", "x" * 70, "naïve", "`code`"]
)
LINES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
BLOCKS = st.one_of(
    LINES,
    st.tuples(st.integers(1, 6), LINES).map(lambda pair: "#" * pair[0] + " " + pair[1]),
    st.lists(LINES, min_size=1, max_size=5).map(lambda items: "\n".join(f"- {i}" for i in items)),
    st.lists(LINES, max_size=9).map(lambda lines: "```py\n" + "\n".join(lines) + "\n```"),
    st.lists(LINES, min_size=1, max_size=4).map(
        lambda rows: "| a | b |\n|---|---|\n" + "\n".join(f"| {r} | x |" for r in rows)
    ),
    st.text(max_size=60).filter(lambda text: "\0" not in text),
)
LEVELS = st.sampled_from([(), (1,), (2, 3), (1, 2, 3, 4, 5, 6)])


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=st.lists(BLOCKS, max_size=12).map("\n\n".join),
    sizes=st.tuples(st.integers(2, 80), st.integers(2, 80)).map(sorted),
    least=st.integers(0, 40),
    overlap=st.integers(0, 30),
    levels=LEVELS,
)
def test_any_document_is_held_whole_by_chunks_of_the_right_size(
    strategy: Strategy,
    text: str,
    sizes: list[int],
    least: int,
    overlap: int,
    levels: tuple[int, ...],
) -> None:
    if text.encode(errors="ignore").decode() != text:
        return
    target, most = sizes
    chunking = Chunking(
        strategy, min(least, target), most, min(overlap, target - 1), target, levels
    )
    document, chunks = split(text, chunking, LetterTokens())
    check(document, chunks, chunking, LetterTokens())
    again = split(text, chunking, LetterTokens())[1]
    assert [chunk.chunk_id for chunk in again] == [chunk.chunk_id for chunk in chunks]


def test_paragraphs_fill_chunks_of_512_to_1024_tokens_around_800(
    tokens: TokenCounter,
) -> None:
    document, chunks = split(prose(40), PARAGRAPH, tokens)
    check(document, chunks, PARAGRAPH, tokens)
    assert all(512 <= chunk.token_count <= 1024 for chunk in chunks)
    average = sum(chunk.token_count for chunk in chunks) / len(chunks)
    assert 600 <= average <= 800
    ends = {block.end for block in document.blocks}
    assert all(chunk.end in ends for chunk in chunks)
    repeated = overlaps(chunks, document.text, tokens)
    assert all(100 <= size <= 128 for size in repeated)


def test_a_paragraph_over_the_maximum_is_cut_between_sentences(
    tokens: TokenCounter,
) -> None:
    document, chunks = split(prose(1, 200), PARAGRAPH, tokens)
    check(document, chunks, PARAGRAPH, tokens)
    assert len(chunks) > 3
    assert all(chunk.body.startswith("The servo") for chunk in chunks)
    assert all(chunk.body.endswith("wall.") for chunk in chunks)


def test_sentence_chunks_never_end_inside_a_sentence_and_repeat_a_fifth(
    tokens: TokenCounter,
) -> None:
    document, chunks = split(prose(40), SENTENCE, tokens)
    check(document, chunks, SENTENCE, tokens)
    assert all(256 <= chunk.token_count <= 512 for chunk in chunks)
    assert all(chunk.body.startswith("The servo") for chunk in chunks)
    assert all(chunk.body.endswith("wall.") for chunk in chunks)
    repeated = overlaps(chunks[:-1], document.text, tokens)
    assert all(80 <= size <= 102 for size in repeated)


def test_fixed_chunks_have_one_size_and_repeat_a_quarter(
    tokens: TokenCounter,
) -> None:
    document, chunks = split(prose(40), FIXED, tokens)
    check(document, chunks, FIXED, tokens)
    assert all(505 <= chunk.token_count <= 512 for chunk in chunks[:-1])
    assert all(120 <= size <= 128 for size in overlaps(chunks, document.text, tokens))


def test_fixed_chunks_end_wherever_in_a_sentence_their_size_is_reached(
    tokens: TokenCounter,
) -> None:
    document, chunks = split(prose(10), replace(FIXED, target_tokens=500), tokens)
    check(document, chunks, FIXED, tokens)
    assert not any(chunk.body.endswith("wall.") for chunk in chunks[:-1])


def test_fixed_chunks_of_a_text_without_spaces_have_their_size_too(
    tokens: TokenCounter,
) -> None:
    document, chunks = split("机器人在工厂里工作。" * 400, FIXED, tokens)
    check(document, chunks, FIXED, tokens)
    assert all(470 <= chunk.token_count <= 512 for chunk in chunks[:-1])
    assert all(90 <= size <= 128 for size in overlaps(chunks, document.text, tokens))


def test_headings_of_levels_two_and_three_divide_and_large_sections_repeat_200(
    tokens: TokenCounter,
) -> None:
    parts = [
        f"# Book\n\n{prose(5)}",
        f"## Small\n\n{prose(3)}\n\n#### Deep\n\n{prose(3)}",
        f"## Large\n\n{prose(20)}",
        f"### Own\n\n{prose(4)}",
    ]
    document, chunks = split("\n\n".join(parts), HEADING, tokens)
    check(document, chunks, HEADING, tokens)
    assert all(500 <= chunk.token_count <= 1500 for chunk in chunks)
    starts = [chunk.body.split("\n")[0] for chunk in chunks]
    assert starts[:3] == ["Book", "Small", "Large"]
    assert starts[-1] == "Own"
    [small] = [chunk for chunk in chunks if chunk.body.startswith("Small")]
    assert "Deep" in small.body
    assert small.section_path == ("Book", "Small")
    large = [chunk for chunk in chunks if chunk.section_path == ("Book", "Large")]
    assert len(large) > 2
    assert all(170 <= size <= 200 for size in overlaps(large, document.text, tokens))


def test_windows_move_on_by_whole_paragraphs(tokens: TokenCounter) -> None:
    window = Chunking("window", 0, 3000, 1500, 3000, ())
    document, chunks = split(prose(60), window, tokens)
    check(document, chunks, window, tokens)
    assert all(1500 <= chunk.token_count <= 3000 for chunk in chunks)
    starts = {block.start for block in document.blocks}
    assert all(chunk.start in starts for chunk in chunks)
    assert all(1200 <= size <= 1500 for size in overlaps(chunks, document.text, tokens))


@pytest.mark.parametrize(
    "chunking",
    [
        Chunking("window", 1500, 3000, 500, 3000, ()),
        Chunking("heading", 5000, 20000, 0, 20000, (1,)),
        Chunking("heading", 500, 1500, 0, 1500, (2, 3)),
    ],
    ids=["large windows", "chapters", "no overlap"],
)
def test_chunking_keeps_its_limits_at_settings_that_no_profile_uses(
    chunking: Chunking, tokens: TokenCounter
) -> None:
    text = "\n\n".join(f"# Chapter {number}\n\n{prose(40)}" for number in range(3))
    document, chunks = split(text, chunking, tokens)
    check(document, chunks, chunking, tokens)
    assert all(chunk.token_count >= chunking.min_tokens for chunk in chunks[:-1])


@pytest.mark.parametrize("strategy", ["paragraph", "sentence", "fixed", "window"])
def test_headings_divide_only_where_the_profile_says_so(strategy: Strategy) -> None:
    text = f"# T\n\n{prose(1, 2)}\n\n## A\n\n{prose(1, 2)}\n\n### B\n\n{prose(1, 2)}"
    running = Chunking(strategy, 0, 500, 0, 0, ())
    [chunk] = split(text, running, LetterTokens())[1]
    assert chunk.section_path == ("T",)
    assert [key.split("\u001f")[-1] for key in chunk.section_keys] == ["T", "A", "B"]
    divided = split(text, replace(running, split_levels=(2,)), LetterTokens())[1]
    assert [chunk.section_path for chunk in divided] == [("T",), ("T", "A")]


@pytest.mark.parametrize("strategy", ["paragraph", "sentence", "window"])
def test_a_heading_is_not_left_at_the_end_of_a_chunk(strategy: Strategy) -> None:
    text = "\n\n".join(f"## Heading {n}\n\n{prose(1, 3)}" for n in range(30))
    chunks = split(text, Chunking(strategy, 0, 130, 0, 0, ()), LetterTokens())[1]
    assert len(chunks) > 5
    assert not any(chunk.body.split("\n")[-1].startswith("Heading") for chunk in chunks)


def test_a_last_chunk_that_is_too_small_takes_from_the_one_before(
    tokens: TokenCounter,
) -> None:
    for overlap in (0, 40):
        chunking = Chunking("sentence", 100, 200, overlap, 200, ())
        document, chunks = split(prose(1, 39), chunking, tokens)
        check(document, chunks, chunking, tokens)
        assert min(chunk.token_count for chunk in chunks) >= 100


@pytest.mark.parametrize("strategy", ["paragraph", "window"])
def test_the_little_of_a_torn_block_that_fits_into_the_chunk_before_is_there(
    strategy: Strategy,
) -> None:
    table = f"|{'robo ' * 28}|\n|---|\n|{'robo ' * 40}|\n|robo|"
    text = f"{'robo ' * 32}\n\n{table}"
    chunks = split(text, Chunking(strategy, 31, 65, 0, 63, ()), LetterTokens())[1]
    assert [chunk.token_count for chunk in chunks] == [60, 41]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("min_tokens = 60", "min_tokens = 400", "0 <= min <= target <= max"),
        ("overlap_tokens = 0", "overlap_tokens = 220", "less than the target"),
        ("split_levels = [1,", "split_levels = [0,", "levels from 1 to 6"),
        ("split_levels = [1,", 'split_levels = ["1",', "a list of whole numbers"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    shipped = (SHIPPED / "default.toml").read_text()
    assert old in shipped
    (tmp_path / "odd.toml").write_text(shipped.replace(old, new, 1))
    with pytest.raises(SettingsError, match=complaint):
        load_profile("odd", tmp_path)
