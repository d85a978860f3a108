"""PostgreSQL: the pool, the schema's migrations, and errors in our own words."""

from libs.postgres.pool import open_pool, translated_errors

__all__ = ["open_pool", "translated_errors"]
