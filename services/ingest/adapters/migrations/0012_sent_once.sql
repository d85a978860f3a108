-- Sources that a client marks so that they are taken once: which job each became.
CREATE TABLE sent_once (
    client_id   text        NOT NULL,
    request_key text        NOT NULL,
    fingerprint bytea       NOT NULL,
    job_id      uuid        NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
    held_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (client_id, request_key)
);
CREATE INDEX sent_once_held_at ON sent_once (held_at);
CREATE INDEX sent_once_job ON sent_once (job_id);
