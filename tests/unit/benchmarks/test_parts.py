"""What breaks off in a long run takes nothing along."""

import pytest

from tests.benchmarks.__main__ import _Parts
from tests.benchmarks.rounds import Measured


def test_a_part_that_breaks_off_is_noted_and_the_next_one_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured = Measured()
    said: list[str] = []
    part = _Parts(measured, said.append)
    with part("the product"):
        raise ValueError("a process died")
    with part("the peers"):
        measured.notes.append("measured")
    assert measured.notes == ["Broken off: the product: ValueError: a process died", "measured"]
    assert said == measured.notes[:1]
    assert "ValueError" in capsys.readouterr().err
