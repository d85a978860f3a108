"""The page's scripts: what they compute, and that their types are those of the interface."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from libs.question.analyse import analyse_question
from services.gateway.routes.page import WEB
from services.ingest.parsers.archive import ENDINGS
from services.ingest.parsers.formats import DOCUMENT_ENDINGS
from tests.page.api_types import COMMAND, TYPES, fetch_document, write_types

HERE = Path(__file__).parent
NODE = shutil.which("node")
LEAST = (20, 19)
"""The first version that reads a script as a module without being told."""
INDEX = (WEB / "index.html").read_text("utf-8")
SCRIPTS = sorted(WEB.rglob("*.js"))
ROOMS = {
    "languages": (),
    "common": ("languages",),
    "document": ("common",),
    "conversation": ("common", "document"),
    "reader": ("common", "document", "conversation"),
    "shelf": ("common",),
    "review": ("common", "conversation"),
    "widget": ("common", "document", "conversation"),
}
"""The folders of the page's scripts, and what of each other they may import."""


def version_of_node() -> tuple[int, ...]:
    if NODE is None:
        return ()
    told = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.findall(r"\d+", told))


# Where CI promises Node, its absence is a failure and no reason to skip.
@pytest.mark.skipif(
    version_of_node() < LEAST and not os.environ.get("CI"),
    reason=f"no Node {LEAST[0]}.{LEAST[1]} or later on this machine",
)
def test_the_scripts_that_need_no_browser_compute_what_they_should() -> None:
    tests = sorted(str(path) for path in HERE.glob("*.test.js"))
    assert tests
    ended = subprocess.run(
        [NODE or "node", "--test", *tests], capture_output=True, text=True, check=False, timeout=100
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


async def test_the_types_are_those_of_the_interface() -> None:
    made = write_types(await fetch_document())
    assert TYPES.read_text("utf-8") == made, f"The interface has changed: run `{COMMAND}`."


def test_a_book_is_asked_what_it_is_about_only_where_the_rules_of_its_language_know_the_question() -> (
    None
):
    [table] = re.findall(
        r"ABOUT = \{(.*?)\};", (WEB / "reader/front.js").read_text("utf-8"), re.DOTALL
    )
    asked = re.findall(r'(\w+): "([^"]+)"', table)
    assert asked
    assert [one for one, words in asked if not analyse_question(words, one).about_book] == []


def described(**schemas: dict[str, Any]) -> dict[str, Any]:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Asked"}}}}
    query = {
        "name": "from",
        "in": "query",
        "description": "",
        "required": False,
        "schema": {"type": "integer"},
    }
    operation = {"operationId": "ask", "requestBody": body, "parameters": [query]}
    return {"paths": {"/v1/ask": {"post": operation}}, "components": {"schemas": schemas}}


def test_a_field_with_a_default_is_optional_in_a_body_and_always_in_a_reply() -> None:
    word = {
        "properties": {
            "text": {"type": "string"},
            "kinds": {"type": "array", "items": {"enum": ["a", "b"]}, "default": []},
        },
        "required": ["text"],
    }
    asked = {"properties": {"word": {"$ref": "#/components/schemas/Word"}}, "required": ["word"]}
    reply = {
        "properties": {
            "page": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "seconds": {"type": "object", "additionalProperties": {"type": "number"}},
        },
        "required": ["seconds"],
    }
    made = write_types(described(Asked=asked, Reply=reply, Word=word))
    assert made.split("\n\n", 1)[1] == (
        "export type Asked = {\n  word: Word;\n};\n\n"
        "export type Reply = {\n  page: number | null;\n  seconds: Record<string, number>;\n};\n\n"
        'export type Word = {\n  text: string;\n  kinds?: Array<"a" | "b">;\n};\n\n'
        "export type AskQuery = {\n  from?: number;\n};\n"
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(WEB)))
def test_every_script_is_checked(script: Path) -> None:
    assert script.read_text("utf-8").startswith("// @ts-check\n")
    assert "@ts-ignore" not in script.read_text("utf-8")
    assert "@ts-nocheck" not in script.read_text("utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_scripts_import_only_what_stands_below_them(room: str) -> None:
    scripts = list((WEB / room).glob("*.js"))
    assert scripts
    for script in scripts:
        for path in re.findall(r'"(\.\.?/[\w/]+\.js)"', script.read_text("utf-8")):
            asked = (script.parent / path).resolve().relative_to(WEB.resolve()).parts
            assert asked == ("schema.js",) or asked[0] in (room, *ROOMS[room]), (
                f"{script.name} imports {path}"
            )


def test_every_style_sheet_is_part_of_the_page_and_the_narrow_one_is_last() -> None:
    linked = re.findall(r'<link rel="stylesheet" href="/static/(.+?)">', INDEX)
    elsewhere = {"style/widget.css", "style/review.css"}
    own = {str(path.relative_to(WEB)) for path in WEB.rglob("*.css")} - elsewhere
    assert sorted(linked) == sorted(own)
    assert linked[-1] == "style/narrow.css"


def test_a_reader_may_choose_every_file_that_ingest_reads_and_no_other() -> None:
    chosen = re.search(r'ENDINGS =\s+"(.+?)";', (WEB / "shelf/ingest.js").read_text("utf-8"))
    assert chosen
    read = [f".{ending.rpartition('.')[2]}" for ending in (*DOCUMENT_ENDINGS, *ENDINGS)]
    assert sorted(chosen[1].split(",")) == sorted(set(read))


def test_the_lock_of_the_tools_names_no_registry() -> None:
    assert "http" not in (HERE / "package-lock.json").read_text("utf-8")
