"""A chunk survives its point."""

import pytest
from msgspec.structs import replace

from libs.vectors.stored import StoredChunk, decode_chunk

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
    units=((7, 14, 2), (15, 18, 3)),
    terms="ünit book",
    unit_vectors=bytes(range(256)),
)


def test_a_chunk_comes_back_as_it_was():
    assert decode_chunk(CHUNK.encode()) == CHUNK
    paged = replace(CHUNK, page=3, page_breaks=((9, 4), (15, 5)))
    assert decode_chunk(paged.encode()) == paged


def test_a_chunk_on_one_page_takes_no_room_for_others():
    assert "page_breaks" not in CHUNK.encode()


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"chunk_id": "c"}', "None"])
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError):
        decode_chunk(text)


@pytest.mark.parametrize(
    "change", [{"end": 30}, {"text": ""}, {"units": ((0, 9, 2),)}, {"units": ((9, 9, 2),)}]
)
def test_ranges_that_do_not_fit_are_refused(change):
    with pytest.raises(ValueError):
        decode_chunk(replace(CHUNK, **change).encode())
