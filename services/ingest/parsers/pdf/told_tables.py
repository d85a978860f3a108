"""Choose between a table that its numbers show and one that a header in bold tells."""

from collections.abc import Sequence

from services.ingest.parsers.pdf.cells import Table, pieces_of
from services.ingest.parsers.pdf.line import Sign
from services.ingest.parsers.pdf.number_tables import overlap


def without_told(
    counted: Sequence[Table], told: Sequence[Table], runs: Sequence[Sequence[Sign]]
) -> list[Table]:
    """Return tables of numbers but for those that are told, with as many rows and all of the header."""
    return [
        table
        for table in counted
        if not any(
            overlap(table, one)
            and len(one.rows) >= len(table.rows)
            and not _has_names_over(table, one.rows[0], runs)
            for one in told
        )
    ]


def _has_names_over(table: Table, top: float, runs: Sequence[Sequence[Sign]]) -> bool:
    """Whether all columns of a table but the first have names, and several begin above a height."""
    names = [piece for piece in pieces_of(table, runs) if not piece.band]
    are_all = {piece.column for piece in names} >= {*range(1, len(table.columns) - 1)}
    return are_all and len({piece.column for piece in names if piece.middle > top}) > 1
