"""What the service opens it closes, and nothing else."""

from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest

from services.ingest import bootstrap as wiring
from services.ingest.bootstrap import bootstrap
from services.ingest.settings import Settings
from tests.support.retrieval_fakes import ClosingEmbedder


async def test_a_model_that_was_opened_is_closed_with_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, given = ClosingEmbedder(), ClosingEmbedder()
    monkeypatch.setattr(wiring, "open_embedder", lambda *_: own)
    settings = Settings(postgres_dsn="", qdrant_url="", cache_dir=tmp_path)
    pool, qdrant, reader = Mock(), AsyncMock(), Mock()
    for embedder in (None, given):
        async with bootstrap(settings, pool=pool, qdrant=qdrant, embedder=embedder, reader=reader):
            assert not own.is_closed or embedder
    assert (own.is_closed, given.is_closed) == (True, False)
    assert not pool.close.called
    assert not qdrant.close.called
