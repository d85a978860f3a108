"""A chunk survives its point."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.vectors.stored import SealedHead, StoredChunk, count_holders, decode_chunk, decode_head

CHUNK = StoredChunk(
    chunk_id="c1",
    document="a/b.mdx",
    start=7,
    end=18,
    position=3,
    section_path=("Book", "Séction 😀"),
    section_keys=("Book",),
    anchor="séction-",
    url="",
    page=0,
    text='"Ünïts" 😀\n.',
    spans=((7, 14, 2), (15, 18, 3)),
    terms="ünit book",
    span_vectors=bytes(range(256)),
)


def test_a_chunk_comes_back_as_it_was() -> None:
    assert decode_chunk(CHUNK.encode()) == CHUNK
    paged = replace(CHUNK, page=3, page_breaks=((9, 4), (15, 5)))
    assert decode_chunk(paged.encode()) == paged


def test_a_chunk_on_one_page_takes_no_room_for_others() -> None:
    assert "page_breaks" not in CHUNK.encode()


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"chunk_id": "c"}', "None"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode_chunk(text)


@pytest.mark.parametrize(
    "change", [{"end": 30}, {"text": ""}, {"spans": ((0, 9, 2),)}, {"spans": ((9, 9, 2),)}]
)
def test_ranges_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        decode_chunk(replace(CHUNK, **change).encode())


TERMS = frozenset(["torque", "motor", "gear", "o’clock", "größe"])
HEAD = CHUNK.head(TERMS)


def test_a_head_comes_back_as_it_was_and_is_always_the_same_text() -> None:
    assert decode_head(HEAD.encode()) == HEAD
    assert CHUNK.head(frozenset(sorted(TERMS))).encode() == HEAD.encode()


def test_a_head_has_its_terms_whole_and_no_others() -> None:
    terms = decode_head(HEAD.encode()).terms
    assert all(term in terms for term in TERMS)
    assert not any(term in terms for term in ("", "tor", "orque", "gears", "c1"))
    assert set(terms) == TERMS
    assert (len(terms), terms | {"new"}) == (len(TERMS), TERMS | {"new"})


@pytest.mark.parametrize("gap", ["", "\n\n", "\u2028", '],"', "[1] a"])
@pytest.mark.parametrize("path", [(), ("Book", '],["a"]'), ("[b]",)])
def test_the_terms_of_a_head_are_found_before_it_is_read(gap: str, path: tuple[str, ...]) -> None:
    written = replace(HEAD, gap=gap, section_path=path)
    head = SealedHead(written.encode())
    assert set(head.terms) == TERMS
    assert head.read() == written


def test_chunks_that_hold_a_term_are_counted_in_stored_heads_and_in_sets() -> None:
    texts = [SealedHead(HEAD.encode()).terms, frozenset(["gear"]), frozenset()]
    assert [count_holders(term, texts) for term in ("gear", "torque", "tor")] == [2, 1, 0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        HEAD.encode()[8:],
        HEAD.encode().replace("gear", "bear"),
        replace(HEAD, end=HEAD.start).encode(),
    ],
)
def test_anything_else_is_no_head(text: str) -> None:
    with pytest.raises(ValueError, match=r"written|range"):
        decode_head(text)


@pytest.mark.fault("G8")
def test_a_text_that_has_changed_on_the_disk_is_no_chunk() -> None:
    written = CHUNK.encode()
    changed = written.replace(CHUNK.text[:4], CHUNK.text[:4].swapcase())
    assert changed != written
    with pytest.raises(ValueError, match="not what was written"):
        decode_chunk(changed)


def test_points_without_a_checksum_are_read() -> None:
    assert decode_chunk(CHUNK.encode()[8:]) == CHUNK
