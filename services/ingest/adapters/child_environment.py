"""What a process that reads somebody's documents gets to see of our environment."""

import os
from collections.abc import Mapping

# What Python, the loader and libraries look up. Whatever else there is may be a key.
_PASSED_ON = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "VIRTUAL_ENV"}
_PASSED_ON_BY_PREFIX = ("LC_", "LD_", "PYTHON", "MALLOC_", "COVERAGE_", "OMP_", "TESSDATA_")


def child_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return it without settings and keys: whoever takes such a process over finds none."""
    return {
        name: value
        for name, value in environment.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_BY_PREFIX)
    }
