-- Keys of clients. A key's secret is nowhere: only its SHA-256, which a random secret needs no more than.
CREATE TABLE client_keys (
    key_id          text        PRIMARY KEY,
    client          text        NOT NULL,
    digest          bytea       NOT NULL CHECK (octet_length(digest) = 32),
    scopes          text[]      NOT NULL,
    books           text[]      NOT NULL,
    rate_per_minute integer     NOT NULL CHECK (rate_per_minute > 0),
    tokens_per_day  bigint      CHECK (tokens_per_day >= 0),
    create_time     timestamptz NOT NULL DEFAULT now(),
    expire_time     timestamptz,
    revoke_time     timestamptz
);

CREATE INDEX client_keys_client ON client_keys (client);

-- Tokens of language models that a client has taken on a day, UTC.
CREATE TABLE client_tokens (
    client text   NOT NULL,
    day    date   NOT NULL,
    tokens bigint NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (client, day)
);
