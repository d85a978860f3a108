-- When `quoth backup` was last begun, and when the last that became one saw the database. Of this
-- database's own backups: it is in none of them.
CREATE TABLE last_backup (
    alone    boolean     PRIMARY KEY DEFAULT true CHECK (alone),
    tried_at timestamptz NOT NULL,
    taken_at timestamptz
);
