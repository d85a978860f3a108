"""Files that come inside packages: found without importing the package, checked by their SHA-256."""

import hashlib
import importlib.util
from pathlib import Path

from libs.settings import SettingsError


def packaged_file(package: str, relative: str, sha256: str) -> Path:
    """Return a file that is what it was released as; raises SettingsError for any other."""
    path = find_packaged(package, relative)
    if not path.is_file() or sha256_of(path) != sha256:
        raise not_as_released(package, relative)
    return path


def find_packaged(package: str, relative: str) -> Path:
    """Return where a file of a package should be. Raises SettingsError without the package."""
    # Only the package's folder is looked up: importing it would load what is not needed here.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError(f"the package {_released(package)} is not installed; install it")
    return Path(spec.submodule_search_locations[0], relative)


def not_as_released(package: str, relative: str) -> SettingsError:
    return SettingsError(
        f"{Path(relative).name} of the package {_released(package)} is damaged or changed; "
        "install the package again"
    )


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _released(package: str) -> str:
    return package.replace("_", "-")
