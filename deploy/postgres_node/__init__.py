"""Serve PostgreSQL from a package on a unix socket: `python -m deploy.postgres_node --data DIR`.

A small supervisor: it makes the cluster at the first start, starts `postgres`, says `ready` with the
DSN, and stays until it is told to stop. Run by root, PostgreSQL runs as the user `nobody`, from a copy
under /tmp that all copies of the same build share, with the cluster passed as an open folder.

    DIR/.quoth-postgres     the lock and the mark of the node
    DIR/cluster             the cluster: there once it is whole
    DIR/postgres.log        what the server had to say

Reading order: `__main__` (start, serve, stop), `cluster` (made once, and who may enter), `predecessor`
(what a killed node has left running), `programs` (where PostgreSQL is), `account` (whose it becomes).
"""
