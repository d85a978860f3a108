"""Where answers are kept: the audit log and sessions in PostgreSQL, the months put away as files."""
