"""Tests that only compute leave the processor to those whose processes have to answer in time."""

import os
from time import process_time

import pytest

from tests.support.priority import LOWER, can_return, giving_way
from tests.support.work import at_most


@pytest.mark.skipif(not can_return(), reason="this account may not go back to a priority")
def test_the_priority_is_lower_within_the_block_alone() -> None:
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with giving_way():
        assert os.getpriority(os.PRIO_PROCESS, 0) == min(usual + LOWER, 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == usual


@pytest.mark.skipif(not can_return(), reason="this account may not go back to a priority")
def test_unit_tests_give_way() -> None:
    assert os.getpriority(os.PRIO_PROCESS, 0) >= LOWER


def test_unit_tests_have_more_time_by_the_clock(request: pytest.FixtureRequest) -> None:
    marker = request.node.get_closest_marker("timeout")
    assert marker.args[0] > float(request.config.getini("timeout"))


def test_work_beyond_its_bound_fails() -> None:
    def work() -> None:
        begun = process_time()
        while process_time() - begun < 0.02:
            pass

    with at_most(10):
        work()
    with pytest.raises(AssertionError), at_most(0.01):
        work()
