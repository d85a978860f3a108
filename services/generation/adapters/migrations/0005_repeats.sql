-- Requests that a client marks so that they are answered once: which answer is theirs.
CREATE TABLE asked_once (
    client_id   text        NOT NULL,
    request_key text        NOT NULL,
    fingerprint bytea       NOT NULL,
    answer_id   uuid        NOT NULL,
    held_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (client_id, request_key)
);
CREATE INDEX asked_once_held_at ON asked_once (held_at);
