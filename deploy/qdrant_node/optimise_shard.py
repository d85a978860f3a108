"""`python -m deploy.qdrant_node.optimise_shard FOLDER PARENT`: build the HNSW graphs of a shard.

A process of its own, because the engine holds the interpreter's lock all the while.
"""

import os
import signal
import sys

import qdrant_edge as edge

from deploy.embedded import signal_on_parent_death


def main() -> None:
    folder, parent = sys.argv[1:]
    # What is killed half way is thrown away, so there is nothing to close in good order.
    signal_on_parent_death(signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("the node is gone")
    os.nice(10)
    shard = edge.EdgeShard.load(folder)
    shard.optimize()
    shard.close()


if __name__ == "__main__":
    main()
