"""Where the scripts of generation's tables lie."""

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
