"""Tests that only compute leave the processor to those whose processes have to answer in time."""

import os

import pytest

from tests.support.priority import LOWER, can_return, giving_way


@pytest.mark.skipif(not can_return(), reason="this account may not go back to a priority")
def test_the_priority_is_lower_within_the_block_alone() -> None:
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with giving_way():
        assert os.getpriority(os.PRIO_PROCESS, 0) == min(usual + LOWER, 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == usual


@pytest.mark.skipif(not can_return(), reason="this account may not go back to a priority")
def test_unit_tests_give_way() -> None:
    assert os.getpriority(os.PRIO_PROCESS, 0) >= LOWER
