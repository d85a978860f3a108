-- The documents of a job under way, each leased to one replica at a time, and what came of them.
-- An ended job leaves only those that may still be written for: the next job of the book waits.

ALTER TABLE jobs
    ADD COLUMN offer jsonb;

CREATE TABLE job_documents (
    job_id         uuid NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
    path           varchar(512) NOT NULL,
    position       integer NOT NULL,
    size           bigint NOT NULL,
    state          text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
    failure        text NOT NULL DEFAULT '',
    owner          bigint NOT NULL DEFAULT 0,
    token          bigint NOT NULL DEFAULT 0,
    attempts       integer NOT NULL DEFAULT 0,
    lease_until    timestamptz,
    title          text NOT NULL DEFAULT '',
    chunks         integer NOT NULL DEFAULT 0,
    chunks_new     integer NOT NULL DEFAULT 0,
    chunks_removed integer NOT NULL DEFAULT 0,
    vectors_new    integer NOT NULL DEFAULT 0,
    tokens         bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (job_id, path)
);
CREATE INDEX idx_waiting_documents ON job_documents (job_id, position) WHERE state = 'waiting';
