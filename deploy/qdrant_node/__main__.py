"""`python -m deploy.qdrant_node --data DIR --port N`: one embedded Qdrant node."""

import argparse
import asyncio
import importlib.util
import logging
import os
import sys
import types
from pathlib import Path

from deploy.embedded import StartError, fail, follow_parent

OPTIMISE_AT = 20_000
"""Points of a collection from which on HNSW graphs are built, unless told otherwise."""

API_KEY_VARIABLE = "QUOTH_QDRANT_API_KEY"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="qdrant node", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the collections")
    parser.add_argument("--port", type=int, required=True, help="on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--parent-pid", type=int, help="end when this parent process does")
    parser.add_argument(
        "--optimise-at",
        type=int,
        default=OPTIMISE_AT,
        metavar="POINTS",
        help="build HNSW graphs when a collection has so many (default %(default)s)",
    )
    return parser.parse_args()


def leave_out_client() -> None:
    """Let `qdrant_client.grpc` be imported without the rest of qdrant_client.

    The node needs the messages only; the client in front of them is a second and 65 MB.
    """
    spec = importlib.util.find_spec("qdrant_client")
    if spec is None or spec.submodule_search_locations is None:
        raise StartError("the package qdrant-client is not installed")
    shell = types.ModuleType("qdrant_client")
    shell.__path__ = spec.submodule_search_locations
    sys.modules["qdrant_client"] = shell


def run(options: argparse.Namespace) -> None:
    if options.parent_pid is not None:
        follow_parent(options.parent_pid)
    leave_out_client()
    from deploy.qdrant_node.server import serve  # noqa: PLC0415 - only now without the client
    from deploy.qdrant_node.store import Store  # noqa: PLC0415 - as above

    store = Store(options.data.absolute())
    try:
        store.open()
        asyncio.run(
            serve(
                store,
                port=options.port,
                api_key=os.environ.get(API_KEY_VARIABLE),
                optimise_at=options.optimise_at,
            )
        )
    finally:
        store.close()


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="qdrant node: %(message)s")
    try:
        run(arguments())
    except StartError as error:
        fail("qdrant node", error)


if __name__ == "__main__":
    main()
