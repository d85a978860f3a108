"""The corpus that is uploaded to harm the product is as large and as various as it is said to be."""

from collections import Counter
from collections.abc import Mapping

import pytest

from tests.support.generated_books import FORMATS
from tests.support.poison import MIB, Poison, poisons

OF_EACH_FORMAT = 30
"""What `python -m tests.soak.poison` breaks at random beside those made by hand."""


@pytest.fixture(scope="module")
def made() -> Mapping[str, Poison]:
    return poisons()


def test_the_corpus_has_three_hundred_documents_and_none_is_large(
    made: Mapping[str, Poison],
) -> None:
    assert len(made) + OF_EACH_FORMAT * len(FORMATS) >= 300
    assert max(len(data) for _, data in made.values()) < 8 * MIB


def test_documents_of_the_corpus_differ_and_every_format_is_among_them(
    made: Mapping[str, Poison],
) -> None:
    assert max(Counter(made.values()).values()) == 1
    endings = {f".{name.rpartition('.')[2]}" for name, _ in made.values()}
    assert endings >= {*FORMATS, ".zip", ".gz"}
