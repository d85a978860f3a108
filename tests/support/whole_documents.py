"""What holds of every document that was read and of its chunks, whatever the source was."""

from collections.abc import Sequence
from itertools import compress, pairwise

from libs.profiles import Chunking
from services.ingest.model.book import Chunk, Document
from tests.support.ingest_fakes import LetterTokens

TOKENS = LetterTokens()


def check_document(document: Document) -> None:
    text = document.text
    ends = [0, *(block.end for block in document.blocks)]
    outside = ""
    assert "\0" not in text
    for end, block in zip(ends, document.blocks, strict=False):
        assert end <= block.start < block.end <= len(text)
        assert text[block.start : block.end].strip()
        outside += text[end : block.start]
    assert not outside.strip()
    assert all(a.own_end == b.start for a, b in pairwise(document.sections))
    for section in document.sections:
        assert section.start <= section.own_end <= section.end <= len(text)
    assert all(0 < offset < len(text) for offset, _ in document.page_breaks)


def check_chunks(document: Document, chunks: Sequence[Chunk], chunking: Chunking) -> None:
    text = document.text
    outside = bytearray(b"\1" * len(text))
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.body
        assert chunk.token_count == TOKENS.count(chunk.body)
        assert chunk.token_count <= chunking.max_tokens or len(chunk.body) == 1
        outside[chunk.start : chunk.end] = bytes(len(chunk.body))
        ends = [chunk.start, *(span.end for span in chunk.spans)]
        for end, span in zip(ends, chunk.spans, strict=False):
            assert end <= span.start < span.end <= chunk.end
            assert not text[end : span.start].strip()
        assert not text[ends[-1] : chunk.end].strip()
        assert all(chunk.start < offset < chunk.end for offset, _ in chunk.page_breaks)
    assert not "".join(compress(text, outside)).strip()
    positions = [chunk.position for chunk in chunks]
    assert positions == sorted(set(positions))
    assert [chunk.end for chunk in chunks] == sorted({chunk.end for chunk in chunks})
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
