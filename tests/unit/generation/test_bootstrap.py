"""What can't answer is refused at the start, and not at the first question."""

import pytest

from libs.settings import SettingsError
from services.generation.bootstrap import bootstrap
from services.generation.settings import Settings
from tests.support.generation_fakes import FakeAuditLog, FakeSource


@pytest.fixture
def start(tmp_path_factory):
    async def start(**fields):
        cache = tmp_path_factory.getbasetemp() / "cache"
        service = await bootstrap(
            Settings(cache_dir=cache, **fields), source=FakeSource(), log=FakeAuditLog()
        )
        await service.close()

    return start


@pytest.mark.parametrize(
    ("answerer", "named"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("parrot", "'parrot'")],
)
async def test_a_model_that_cannot_be_asked_is_refused_at_the_start(start, answerer, named):
    with pytest.raises(SettingsError, match=named):
        await start(answerer=answerer)


@pytest.mark.parametrize(
    "fields",
    [
        {"answerer": "openai", "openai_key": "k"},
        {"answerer": "openai", "model_key": "k"},
        {"answerer": "openai", "model_url": "http://127.0.0.1:9/v1"},
        {"answerer": "openai", "openai_url": "http://127.0.0.1:9/v1"},
        {"answerer": "anthropic", "anthropic_key": "k"},
        {"answerer": "extractive"},
        {},
    ],
)
async def test_one_with_a_key_or_a_server_of_its_own_starts(start, fields):
    await start(**fields)
