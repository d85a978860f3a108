"""Serve Qdrant's gRPC API from its embedded engine, `qdrant-edge-py`.

One process owns the folder and one shard per collection, so that several services can share an
engine that only one process may open. In production a Qdrant server takes its place; the callers,
who use `AsyncQdrantClient` over gRPC, do not notice. What the node does not do, it refuses with
UNIMPLEMENTED: no option of a request is ignored.

Reading order: `points` and `collections` (the API), `wire`, `filters`, `queries` (its messages in
the engine's terms), `collection` (one shard: order, durability), `store` (the folder),
`optimise` (HNSW in a child process, blue/green), `server` and `__main__`.
"""
