"""What unit tests share: beside tests of other workers they only compute, and can wait."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.priority import giving_way
from tests.support.work import at_most

_MOST_S = 300
"""Of the processor; as others go first, a test may take longer by the clock."""


@pytest.fixture(scope="module", autouse=True)
def _gives_way() -> Iterator[None]:
    with giving_way():
        yield


@pytest.fixture(autouse=True)
def _ends_in_time() -> Iterator[None]:
    with at_most(_MOST_S):
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(4 * _MOST_S))
