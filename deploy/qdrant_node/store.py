"""The node's folder: which collections there are, and which folder of each is the live one.

    DIR/.quoth-qdrant              the lock and the mark of the node
    DIR/NAME/collection.json       the request that created the collection
    DIR/NAME/live                  the name of the live shard's folder: a collection is there
                                   from the moment this file is, until it is removed
    DIR/NAME/erasing               there while the shard's files hold what was deleted
    DIR/NAME/1, 2, ...             the shard; a later number once it has been optimised

Whatever `live` does not name is the leftover of a crash, and is removed at the next start.
"""

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

import grpc
import qdrant_edge as edge
from google.protobuf import json_format
from qdrant_client import grpc as q

from deploy.embedded import (
    StartError,
    claim_folder,
    signal_on_parent_death,
    sync_folder,
)
from deploy.qdrant_node.collection import Collection
from deploy.qdrant_node.configure import edge_config
from deploy.qdrant_node.errors import NodeError, engine, invalid, is_panic

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,254}")
_CREATED = "collection.json"
_LIVE = "live"
_ERASING = "erasing"
_REFUSED, _PANICKED = 1, 2


@dataclass(frozen=True)
class Live:
    """What the `live` file says: the folder of the shard, and its points when last optimised."""

    folder: str
    optimised_points: int = 0


def _write_durably(path: Path, text: str) -> None:
    temporary = path.with_suffix(".new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def _read_live(folder: Path) -> Live:
    return Live(**json.loads((folder / _LIVE).read_text("utf-8")))


def write_live(folder: Path, live: Live) -> None:
    """Make another shard folder the live one, in one step."""
    _write_durably(folder / _LIVE, json.dumps(asdict(live)))


def note_erasing(folder: Path) -> None:
    """Remember beyond a crash that files below `folder` hold what was deleted."""
    if not (folder / _ERASING).exists():
        _write_durably(folder / _ERASING, "")


def is_erasing(folder: Path) -> bool:
    return (folder / _ERASING).exists()


def end_erasing(folder: Path) -> None:
    (folder / _ERASING).unlink(missing_ok=True)


def read_created(folder: Path) -> q.CreateCollection:
    """Return the request that created the collection in `folder`."""
    created: q.CreateCollection = json_format.Parse(
        (folder / _CREATED).read_text("utf-8"), q.CreateCollection()
    )
    return created


def _require_segments(shard_folder: Path) -> None:
    # The engine would open a shard without segments as an empty one.
    if not any((shard_folder / "segments").iterdir()):
        raise StartError("its segments are gone")


def _try_to_open(shard_folder: Path, created: q.CreateCollection) -> None:
    """Open a shard in a child first: a damaged one may end the process that opens it.

    Raises StartError for one that does. What it only refuses is left to the caller to find.
    """
    node, child = os.getpid(), os.fork()
    if child == 0:
        _open_and_exit(shard_folder, created, node)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == _PANICKED:
        raise StartError("its files are damaged")


def _open_and_exit(shard_folder: Path, created: q.CreateCollection, node: int) -> NoReturn:
    # It holds the claim on the folder too: left behind, it would keep the next node out.
    signal_on_parent_death(signal.SIGKILL)
    # The node may have died before the call above.
    if os.getppid() != node:
        os._exit(_REFUSED)
    # The engine writes a trace of its own, of many lines.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    status = 0
    try:
        edge.EdgeShard.load(str(shard_folder), edge_config(created)).close()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it ends here
        status = _PANICKED if is_panic(error) else _REFUSED
    finally:
        os._exit(status)


class Store:
    """All collections of one folder; nobody else may open it meanwhile."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._claim = claim_folder(folder, "quoth-qdrant")
        self.collections: dict[str, Collection] = {}

    def open(self) -> None:
        kept = []
        for folder in sorted(path for path in self.folder.iterdir() if path.is_dir()):
            if (folder / _LIVE).exists():
                kept.append(folder)
            else:
                shutil.rmtree(folder)
        # All are tried before one is opened: threads of the engine's would be missing in a child.
        readable = [(folder, *self._try(folder)) for folder in kept]
        for folder, live, created in readable:
            self.collections[folder.name] = self._open_collection(folder, live, created)

    def _try(self, folder: Path) -> tuple[Live, q.CreateCollection]:
        with self._named_in_errors(folder):
            live = _read_live(folder)
            created = read_created(folder)
            _require_segments(folder / live.folder)
            self._remove_leftovers(folder, live)
            _try_to_open(folder / live.folder, created)
            return live, created

    def _open_collection(self, folder: Path, live: Live, created: q.CreateCollection) -> Collection:
        shard_folder = folder / live.folder
        with self._named_in_errors(folder):
            shard = engine(edge.EdgeShard.load, str(shard_folder), edge_config(created))
        return Collection(folder.name, created, shard, shard_folder, live.optimised_points)

    @contextmanager
    def _named_in_errors(self, folder: Path) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, TypeError, NodeError, StartError, json_format.Error) as error:
            reason = " ".join(str(error).split())
            raise StartError(
                f"collection `{folder.name}` in {self.folder} cannot be opened: {reason}; "
                "move that folder away and ingest the books again"
            ) from error

    def _remove_leftovers(self, folder: Path, live: Live) -> None:
        for path in folder.iterdir():
            if path.name in {_LIVE, _CREATED, _ERASING, live.folder}:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def get(self, name: str) -> Collection:
        if name not in self.collections:
            raise NodeError(
                grpc.StatusCode.NOT_FOUND, f"Not found: Collection `{name}` doesn't exist!"
            )
        return self.collections[name]

    def create(self, message: q.CreateCollection) -> None:
        name = message.collection_name
        if not _NAME.fullmatch(name):
            raise invalid(
                f"collection name `{name}`: use 1 to 255 of A-Z a-z 0-9 _ . - "
                "and no dot at the start"
            )
        if name in self.collections:
            raise NodeError(
                grpc.StatusCode.ALREADY_EXISTS,
                f"Wrong input: Collection `{name}` already exists!",
            )
        config = edge_config(message)
        folder = self.folder / name
        # What a failed attempt may have left.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        _write_durably(folder / _CREATED, json_format.MessageToJson(message))
        shard = engine(edge.EdgeShard.create, str(folder / "1"), config)
        engine(shard.flush)
        write_live(folder, Live("1"))
        sync_folder(self.folder)
        self.collections[name] = Collection(name, message, shard, folder / "1")

    def remove(self, name: str) -> None:
        collection = self.collections.pop(name)
        folder = self.folder / name
        (folder / _LIVE).unlink()
        sync_folder(folder)
        collection.close()
        shutil.rmtree(folder)

    def close(self) -> None:
        for collection in self.collections.values():
            collection.flush()
            collection.close()
        self._claim.close()
