"""Count what can be counted of the shape of the code: `python docs/shape.py [FOLDER]`."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SERVICES = ("ingest", "retrieval", "generation", "gateway")
FORMULA = re.compile(r"\b\w+ in[,;] .*\bout\b")
"""The docstring that says what goes in and what comes out, and not what the module is for."""

LEAST_COPIED = 5
DOTS = ast.dump(ast.parse("...").body[0])
PACKED = re.compile(
    r"/(?:node_modules|\.venv|\.pytest_cache|samples|docusaurus|site)/|RESULTS\.md$"
)
"""Documents of other people, books, and what is drawn from results."""


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    texts = {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for folder in ("services", "libs", "deploy")
        for path in sorted((root / folder).rglob("*.py"))
    }
    trees = {path: ast.parse(text) for path, text in texts.items()}
    for service in SERVICES:
        own = {path: tree for path, tree in trees.items() if f"services/{service}/" in path}
        most = sorted(own, key=lambda path: texts[path].count("\n"))[-2:]
        top = [path for path in own if path.count("/") == 2 and "__init__" not in path]
        print(
            f"{service}: {sum(bool(texts[path]) for path in own)} modules, {len(top)} on top, "
            f"{len(set(arrows(own)))} arrows, {shared_names(own, most)} names between the two largest"
        )
    lengths = [
        node.end_lineno - node.lineno + 1
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]
    print(f"longest function: {max(lengths)} lines; over 40: {sum(one > 40 for one in lengths)}")
    print(f"bodies of functions, of five lines or more, that stand again: {copies(trees.values())}")
    print(f"noqa: {sum(text.count('noqa') for text in texts.values())}")
    docstrings = [text for tree in trees.values() if (text := ast.get_docstring(tree))]
    formulas = sum(bool(FORMULA.search(text.partition("\n")[0])) for text in docstrings)
    print(f"docstrings of modules by the formula: {formulas} of {len(docstrings)}")
    print(f"words of README.md: {count_words([root / 'README.md'])}")
    documents = [
        path
        for path in root.rglob("*.md")
        if not PACKED.search(f"/{path.relative_to(root).as_posix()}")
    ]
    print(f"words of all documents: {count_words(documents)}")


def count_words(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text("utf-8").split()) for path in paths)


def copies(trees: Iterable[ast.Module]) -> int:
    """Return how many bodies of functions are equal to one before, but for their docstrings."""
    bodies = [
        "\n".join(map(ast.dump, node.body[ast.get_docstring(node) is not None :]))
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.body[0].lineno >= LEAST_COPIED
    ]
    # A method of a port is its docstring, and three dots.
    written = [body for body in bodies if body and body != DOTS]
    return len(written) - len(set(written))


def name_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def arrows(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """Yield who imports whom of some modules."""
    names = {name_of(path) for path in trees}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    target = whole if whole in names else node.module
                    if target in names:
                        yield name_of(path), target


def shared_names(trees: dict[str, ast.Module], paths: Sequence[str]) -> int:
    """Return how many names one of two modules imports from the other."""
    modules = {name_of(path) for path in paths}
    return sum(
        len(node.names)
        for path in paths
        for node in ast.walk(trees[path])
        if isinstance(node, ast.ImportFrom) and node.module in modules
    )


if __name__ == "__main__":
    main()
