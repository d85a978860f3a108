"""Each planted defect still fits the code, and its test still stands where it says."""

import ast
import json
from pathlib import Path

import pytest

from tests.planted import CHECKOUT, DEFECTS, KEPT, Defect, plant


@pytest.mark.parametrize("defect", DEFECTS.values(), ids=DEFECTS.keys())
def test_a_defect_can_be_planted_and_the_test_that_it_names_is_there(
    defect: Defect, tmp_path: Path
) -> None:
    file = tmp_path / defect.file
    file.parent.mkdir(parents=True)
    file.write_bytes((CHECKOUT / defect.file).read_bytes())
    plant(defect, tmp_path)
    compile(file.read_text("utf-8"), defect.file, "exec")
    path, _, name = defect.test.partition("::")
    names = {
        node.name
        for node in ast.walk(ast.parse((CHECKOUT / path).read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert name in names


def test_twelve_defects_are_planted_as_the_catalogue_lists_them() -> None:
    assert len(DEFECTS) == 12


def test_each_defect_has_turned_its_test_red_when_they_were_last_planted() -> None:
    kept = json.loads(KEPT.read_text("utf-8"))
    assert kept["results"] == dict.fromkeys(DEFECTS, "red")
