"""The path that is measured beside other systems is the product's own, and finds what it was given."""

from contextlib import closing
from pathlib import Path

import pytest

from libs.embedding.choice import open_embedder
from tests.benchmarks.peers.ours import Quoth

DOCUMENTS = [
    ("pump.md", "# Pump\n\nThe pump turns torque into pressure.\n"),
    ("valve.md", "# Valve\n\nThe valve closes within three milliseconds.\n"),
]


def test_a_question_finds_the_passage_that_answers_it(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cache = tmp_path_factory.getbasetemp() / "cache"
    embedder = open_embedder(cache, "questions")
    with closing(Quoth(embedder, tmp_path, cache)) as quoth:
        assert quoth.ingest(DOCUMENTS) == 2
        _, passages = quoth.answer("How fast does the valve close?")
    assert "three milliseconds" in passages[0]
