"""What runs models on this machine tells nobody."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ALLOWED = ROOT / "libs" / "ml" / "onnx.py"


@pytest.mark.parametrize("module", ["libs.embedding.local", "libs.embedding.tokenwise"])
def test_the_library_writes_no_id_of_this_machine_and_keeps_no_events(
    module: str, tmp_path: Path
) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import {module}, onnxruntime"],
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=ROOT,
        check=True,
        timeout=60,
    )
    assert list(tmp_path.rglob("*")) == []


def test_the_library_comes_in_by_one_module() -> None:
    found = {
        path
        for top in ("libs", "services", "deploy")
        for path in (ROOT / top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Import) and any(one.name == "onnxruntime" for one in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "onnxruntime")
    }
    assert found == {ALLOWED}
