"""Catalogue P3, P4, P6: what readers saw before a process was killed is recorded, once.

The short form of `python -m tests.soak.kills`.
"""

from pathlib import Path

import pytest

from tests.support.kills import VICTIMS, killing

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]


@pytest.mark.fault("P3", "P4", "P6")
@pytest.mark.invariant("I3")
def test_whatever_is_killed_while_readers_read_each_sentence_they_saw_is_in_one_row(
    sample_home: Path,
) -> None:
    with killing(sample_home) as kills:
        for after, victim in enumerate(VICTIMS, 1):
            kills.play([victim], after)
        verdict = kills.judge()
        chain = kills.stack.quoth("audit", "verify", "--dsn", kills.dsn)

    assert verdict.holds, verdict
    assert verdict.sentences >= sum(range(1, len(VICTIMS) + 1))
    assert chain.returncode == 0, chain.stderr
