"""The Dockerfile names what there is: extras, modules, ports. `make check-images` builds it."""

import ast
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
TEXT = re.sub(r"\\\n", " ", (ROOT / "deploy" / "Dockerfile").read_text("utf-8"))
VALUES = yaml.safe_load((ROOT / "deploy/kubernetes/quoth/values.yaml").read_text("utf-8"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
SERVICES = ("gateway", "ingest", "ingest-ocr", "retrieval", "generation")


def stages() -> dict[str, list[tuple[str, str]]]:
    """The stages of the Dockerfile: their instructions, the first of which says what each is from."""
    found: dict[str, list[tuple[str, str]]] = {"": []}
    current = ""
    for line in TEXT.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        instruction, _, rest = line.strip().partition(" ")
        assert instruction.isupper(), line
        if instruction == "FROM":
            rest, _, current = rest.partition(" AS ")
            assert current, f"{rest}: a stage without a name"
            assert current not in found
            found[current] = []
        found[current].append((instruction, rest))
    return found


STAGES = stages()
TARGETS = (*SERVICES, "tools")


def said(target: str, instruction: str) -> list[str]:
    return [rest for name, rest in STAGES[target] if name == instruction]


def extras_of(target: str) -> list[str]:
    (command,) = said(f"build-{target}", "RUN")
    assert command.startswith("/build/install_image.sh ")
    return command.split()[1].split(",")


def distributions(extras: list[str]) -> set[str]:
    """The packages that some extras of the product bring, with all that these need."""
    found: set[str] = set()
    waiting = [Requirement(f"quoth[{','.join(extras)}]")]
    seen = set()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if (name, frozenset(one.extras)) in seen:
            continue
        seen.add((name, frozenset(one.extras)))
        found.add(name)
        if name == "quoth":
            project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
            needed = [*project["dependencies"], *(x for e in one.extras for x in EXTRAS[e])]
            waiting += [Requirement(text) for text in needed]
            continue
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for text in requires:
            needed_one = Requirement(text)
            marks = [{"extra": extra} for extra in (one.extras or {""})]
            if not needed_one.marker or any(needed_one.marker.evaluate(mark) for mark in marks):
                waiting.append(needed_one)
    return found


def test_a_target_stands_for_every_image_that_the_chart_asks_for() -> None:
    asked = {name for name, value in VALUES.items() if isinstance(value, dict) and "port" in value}
    assert asked | {"tools"} <= STAGES.keys()
    assert "ingest-ocr" in STAGES


def test_every_stage_is_from_one_that_comes_before_or_the_base() -> None:
    before: set[str] = {"${BASE}"}
    for name, instructions in STAGES.items():
        for instruction, rest in instructions:
            if instruction == "FROM":
                assert rest in before
            for source in re.findall(r"--from=(\S+)", rest):
                assert source in before
        before.add(name)
    assert said("", "ARG")[0].startswith("BASE=")


@pytest.mark.parametrize("target", TARGETS)
def test_an_image_installs_known_extras_and_runs_unprivileged(target: str) -> None:
    assert set(extras_of(target)) <= EXTRAS.keys()
    assert said(target, "FROM") == ["run"]
    assert said(target, "COPY") == [f"--from=build-{target} /opt/quoth /opt/quoth"]
    assert not said(target, "USER"), "none may go back to root"
    assert said("run", "USER") == ["10001:10001"]
    entry = json.loads([*said("run", "ENTRYPOINT"), *said(target, "ENTRYPOINT")][-1])
    # Signals reach the process, and children that end are collected.
    assert entry[:2] == ["tini", "--"]


def test_the_commands_image_has_what_the_charts_jobs_need() -> None:
    # `quoth audit retain --archive` and `quoth backup`.
    assert {"duckdb", "obstore", "asyncpg", "qdrant-client"} <= distributions(extras_of("tools"))


@pytest.mark.parametrize("target", SERVICES)
def test_a_service_listens_where_the_chart_and_the_check_look(target: str) -> None:
    service = target.partition("-")[0]
    (exposed,) = said(target, "EXPOSE")
    port, *health = exposed.split()
    assert int(port) == VALUES[service]["port"]
    (check,) = said(target, "HEALTHCHECK")
    assert f"127.0.0.1:{(health or [port])[0]}" in check
    if service != "gateway":
        assert health == [str(VALUES["transport"]["healthPort"])]
        listens = f"{service.upper()}_LISTEN=0.0.0.0:{port}"
        assert said(target, "ENV") == [f"{listens} QUOTH_HEALTH_LISTEN=0.0.0.0:{health[0]}"]
        assert "libs.rpc.check" in check
    (command,) = said(target, "CMD")
    assert json.loads(command) == ["python", "-m", f"services.{service}"]
    assert importlib.util.find_spec(f"services.{service}.__main__")


@pytest.mark.parametrize("target", ["gateway", "ingest", "retrieval", "generation", "tools"])
def test_an_image_has_every_package_that_its_program_imports(target: str) -> None:
    # Some of what the command does is imported only when it is asked for.
    modules = (
        "deploy.cli.app, deploy.backup.command, services.generation.adapters.records.duckdb_months"
    )
    if target != "tools":
        modules = f"services.{target}.__main__"
    code = (
        f"import sys, {modules}; "
        "print(*(one.__file__ for name, one in list(sys.modules.items()) if one is not None "
        "and name.startswith(('services.', 'libs.', 'deploy.')) and getattr(one, '__file__', None)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    owners = importlib.metadata.packages_distributions()
    brought = distributions(extras_of(target))
    asked = {name for file in done.stdout.split() for name in imports_of(Path(file))}
    assert len(asked) > 10
    missing = {
        name
        for name in asked & owners.keys()
        # A namespace, as Google's, is of several packages.
        if not brought & {canonicalize_name(one) for one in owners[name]}
    }
    assert missing == set()


def imports_of(path: Path) -> set[str]:
    """The packages that a module needs to be imported; what functions import may be an extra's."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_packages_of_the_ocr_variant_are_pinned_beside_the_lock() -> None:
    texts = [(ROOT / name).read_text("utf-8") for name in ("requirements.lock", "deploy/ocr.lock")]
    pinned = {
        canonicalize_name(name)
        for text in texts
        for name in re.findall(r"^([\w.-]+)==\S+", text, re.MULTILINE)
    }
    assert {canonicalize_name(Requirement(text).name) for text in EXTRAS["ocr"]} <= {
        *pinned,
        "quoth",
    }
    assert "deploy/ocr.lock /build/ocr.lock" in said("build", "COPY")
    assert "ocr.lock" in (ROOT / "deploy" / "install_image.sh").read_text("utf-8")


def test_the_lock_pins_what_the_images_are_installed_by() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    # The Dockerfile takes this entry and the two lines of hashes after it.
    assert re.search(r"^pip==\S+ \\\n +--hash=\S+ \\\n +--hash=\S+\n\S", lock, re.MULTILINE)
    script = (ROOT / "deploy" / "install_image.sh").read_text("utf-8")
    assert "--constraint" in script
    assert "#sha256=" in script
