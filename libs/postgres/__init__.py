"""PostgreSQL: the pool, the schema's migrations, and errors in our own words."""

from libs.postgres.migrations import (
    SERVICE_ROLE,
    Connection,
    list_migrations,
    migrate,
    read_scripts,
)
from libs.postgres.pool import connect, lend, open_pool, translated_errors
from libs.postgres.refusals import explain_refusal
from libs.postgres.samples import forget_samples
from libs.postgres.watch import watch_postgres

__all__ = [
    "SERVICE_ROLE",
    "Connection",
    "connect",
    "explain_refusal",
    "forget_samples",
    "lend",
    "list_migrations",
    "migrate",
    "open_pool",
    "read_scripts",
    "translated_errors",
    "watch_postgres",
]
