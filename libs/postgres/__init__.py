"""PostgreSQL: the pool, the schema's migrations, and errors in our own words."""

from libs.postgres.pool import (
    SERVICE_ROLE,
    Connection,
    connect,
    list_migrations,
    migrate,
    open_pool,
    read_scripts,
    translated_errors,
)
from libs.postgres.watch import watch_postgres

__all__ = [
    "SERVICE_ROLE",
    "Connection",
    "connect",
    "list_migrations",
    "migrate",
    "open_pool",
    "read_scripts",
    "translated_errors",
    "watch_postgres",
]
