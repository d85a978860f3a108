"""What the documents say is so: links lead somewhere, commands and tables are the code's."""

import importlib
import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from deploy.cli.app import app
from deploy.local.settings import LocalSettings
from libs.embedding.choice import EmbedderSettings
from libs.profiles import SHIPPED, load_profile
from libs.rpc.transport import Transport
from libs.telemetry.logs import LogSettings
from libs.vectors.layout import Layout
from services.gateway.errors import STATUS_BY_KIND
from services.gateway.settings import Exposure
from services.generation.settings import Retention

ROOT = Path(__file__).parents[2]
SERVICES = ("ingest", "retrieval", "generation", "gateway")
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(
        part.startswith(".") or part == "node_modules" for part in path.relative_to(ROOT).parts
    )
    and path.parent.name != "prompts"
)
LINK = re.compile(r"""\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)\"""")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
each_document = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a document."""
    seen: set[str] = set()
    for title in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        # A title that stands twice has a number the second time.
        numbered = (f"{anchor}-{n}" for n in itertools.count(1))
        seen.add(anchor if anchor not in seen else next(n for n in numbered if n not in seen))
    return seen


def broken_links(path: Path, text: str) -> Iterator[str]:
    for target in ("".join(found) for found in LINK.findall(FENCE.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if (
            not aim.exists()
            or not aim.is_relative_to(ROOT)
            or (anchor and anchor not in anchors(aim.read_text("utf-8") if name else text))
        ):
            yield target


@each_document
def test_every_link_leads_somewhere(path: Path) -> None:
    assert list(broken_links(path, path.read_text("utf-8"))) == []


def test_a_link_that_leads_nowhere_is_found() -> None:
    text = "[a](LICENSE) [b](gone.md) [c](#limits) [d](CONTRIBUTING.md#gone) <img src='x'>\n# Here"
    assert list(broken_links(ROOT / "README.md", text)) == [
        "gone.md",
        "#limits",
        "CONTRIBUTING.md#gone",
    ]


TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
CODE = re.compile(
    r"^```sh\n(.*?)^```|`((?:[A-Z_]+=\S* )*(?:\.venv/bin/)?(?:quoth|make) [^`]+)`",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"(?:^|[\s`/])(quoth|make) ((?:[a-z-]+ ?)*[^\n#|&]*)")


def unknown_commands(text: str) -> Iterator[str]:
    root = typer.main.get_command(app)
    for block, inline in CODE.findall(text):
        for line in (block or inline).replace("\\\n", " ").splitlines():
            for program, rest in COMMAND.findall(line.partition("#")[0]):
                words = rest.split()
                if program == "make":
                    named = [word for word in words if re.fullmatch(r"[a-z-]+", word)]
                    if not named or not TARGETS.issuperset(named):
                        yield f"make {rest}"
                    continue
                known: Any = root
                for word in words:
                    if isinstance(known, typer.core.TyperGroup) and not word.startswith("-"):
                        if word not in known.commands:
                            yield f"quoth {rest}"
                            break
                        known = known.commands[word]
                    elif word.startswith("--") and word != "--help":
                        option = word.partition("=")[0]
                        if not any(option in (*p.opts, *p.secondary_opts) for p in known.params):
                            yield f"quoth {rest}"
                            break


@each_document
def test_every_command_that_is_named_exists(path: Path) -> None:
    assert list(unknown_commands(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "line",
    ["quoth frobnicate", "make everything", "quoth ask --louder", "quoth eval nothing --book b"],
)
def test_a_command_that_does_not_exist_is_found(line: str) -> None:
    assert len(list(unknown_commands(f"Run `{line}`."))) == 1
    assert len(list(unknown_commands(f"```sh\n.venv/bin/{line}   # so\n```"))) == 1


def rows(path: str, columns: int) -> Iterator[list[str]]:
    """The cells of the rows of a document's tables that have so many columns, heads left out."""
    for line in (ROOT / path).read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == columns:
            yield cells


def known_settings() -> dict[str, list[tuple[str, Any]]]:
    """Every variable with who reads it and its default; None where it is made of other settings."""
    of = {name: importlib.import_module(f"services.{name}.settings").Settings for name in SERVICES}
    found: dict[str, list[tuple[str, Any]]] = {}
    beside = [("gateway", Exposure), ("generation", Retention), ("make run", LocalSettings)]
    for name, settings in [*of.items(), *beside]:
        for item in fields(settings):
            found.setdefault(item.metadata["variable"], []).append((name, item.default))
    for settings in (EmbedderSettings, Layout, LogSettings, Transport):
        for item in fields(settings):
            found.setdefault(item.metadata["variable"], []).append(("", item.default))
    return found


TOLD = {
    cells[0].strip("`"): cells[1:] for cells in rows("deploy/README.md", 4) if cells[0][:1] == "`"
}


def test_the_table_of_settings_has_every_variable_and_no_other() -> None:
    assert TOLD.keys() == known_settings().keys()


@pytest.mark.parametrize("variable", sorted(known_settings()))
def test_the_table_of_settings_says_who_reads_a_variable_and_its_default(variable: str) -> None:
    readers, told, _ = TOLD[variable]
    for reader, default in known_settings()[variable]:
        assert readers == "all" or reader in readers, variable
        if "make run" not in told and default not in (MISSING, None):
            inside = isinstance(default, Path) and default.is_absolute()
            known = str(default.relative_to(ROOT) if inside else default)
            assert told.strip("`").lower() == known.lower(), variable


