"""Where the scripts of generation's tables lie, and how long work on whole tables may take."""

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"
LONG_S = 3600.0
