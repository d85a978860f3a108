-- Jobs that make no edition: they show one that is kept, compare two, or delete the others.
-- Each kind goes on beside what makes the book's next edition; two of a kind never do.

ALTER TABLE jobs
    ADD COLUMN arguments jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN result    jsonb,
    DROP CONSTRAINT jobs_kind_check,
    ADD CONSTRAINT jobs_kind_check CHECK (
        kind IN ('ingest', 'dry_run', 'delete_book', 'delete_document', 'roll_back', 'compare', 'vacuum')),
    DROP CONSTRAINT jobs_state_check,
    ADD CONSTRAINT jobs_state_check CHECK (
        state IN ('queued', 'running', 'published', 'failed', 'cancelled', 'checked', 'done'));

DROP INDEX idx_one_running_job;
CREATE UNIQUE INDEX idx_one_running_job ON jobs
    (book, (CASE WHEN kind IN ('roll_back', 'compare', 'vacuum') THEN kind ELSE 'ingest' END))
    WHERE state = 'running';