def test_the_table_of_profiles_says_what_they_say() -> None:
    told = {row[0].strip("`"): row[1:] for row in rows("deploy/README.md", 10) if row[0][:1] == "`"}
    known = {}
    for path in SHIPPED.glob("*.toml"):
        profile = load_profile(path.stem)
        ours = profile.generation
        known[path.stem] = [
            profile.chunking.strategy,
            profile.retrieval.fusion,
            profile.retrieval.gate,
            ours.prompt,
            ours.grounding,
            ours.context,
            ours.citation_style,
            ours.confidence,
            ours.release,
        ]
    assert told == known


def test_the_table_of_metrics_names_every_metric() -> None:
    code = (ROOT / "libs/telemetry/metrics.py").read_text("utf-8")
    known = set(re.findall(r'make\.[\w.]+\(\s*"([a-z_.]+)"', code))
    told = {
        name for row in rows("deploy/README.md", 2) for name in re.findall(r"`([\w.]+)`", row[0])
    }
    assert {name for name in told if re.match(r"quoth\.|gen_ai\.|rpc\.|http\.", name)} == known


def test_the_table_of_errors_has_every_kind_with_its_status() -> None:
    told = {
        row[1].strip("`"): row[0] for row in rows("deploy/OPERATIONS.md", 4) if row[1][:1] == "`"
    }
    assert told == {kind: str(status) for kind, status in STATUS_BY_KIND.items()}


EVERY_SERVICE_HAS = {
    *("__init__.py", "__main__.py", "bootstrap.py", "errors.py", "model.py", "pipeline.py"),
    *("ports.py", "server.py", "settings.py", "wire.py"),
}
ROOMS = [*(f"services/{name}" for name in SERVICES), "libs", "deploy"]


def held(room: str) -> Iterator[str]:
    """What stands in a folder, as documents name it: modules, and folders with a stroke behind."""
    for path in (ROOT / room).iterdir():
        if path.suffix == ".py":
            yield path.name
        elif path.is_dir() and path.name[0] not in "._":
            yield f"{path.name}/"


@pytest.mark.parametrize("room", ROOMS)
def test_a_folders_document_names_what_stands_in_it(room: str) -> None:
    """Tests of the documents and of the folders: neither may have what the other has not."""
    text = (ROOT / room / "README.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text))
    named |= {f"{name}/" for name in re.findall(r"\[`(\w+)`\]", text)}
    assert {name for name in named if not (ROOT / room / name).exists()} == set()
    assert set(held(room)) - named - EVERY_SERVICE_HAS == set()


FILE = re.compile(r"`([\w./-]+\.(?:py|toml|js|ts|css|html|proto|sql|json|yaml|md|txt))`")
NOT_OURS = {
    *("quoth.toml", "SUMMARY.md", ".rst.txt"),  # of a book
    *("/openapi.json", "calibration/answerability.json", "manifest.json"),  # made by the product
    "src/theme/Root.js",  # of a site that takes the plugin
}


@cache
def ours() -> frozenset[str]:
    """Every end of the path of every file, but of packages and what tools keep."""
    found = set[str]()
    for folder, below, names in os.walk(ROOT):
        below[:] = [
            one for one in below if one == ".ci" or (one[0] != "." and one != "node_modules")
        ]
        for name in names:
            parts = (Path(folder) / name).relative_to(ROOT).parts
            found |= {"/".join(parts[at:]) for at in range(len(parts))}
    return frozenset(found)


@each_document
def test_a_file_that_a_document_names_is_there(path: Path) -> None:
    """By its path, or by the end of it; the changes of versions name what was there then."""
    if path.name == "CHANGELOG.md":
        return
    named = set(FILE.findall(FENCE.sub("", path.read_text("utf-8")))) - NOT_OURS
    ends = (re.sub(r"^(?:\.{0,2}/)+", "", name) for name in named)
    assert [name for name in ends if name not in ours()] == []


def test_the_readme_can_be_read_at_once() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_the_pictures_of_the_page_are_small() -> None:
    for scheme in ("light", "dark"):
        assert (ROOT / f"docs/page-{scheme}.webp").stat().st_size < 150_000


def test_the_document_of_the_contracts_names_every_package() -> None:
    packages = (file.parent for file in (ROOT / "protos/quoth").rglob("*.proto"))
    known = {".".join(folder.relative_to(ROOT / "protos").parts) for folder in packages}
    told = [row[0] for row in rows("protos/README.md", 2)]
    assert {name.strip("`") for name in told if name[:1] == "`"} == known


def test_the_map_for_contributors_names_folders_that_are_there() -> None:
    places = {
        name for row in rows("CONTRIBUTING.md", 2) for name in re.findall(r"`([\w./]+/)`", row[1])
    }
    assert {"adapters/", "deploy/local/", "libs/"} <= places
    assert [name for name in sorted(places) if not any(ROOT.glob(f"**/{name}"))] == []


def test_the_table_of_libraries_counts_our_own_lines_as_they_are() -> None:
    """Within a tenth: a module grows by a line without a new decision."""
    said = [
        (int(lines), name)
        for row in rows("CONTRIBUTING.md", 5)
        for lines, name in re.findall(r"(\d+) (?:lines )?of `([\w./]+\.py)`", row[3])
    ]
    assert len(said) >= 5
    for lines, name in said:
        counts = [len(path.read_text("utf-8").splitlines()) for path in ROOT.glob(f"**/{name}")]
        assert min(abs(count - lines) for count in counts) <= lines / 10, name
