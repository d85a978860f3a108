"""What databases were made with is never edited: `tests/architecture/migrations.sha256` holds it.

(cd services && sha256sum */adapters/migrations/*.sql) > tests/architecture/migrations.sha256
"""

import hashlib
from pathlib import Path

from libs.postgres.migrations import needed_code, read_scripts

_SUMS = Path(__file__).with_name("migrations.sha256")
_SERVICES = Path(__file__).parents[2] / "services"


def test_every_migration_is_as_it_was_first_published() -> None:
    known = dict(line.split()[::-1] for line in _SUMS.read_text("utf-8").splitlines())
    found = {
        path.relative_to(_SERVICES).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _SERVICES.glob("*/adapters/migrations/*.sql")
    }
    assert found == known


def test_the_code_that_a_migration_needs_has_one_up_to_itself() -> None:
    for folder in _SERVICES.glob("*/adapters/migrations"):
        names = list(read_scripts(folder))
        for name, script in read_scripts(folder).items():
            needed = needed_code(script)
            assert needed is None or needed in names[: names.index(name) + 1]
            assert ("-- needs" in script) == (needed is not None), name
