"""Write the software bill of materials of the lock, as CycloneDX JSON.

    python .ci/sbom.py LOCK FILE

Every locked version stands in it with its hashes, and none with the place it was fetched from.
What only the tests install has the scope "excluded". The lock does not say what needs what, so
no dependencies between the components are claimed.
"""

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

PROJECT = Path("pyproject.toml")
TESTS = "\n# make test"
ENTRY = re.compile(r"([\w.-]+)==([\w.!+]+)(?: ; ([^\\]+?))? \\")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def bill(lock: str, project: str) -> dict[str, Any]:
    own = tomllib.loads(project)["project"]
    product = {"type": "application", "bom-ref": own["name"]}
    product |= {"name": own["name"], "version": own["version"]}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid4().urn,
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": product,
        },
        "components": list(_components(lock)),
    }


def _components(lock: str) -> Iterator[dict[str, Any]]:
    run, _, tests = lock.partition(TESTS)
    for part, scope in ((run, "required"), (tests, "excluded")):
        for entry in re.split(r"\n(?=[^ ])", part):
            if found := ENTRY.match(entry):
                name, version, marker = found.groups()
                yield _component(name, version, marker, HASH.findall(entry)) | {"scope": scope}


def _component(name: str, version: str, marker: str | None, hashes: list[str]) -> dict[str, Any]:
    url = f"pkg:pypi/{canonicalize_name(name)}@{version}"
    component: dict[str, Any] = {"type": "library", "bom-ref": url, "purl": url}
    component |= {"name": name, "version": version}
    component["hashes"] = [{"alg": "SHA-256", "content": one} for one in hashes]
    if marker:
        component["properties"] = [{"name": "python:marker", "value": marker}]
    return component


if __name__ == "__main__":
    lock, file = map(Path, sys.argv[1:])
    file.parent.mkdir(parents=True, exist_ok=True)
    found = bill(lock.read_text("utf-8"), PROJECT.read_text("utf-8"))
    file.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    print(file)
