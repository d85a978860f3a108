"""Profiles are read strictly."""

from pathlib import Path

import pytest

from libs.errors import NotFound
from libs.profiles import SHIPPED, load_profile
from libs.settings import SettingsError

DEFAULT = (SHIPPED / "default.toml").read_text()


@pytest.mark.parametrize("name", [path.stem for path in SHIPPED.glob("*.toml")])
def test_every_shipped_profile_can_be_read(name):
    assert load_profile(name).name == name


def test_no_name_means_the_default_one():
    assert load_profile("").name == "default"


@pytest.mark.parametrize("name", ["nothing", "../default", "Default", "default.toml"])
def test_an_unknown_name_is_not_found(name):
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
        ("boost = 2.0", "boost = 0.5", "boost: must be 1 or more"),
        ('gate = "calibrated"', 'gate = "blend"', "on fixed scales only"),
        ("[chunking]", "[chonking]", "unknown table chonking"),
        ("[refusals]", "[unused]", "unknown table unused"),
        ("declined =", "refused =", "refusals: missing or unknown setting declined"),
        ('content. Related topics: {related}"', '"\nmore = ""', "refusals: missing or unknown"),
        ('"Unable to provide a reliable answer from the book content."', '""', "must not be empty"),
    ],
)
def test_a_file_that_breaks_the_form_says_where(tmp_path: Path, old, new, complaint):
    (tmp_path / "broken.toml").write_text(DEFAULT.replace(old, new, 1))
    with pytest.raises(SettingsError, match=complaint):
        load_profile("broken", tmp_path)
