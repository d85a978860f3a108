"""What runs models on this machine tells nobody."""

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
ALLOWED = ROOT / "libs" / "ml" / "onnx.py"
SWITCH = "ORT_DISABLE_TELEMETRY"


def test_the_library_writes_no_id_of_this_machine_and_keeps_no_events(tmp_path: Path) -> None:
    # Not what another test's import has set in this process.
    variables = {name: value for name, value in os.environ.items() if name != SWITCH}
    subprocess.run(
        [sys.executable, "-c", "import libs.ml.onnx, onnxruntime"],
        env={**variables, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
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
