"""The planner's statistics: samples of columns' values, which outlive the rows they are of."""

from collections.abc import Iterable

from libs.postgres.migrations import Connection


async def forget_samples(connection: Connection, tables: Iterable[str], timeout_s: float) -> None:
    """Take the samples of tables anew, and leave no former one in the files of the server."""
    await connection.execute(f"ANALYZE {', '.join(tables)}", timeout=timeout_s)
    await connection.execute("VACUUM (FULL) pg_statistic", timeout=timeout_s)
