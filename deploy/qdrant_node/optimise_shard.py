"""`python -m deploy.qdrant_node.optimise_shard FOLDER PARENT [erase]`: build a shard's HNSW graphs.

With `erase` its files are written anew first, without what was deleted. A process of its own,
because the engine holds the interpreter's lock all the while.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

import qdrant_edge as edge

from deploy.embedded import signal_on_parent_death
from deploy.qdrant_node.configure import edge_config
from deploy.qdrant_node.store import read_created

_MARK = "_quoth_newest"
"""A key of one point's payload while files are written anew."""
_LOOK_EVERY = 16
_MOST_WRITES = 1 << 26


def main() -> None:
    folder, parent, *mode = sys.argv[1:]
    # What is killed half way is thrown away, so there is nothing to close in good order.
    signal_on_parent_death(signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("the node is gone")
    os.nice(10)
    if mode == ["erase"]:
        _erase(Path(folder))
    shard = edge.EdgeShard.load(folder)
    shard.optimize()
    shard.close()


def _erase(folder: Path) -> None:
    """Leave in the files of a flushed shard nothing of what was deleted from it."""
    created = read_created(folder.parent)
    config = edge_config(created)
    newest = _touch_one(folder)
    # All that the log says is in the segments: the shard was flushed before it was copied.
    shutil.rmtree(folder / "wal")
    created.optimizers_config.deleted_threshold = sys.float_info.epsilon
    created.optimizers_config.vacuum_min_vector_number = 1
    shard = edge.EdgeShard.load(str(folder), edge_config(created))
    shard.optimize()
    if newest is not None:
        _number_on(shard, newest)
    shard.flush()
    shard.close()
    # The shard remembers what it was last opened with.
    edge.EdgeShard.load(str(folder), config).close()


def _touch_one(folder: Path) -> "edge.PointId | None":
    """Write to one point, so that none has a newer version; return its id, None without points."""
    shard = edge.EdgeShard.load(str(folder))
    points, _ = shard.scroll(edge.ScrollRequest(limit=1))
    found = points[0].id if points else None
    if found is not None:
        shard.update(edge.UpdateOperation.set_payload([found], {_MARK: 0}))
        shard.flush()
    shard.close()
    return found


def _number_on(shard: edge.EdgeShard, newest: "edge.PointId") -> None:
    """Bring a shard's number of writes past all that its points have seen.

    Writes are numbered by the log. The engine takes a write for an old one, and passes over it without
    a word, where a point has seen a higher number; with an empty log they begin anew.
    """
    for number in range(1, _MOST_WRITES):
        shard.update(edge.UpdateOperation.set_payload([newest], {_MARK: number}))
        if number % _LOOK_EVERY:
            continue
        (point,) = shard.retrieve([newest], True, False)
        if point.payload and point.payload.get(_MARK):
            shard.update(edge.UpdateOperation.delete_payload([newest], [_MARK]))
            return
    raise RuntimeError("the engine takes no more writes")


if __name__ == "__main__":
    main()
