-- Books, their editions, documents and chunks; vectors once computed; jobs until they have ended.
-- Rows of documents and chunks live through the editions born <= N < died; 9007199254740991 is alive.

CREATE TABLE books (
    slug       text PRIMARY KEY CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
    edition    integer NOT NULL DEFAULT 0 CHECK (edition >= 0),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE editions (
    book           text NOT NULL REFERENCES books (slug),
    number         integer NOT NULL CHECK (number >= 1),
    title          text NOT NULL,
    language       text NOT NULL,
    fingerprint    char(64) NOT NULL,
    collection     text NOT NULL,
    document_count integer NOT NULL CHECK (document_count >= 0),
    chunk_count    integer NOT NULL CHECK (chunk_count >= 0),
    published_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (book, number)
);

CREATE TABLE documents (
    id              bigserial PRIMARY KEY,
    book            text NOT NULL REFERENCES books (slug),
    file_path       varchar(512) NOT NULL,
    born            integer NOT NULL CHECK (born >= 1),
    died            bigint NOT NULL DEFAULT 9007199254740991 CHECK (died > born),
    position        integer NOT NULL,
    title           text NOT NULL,
    url             text NOT NULL,
    content_hash    char(64) NOT NULL,
    digest          char(64) NOT NULL,
    last_indexed_at timestamptz NOT NULL DEFAULT now(),
    chunk_count     integer NOT NULL CHECK (chunk_count >= 0),
    length          integer NOT NULL CHECK (length >= 0),
    text            text NOT NULL,
    blocks          jsonb NOT NULL,
    sections        jsonb NOT NULL,
    UNIQUE (book, file_path, born)
);
CREATE INDEX idx_file_path ON documents (file_path);
CREATE INDEX idx_last_indexed ON documents (last_indexed_at DESC);

CREATE TABLE chunks (
    book         text NOT NULL REFERENCES books (slug),
    chunk_id     char(32) NOT NULL,
    born         integer NOT NULL CHECK (born >= 1),
    died         bigint NOT NULL DEFAULT 9007199254740991 CHECK (died > born),
    collection   text NOT NULL,
    file_path    varchar(512) NOT NULL,
    position     bigint NOT NULL,
    start_offset integer NOT NULL CHECK (start_offset >= 0),
    end_offset   integer NOT NULL CHECK (end_offset > start_offset),
    token_count  integer NOT NULL CHECK (token_count >= 0),
    digest       char(64) NOT NULL,
    vector_key   char(64) NOT NULL,
    PRIMARY KEY (book, chunk_id, born)
);
CREATE INDEX idx_alive_chunks ON chunks (book) WHERE died = 9007199254740991;

CREATE TABLE vectors (
    vector_key char(64) PRIMARY KEY,
    vector     bytea NOT NULL
);

CREATE SEQUENCE job_tokens;

CREATE TABLE jobs (
    job_id      uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    place       bigserial NOT NULL,
    book        text NOT NULL,
    title       text NOT NULL,
    language    text NOT NULL,
    profile     text NOT NULL,
    state       text NOT NULL DEFAULT 'queued'
                CHECK (state IN ('queued', 'running', 'published', 'failed')),
    progress    jsonb NOT NULL DEFAULT '{}',
    edition     integer NOT NULL DEFAULT 0,
    error       text NOT NULL DEFAULT '',
    warnings    text[] NOT NULL DEFAULT '{}',
    attempts    integer NOT NULL DEFAULT 0,
    token       bigint NOT NULL DEFAULT 0,
    lease_until timestamptz,
    not_before  timestamptz NOT NULL DEFAULT now(),
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE INDEX idx_open_jobs ON jobs (book, place) WHERE state IN ('queued', 'running');
CREATE UNIQUE INDEX idx_one_running_job ON jobs (book) WHERE state = 'running';

CREATE TABLE job_files (
    job_id uuid NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
    path   varchar(512) NOT NULL,
    bytes  bytea NOT NULL,
    PRIMARY KEY (job_id, path)
);
