"""What unit tests share: beside tests of other workers they only compute, and can wait."""

from collections.abc import Iterator

import pytest

from tests.support.priority import giving_way


@pytest.fixture(scope="module", autouse=True)
def _gives_way() -> Iterator[None]:
    with giving_way():
        yield
