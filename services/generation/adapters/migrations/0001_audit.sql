-- One row a question, written before its answer is released. Rows are added, never changed.
-- Parted by month, so that old months can be taken away whole; the partitions are made ahead by the
-- writer, and there is no default partition that a late one would collide with.
CREATE TABLE audit_logs (
    log_id                 uuid        NOT NULL,
    query_id               uuid        NOT NULL,
    answer_id              uuid,
    request_id             text        NOT NULL,
    client_id              text        NOT NULL,
    book                   text        NOT NULL,
    edition                integer     NOT NULL,
    profile                text        NOT NULL,
    user_query_text        text        NOT NULL,
    source_mode            varchar(20) NOT NULL CHECK (source_mode IN ('full-book', 'context-restricted')),
    selection              jsonb,
    history                jsonb       NOT NULL,
    retrieval_query        text        NOT NULL,
    chunks_retrieved_count integer     NOT NULL,
    chunks_returned        jsonb       NOT NULL,
    retrieval_latency_ms   real,
    gate                   jsonb,
    llm_prompt             text        NOT NULL,
    llm_response           text        NOT NULL,
    answer_text            text        NOT NULL,
    sentences              jsonb       NOT NULL,
    citations              jsonb       NOT NULL,
    refusal_code           text,
    confidence_score       real,
    degraded               jsonb       NOT NULL,
    timings                jsonb       NOT NULL,
    success                boolean     NOT NULL,
    error_message          text        NOT NULL,
    timestamp              timestamptz NOT NULL,
    PRIMARY KEY (log_id, timestamp)
) PARTITION BY RANGE (timestamp);

CREATE INDEX audit_logs_query_id ON audit_logs (query_id);
CREATE INDEX audit_logs_answer_id ON audit_logs (answer_id);
CREATE INDEX audit_logs_timestamp ON audit_logs (timestamp);
