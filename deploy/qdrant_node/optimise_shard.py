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
    # All that the log says is in the segments: the shard was flushed before it was copied.
    shutil.rmtree(folder / "wal")
    created = read_created(folder.parent)
    config = edge_config(created)
    created.optimizers_config.deleted_threshold = sys.float_info.epsilon
    created.optimizers_config.vacuum_min_vector_number = 1
    shard = edge.EdgeShard.load(str(folder), edge_config(created))
    shard.optimize()
    shard.flush()
    shard.close()
    # The shard remembers what it was last opened with.
    edge.EdgeShard.load(str(folder), config).close()


if __name__ == "__main__":
    main()
