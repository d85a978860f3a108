"""Graphs that are made once from packaged weights and kept in a cache, each known by its SHA-256."""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from libs.packaged import sha256_of

if TYPE_CHECKING:
    from onnx import ModelProto


def made_graph(cache_dir: Path, name: str, make: Callable[[Path], Path]) -> Path:
    """Return the graph of the cache, made where there is none that is as it was made.

    `name` ends in a version, as in "minilm-l6-int8-v2"; graphs of other versions go. `make` writes
    the graph into the folder that it is given. A file's name carries its SHA-256, so that graph and
    record change in one step.
    """
    if graph := _kept_graph(cache_dir, name):
        return graph
    cache_dir.mkdir(parents=True, exist_ok=True)
    with _alone_in(cache_dir):
        return _kept_graph(cache_dir, name) or _make_graph(cache_dir, name, make)


def _kept_graph(cache_dir: Path, name: str) -> Path | None:
    """Return the graph that is as it was made; damaged ones go, and those of former releases."""
    sound = None
    any_version = name.rpartition("-")[0]
    for graph in cache_dir.glob(f"{any_version}*.onnx"):
        if graph.name == _named(name, sha256_of(graph)):
            sound = graph
        else:
            graph.unlink(missing_ok=True)
    return sound


@contextmanager
def _alone_in(cache_dir: Path) -> Iterator[None]:
    """Wait for others that make it: the services of a first start come all at once."""
    folder = os.open(cache_dir, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _make_graph(cache_dir: Path, name: str, make: Callable[[Path], Path]) -> Path:
    with tempfile.TemporaryDirectory(dir=cache_dir) as folder:
        made = make(Path(folder))
        return made.replace(cache_dir / _named(name, sha256_of(made)))


def _named(name: str, sha256: str) -> str:
    return f"{name}.{sha256}.onnx"


def save_graph(graph: "ModelProto", folder: Path) -> Path:
    """Write a graph into the folder of who makes it; return where."""
    import onnx  # noqa: PLC0415 - as those who make it: slow to import

    made = folder / "graph.onnx"
    onnx.save(graph, made)
    return made
