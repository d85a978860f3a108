"""Which files of tests come first."""

from pathlib import Path

from tests.support.spread import LONGEST, choose, is_heavy

ROOT = Path(__file__).parents[3]
LIGHT = ["tests/unit/ci/test_sbom.py", "tests/unit/ci/test_vulnerabilities.py"]
HEAVY = ["tests/e2e/test_about_book.py", "tests/faults/test_readiness.py"]


def test_the_longest_files_are_there_and_start_the_whole_product() -> None:
    assert [path for path in LONGEST if not ROOT.joinpath(path).is_file()] == []
    assert all(map(is_heavy, LONGEST))


def test_the_longest_that_waits_comes_first() -> None:
    waiting = [*LIGHT, *HEAVY, *reversed(LONGEST)]
    taken = []
    while (path := choose(waiting, heavy=True)) is not None:
        waiting.remove(path)
        taken.append(path)
    assert taken == [*LONGEST, *reversed(HEAVY)]
    assert waiting == LIGHT


def test_the_others_come_as_they_stand() -> None:
    assert choose([*HEAVY, *LIGHT], heavy=False) == LIGHT[0]
    assert choose(HEAVY, heavy=False) is None
