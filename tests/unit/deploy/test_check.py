"""Bad settings are told before the first process is started, each in one line."""

import pytest

from deploy.local.check import check_settings
from libs.settings import SettingsError

BAD = {
    "QUOTH_PORT": "abc",
    "QUOTH_PATIENCE_S": "nan",
    "QUOTH_LOG_LEVEL": "LOUD",
    "QUOTH_PROFILES": "/nowhere",
    "QUOTH_MAX_UPLOAD_MIB": "0",
    "QUOTH_DISK_FLOOR_MIB": "-1",
    "INGEST_MAX_ENTRIES": "-3",
    "INGEST_LEASE_S": "0",
    "INGEST_PARSE_TIMEOUT_S": "inf",
    "INGEST_PARSE_MEMORY_MIB": "1",
    "RETRIEVAL_ANSWERABILITY": "/nowhere",
    "RETRIEVAL_CACHED_VECTORS": "1.5",
    "GENERATION_RANKING": "/nowhere",
    "GENERATION_ANSWERER": "parrot",
    "GENERATION_PROMPT_TOKENS": "0",
    "GATEWAY_ANSWERS_AT_ONCE": "0",
    "GATEWAY_BODY_TIMEOUT_S": "soon",
    "QUOTH_TLS_CERT": "/nowhere",
    "QUOTH_REQUIRE_KEYS": "perhaps",
    "QUOTH_EMBEDDER": "word2vec",
    "QUOTH_EMBEDDER_DIMENSIONS": "many",
}


@pytest.mark.fault("K1")
def test_all_bad_settings_of_all_processes_are_named_at_once_a_line_each() -> None:
    with pytest.raises(SettingsError) as caught:
        check_settings(BAD)
    lines = str(caught.value).splitlines()
    assert {line.split()[0] for line in lines} == {*BAD}
    assert len(lines) == len(BAD)


@pytest.mark.fault("K1")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *BAD.items(),
        ("QUOTH_PORT", "70000"),
        ("QUOTH_PROXY", "maybe"),
        ("QUOTH_LISTEN", "nowhere"),
        ("QUOTH_CACHE_DIR", "/dev/null/x"),
        ("QUOTH_QDRANT_SHARDS", "6"),
        ("QUOTH_QDRANT_REPLICAS", "2"),
        ("QUOTH_QDRANT_WRITE_CONSISTENCY", "2"),
    ],
)
def test_one_bad_setting_is_one_line_that_names_it(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        check_settings({variable: value})
    [line] = str(caught.value).splitlines()
    assert line.startswith(variable)


@pytest.mark.fault("K1")
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"GENERATION_ANSWERER": "openai"}, "OPENAI_API_KEY"),
        ({"GENERATION_ANSWERER": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"GENERATION_VERIFIER": "oracle"}, "GENERATION_VERIFIER"),
        ({"GENERATION_VERIFIER": "words,model"}, "GENERATION_VERIFIER_MODEL"),
        ({"GENERATION_VERIFIER": "nli"}, "GENERATION_NLI_DIR"),
        ({"QUOTH_EMBEDDER": "openai"}, "OPENAI_API_KEY"),
        ({"QUOTH_EMBEDDER": "cohere"}, "CO_API_KEY"),
        (
            {"QUOTH_EMBEDDER": "openai", "QUOTH_EMBEDDER_KEY": "k", "QUOTH_EMBEDDER_MODEL": "own"},
            "QUOTH_EMBEDDER_DIMENSIONS",
        ),
        ({"QUOTH_EMBEDDER_BEFORE": "openai:own@24"}, "OPENAI_API_KEY"),
    ],
)
def test_a_chosen_model_that_lacks_something_is_told_in_one_line_before_a_start(
    settings: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        check_settings(settings)
    [line] = str(caught.value).splitlines()
    assert named in line
    assert any(variable in line for variable in settings)


def test_a_model_that_has_what_it_needs_passes() -> None:
    check_settings({"GENERATION_ANSWERER": "openai", "OPENAI_API_KEY": "k"})
    check_settings({"GENERATION_ANSWERER": "anthropic", "GENERATION_MODEL_KEY": "k"})
    check_settings({"QUOTH_EMBEDDER": "cohere", "CO_API_KEY": "k"})
    check_settings({"QUOTH_EMBEDDER_BEFORE": "local"})


def test_a_cluster_that_is_named_may_have_parts_and_copies() -> None:
    check_settings(
        {
            "QUOTH_QDRANT_URL": "http://qdrant:6334",
            "QUOTH_QDRANT_SHARDS": "6",
            "QUOTH_QDRANT_REPLICAS": "2",
        }
    )


def test_settings_that_the_supervisor_gives_need_not_be_set() -> None:
    check_settings({})


def test_an_empty_setting_is_the_supervisors_value() -> None:
    check_settings(dict.fromkeys(("QUOTH_POSTGRES_DSN", "QUOTH_QDRANT_URL", "QUOTH_CACHE_DIR"), ""))
