-- Why each edition was made, from what, and what became of its documents; jobs that delete or only look.

ALTER TABLE editions
    ADD COLUMN reasons       text[] NOT NULL DEFAULT '{}',
    ADD COLUMN recipe        jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN report        jsonb,
    ADD COLUMN superseded_at timestamptz;

ALTER TABLE jobs
    ADD COLUMN kind     text NOT NULL DEFAULT 'ingest'
               CHECK (kind IN ('ingest', 'dry_run', 'delete_book', 'delete_document')),
    ADD COLUMN document varchar(512) NOT NULL DEFAULT '',
    ADD COLUMN report   jsonb,
    DROP CONSTRAINT jobs_state_check,
    ADD CONSTRAINT jobs_state_check CHECK (
        state IN ('queued', 'running', 'published', 'failed', 'cancelled', 'checked'));
