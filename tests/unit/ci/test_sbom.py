"""The bill of materials says what the lock says, in CycloneDX's words."""

import json
import re
from pathlib import Path

import pytest
import sbom

ROOT = Path(__file__).parents[3]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
LOCK = f"""\
# make run
anyio==4.16.0 \\
    --hash=sha256:{"a" * 64} \\
    --hash=sha256:{"b" * 64}
Zope.Interface==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:{"c" * 64}
# make test and make check install all that stands above, and:
pytest==9.2.0 \\
    --hash=sha256:{"d" * 64}
"""


def test_packages_that_only_the_tests_install_are_excluded() -> None:
    components = sbom.bill(LOCK, PROJECT)["components"]
    assert [(one["name"], one["version"], one["scope"]) for one in components] == [
        ("anyio", "4.16.0", "required"),
        ("Zope.Interface", "2.0", "required"),
        ("pytest", "9.2.0", "excluded"),
    ]


def test_a_component_has_its_hashes_its_package_url_and_its_platform() -> None:
    first, second, _ = sbom.bill(LOCK, PROJECT)["components"]
    assert [one["content"] for one in first["hashes"]] == ["a" * 64, "b" * 64]
    assert "properties" not in first
    assert second["purl"] == "pkg:pypi/zope-interface@2.0"
    assert second["properties"] == [{"name": "python:marker", "value": "sys_platform == 'win32'"}]


@pytest.mark.control("V18")
def test_the_bill_of_the_project_is_valid_cyclonedx_and_names_no_index() -> None:
    # Two seconds to import: every worker imports the modules of all tests, and one runs these.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    lock = (ROOT / "requirements.lock").read_text("utf-8")
    text = json.dumps(sbom.bill(lock, PROJECT))
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert text.count('"purl"') == len(re.findall(r"^[\w.-]+==", lock, re.MULTILINE)) > 100
    assert re.findall(r"\w+://[^\"]+", text) == ["http://cyclonedx.org/schema/bom-1.6.schema.json"]
