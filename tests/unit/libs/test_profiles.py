"""Profiles are read strictly."""

from pathlib import Path

import pytest

from libs.errors import NotFound
from libs.profiles import SHIPPED, load_profile
from libs.settings import SettingsError

DEFAULT = (SHIPPED / "default.toml").read_text()


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED.glob("*.toml")])
def test_every_shipped_profile_can_be_read(name: str) -> None:
    assert load_profile(name).name == name


def test_no_name_means_the_default_one() -> None:
    assert load_profile("").name == "default"


@pytest.mark.parametrize("name", ["nothing", "../default", "Default", "default.toml"])
def test_an_unknown_name_is_not_found(name: str) -> None:
    with pytest.raises(NotFound, match=r"Known: .*default"):
        load_profile(name)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("alpha =", "beta =", "missing or unknown setting alpha"),
        ("candidates = 50", 'candidates = "50"', "candidates: must be a int"),
        ('strategy = "heading"', 'strategy = "magic"', "strategy: must be one of"),
        ("alpha = 0.5", "alpha = 1.5", "must be in"),
        ("list_top_k = 8", "list_top_k = 4", "top_k <= list_top_k"),
        ("gate_thresholds = {}", "gate_thresholds = 1", "gate_thresholds: must be a table"),
        ("gate_thresholds = {}", "gate_thresholds = { a = 0 }", "must be a table of numbers"),
        ("gate_thresholds = {}", "gate_thresholds = { a = 1.5 }", "must be in"),
        ("gate_thresholds = {}", "gate_thresholds = { a = 0.5 }", "a calibrated gate has one"),
        ("boost = 2.0", "boost = 0.5", "boost: must be 1 or more"),
        ('gate = "calibrated"', 'gate = "fused"', "on fixed scales only"),
        ("[chunking]", "[chonking]", "unknown table chonking"),
        ("[refusals]", "[unused]", "unknown table unused"),
        ("declined =", "refused =", "refusals: missing or unknown setting declined"),
        ('content. Related topics: {related}"', '"\nmore = ""', "refusals: missing or unknown"),
        ('"Unable to provide a reliable answer from the book content."', '""', "must not be empty"),
    ],
)
def test_a_file_that_breaks_the_form_says_where(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    (tmp_path / "broken.toml").write_text(DEFAULT.replace(old, new, 1))
    with pytest.raises(SettingsError, match=complaint):
        load_profile("broken", tmp_path)


NUMBERS = {
    "integrated": {
        "chunking": ("paragraph", 512, 1024, 128, 800),
        "retrieval": ("dense", 5, "max_dense", 0.7, "refuse", "restrict"),
        "generation": ("gpt-4-turbo", 0.3, 800, 4000, 1000, "integrated", "numbered", 10, 0.6),
        "shown": ("number", "calibrated", "as_verified"),
    },
    "textbook": {
        "chunking": ("fixed", 0, 512, 0, 512),
        "retrieval": ("dense", 5, "none", 0.0, "refuse", "direct"),
        "generation": ("gpt-4o-mini", 0.3, 800, 4000, 1000, "supported", "headings", 5, 0.0),
        "shown": ("number", "calibrated", "as_verified"),
    },
    "academic": {
        "chunking": ("sentence", 256, 512, 102, 512),
        "retrieval": ("weighted", 5, "fused", 0.6, "refuse", "restrict"),
        "generation": ("claude", 0.3, 800, 1000, 1000, "academic", "headings", 10, 0.0),
        "shown": ("excerpt", "two_part", "strict"),
    },
    "course": {
        "chunking": ("heading", 500, 1500, 200, 1500),
        "retrieval": ("dense", 5, "mean_dense", 0.7, "disclaim", "boost"),
        "generation": ("gpt-4o-mini", 0.3, 800, 4000, 1000, "course", "relevance", 10, 0.0),
        "shown": ("section", "mean_similarity", "as_verified"),
    },
}
FIELDS = {
    "chunking": ("strategy", "min_tokens", "max_tokens", "overlap_tokens", "target_tokens"),
    "retrieval": ("fusion", "top_k", "gate", "gate_threshold", "low_score", "selection_policy"),
    "generation": (
        "model",
        "temperature",
        "max_tokens",
        "max_question_characters",
        "max_question_tokens",
        "prompt",
        "context",
        "history_messages",
        "uncited_similarity",
    ),
    "shown": ("citation_style", "confidence", "release"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_document_s_profile_has_its_numbers(name: str) -> None:
    profile = load_profile(name)
    for table, wanted in NUMBERS[name].items():
        held = profile.generation if table == "shown" else getattr(profile, table)
        for field, value in zip(FIELDS[table], wanted, strict=True):
            told = getattr(held, field)
            assert told.startswith(value) if field == "model" else told == value, field


@pytest.mark.parametrize(
    ("name", "answerer", "model", "provider", "embedder"),
    [
        ("integrated", "openai", "gpt-4-turbo", "local", ""),
        ("textbook", "extractive", "gpt-4o-mini", "cohere", "embed-english-v3.0"),
        ("academic", "anthropic", "claude-sonnet-4-6", "cohere", "embed-english-v3.0"),
        ("course", "openai", "gpt-4o-mini", "openai", "text-embedding-3-small"),
    ],
)
def test_a_document_s_profile_names_its_models(
    name: str, answerer: str, model: str, provider: str, embedder: str
) -> None:
    profile = load_profile(name)
    assert (profile.generation.answerer, profile.generation.model) == (answerer, model)
    assert (profile.embedding.provider, profile.embedding.model) == (provider, embedder)


def test_the_kill_switch_is_the_course_with_segments_of_one_size() -> None:
    course, fixed = load_profile("course"), load_profile("course-fixed")
    chunking = fixed.chunking
    assert (chunking.strategy, chunking.fill_tokens, chunking.overlap_tokens) == ("fixed", 512, 128)
    assert (fixed.retrieval, fixed.generation) == (course.retrieval, course.generation)


def test_a_profile_that_names_no_embedding_model_has_the_packaged_one(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(DEFAULT)
    assert load_profile("own", tmp_path).embedding.provider == "local"
    (tmp_path / "wrong.toml").write_text(DEFAULT + '\n[embedding]\nprovider = "x"\nmodel = ""\n')
    with pytest.raises(SettingsError, match=r"embedding\.provider: must be one of"):
        load_profile("wrong", tmp_path)


def test_rules_of_a_single_source_document_are_in_its_profile() -> None:
    assert load_profile("academic").retrieval.alpha == 0.85  # the other 0.15 is BM25
    course = load_profile("course")
    assert (course.retrieval.candidates, course.retrieval.rerank) == (10, "boost")
    assert course.retrieval.boost == 2.0
    assert course.chunking.split_levels == (2, 3)
