"""Which files of tests come first."""

from pathlib import Path

import pytest

from tests.support.spread import LONGEST, WORKERS, Kind, choose, kind_of

ROOT = Path(__file__).parents[3]
COMPUTING = ["tests/unit/ci/test_sbom.py", "tests/architecture/test_lock.py"]
WAITING = ["tests/e2e/test_page.py", "tests/ports/test_embedder.py"]
HEAVY = ["tests/e2e/test_about_book.py", "tests/faults/test_readiness.py"]
KINDS = {Kind.COMPUTING: COMPUTING, Kind.WAITING: WAITING, Kind.HEAVY: HEAVY}


def test_the_longest_files_are_there_and_start_the_whole_product_or_compute() -> None:
    assert [path for path in LONGEST if not ROOT.joinpath(path).is_file()] == []
    assert Kind.WAITING not in map(kind_of, LONGEST)


@pytest.mark.parametrize("kind", Kind)
def test_files_are_told_by_what_they_start(kind: Kind) -> None:
    assert [path for path in KINDS[kind] if kind_of(path) is not kind] == []
    assert kind in WORKERS


@pytest.mark.parametrize("kind", Kind)
def test_the_longest_of_its_kind_that_waits_comes_first(kind: Kind) -> None:
    waiting = [*COMPUTING, *WAITING, *HEAVY, *reversed(LONGEST)]
    longest = [path for path in LONGEST if kind_of(path) is kind]
    others = KINDS[kind][::-1] if kind is Kind.HEAVY else KINDS[kind]
    taken = []
    while (path := choose(waiting, kind)) is not None:
        waiting.remove(path)
        taken.append(path)
    assert taken == [*longest, *others]
    assert not {*waiting}.intersection(taken)


def test_most_workers_leave_the_whole_product_to_others() -> None:
    assert 2 * WORKERS.count(Kind.HEAVY) < len(WORKERS)
