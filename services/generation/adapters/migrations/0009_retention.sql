-- PL/pgSQL keeps the plan for the session: in SQL it was made for each row that is written.
CREATE OR REPLACE FUNCTION audit_content_hash(kept audit_logs) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN sha256(kept.salt || convert_to(concat(
        audit_field('answer_body', kept.answer_body),
        audit_field('answer_text', kept.answer_text),
        audit_field('checks', kept.checks::text),
        audit_field('chunks_returned', kept.chunks_returned::text),
        audit_field('citations', kept.citations::text),
        audit_field('client_id', kept.client_id),
        audit_field('history', kept.history::text),
        audit_field('llm_prompt', kept.llm_prompt),
        audit_field('llm_response', kept.llm_response),
        audit_field('request_id', kept.request_id),
        audit_field('retrieval_query', kept.retrieval_query),
        audit_field('selection', kept.selection::text),
        audit_field('sentences', kept.sentences::text),
        audit_field('session_id', kept.session_id::text),
        audit_field('taken_back', kept.taken_back::text),
        audit_field('user_id', kept.user_id),
        audit_field('user_query_text', kept.user_query_text)
    ), 'UTF8'));
END $$;
CREATE OR REPLACE FUNCTION audit_row_hash(kept audit_logs) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN sha256(convert_to(concat(
        audit_field('answer_id', kept.answer_id::text),
        audit_field('book', kept.book),
        audit_field('chain_day', to_char(kept.chain_day, 'YYYY-MM-DD')),
        audit_field('chunks_retrieved_count', kept.chunks_retrieved_count::text),
        audit_field('confidence_score', encode(float4send(kept.confidence_score), 'hex')),
        audit_field('degraded', kept.degraded::text),
        audit_field('edition', kept.edition::text),
        audit_field('error_message', kept.error_message),
        audit_field('gate', kept.gate::text),
        audit_field('log_id', kept.log_id::text),
        audit_field('model_use', kept.model_use::text),
        audit_field('profile', kept.profile),
        audit_field('query_id', kept.query_id::text),
        audit_field('refusal_code', kept.refusal_code),
        audit_field('retrieval_latency_ms', encode(float4send(kept.retrieval_latency_ms), 'hex')),
        audit_field('source_mode', kept.source_mode),
        audit_field('success', kept.success::text),
        audit_field('timestamp', (extract(epoch FROM kept.timestamp) * 1000000)::bigint::text),
        audit_field('timings', kept.timings::text)
    ), 'UTF8') || kept.content_hash);
END $$;

-- Rows come by the table itself, whatever looks after its partitions meanwhile.
CREATE OR REPLACE FUNCTION audit_settle() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    LOCK TABLE ONLY audit_logs, ONLY audit_erasures IN SHARE MODE;
END $$;

-- Rows grow old: hot ones are audit_logs; warm ones have their summary in columns and all of them compressed
-- in one; what is older is in files that audit_archives tells of.
CREATE TABLE audit_warm (
    log_id           uuid        NOT NULL,
    query_id         uuid        NOT NULL,
    answer_id        uuid,
    client_id        text        NOT NULL,
    session_id       uuid,
    user_id          text,
    book             text        NOT NULL,
    edition          integer     NOT NULL,
    profile          text        NOT NULL,
    refusal_code     text,
    confidence_score real,
    success          boolean     NOT NULL,
    error_message    text        NOT NULL,
    timestamp        timestamptz NOT NULL,
    chain_day        date        NOT NULL,
    erasure_id       uuid,
    kept             jsonb       NOT NULL,
    PRIMARY KEY (log_id, timestamp)
) PARTITION BY RANGE (timestamp);
CREATE INDEX audit_warm_query_id ON audit_warm (query_id);
CREATE INDEX audit_warm_answer_id ON audit_warm (answer_id);
CREATE INDEX audit_warm_timestamp ON audit_warm (timestamp);
CREATE INDEX audit_warm_session_id ON audit_warm (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX audit_warm_user_id ON audit_warm (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE audit_archives (
    -- Name of the file in the archive; an erasure writes a new one.
    name      text        PRIMARY KEY,
    month     date        NOT NULL,
    row_count bigint      NOT NULL,
    -- Of the hashes of its rows, in their order.
    rows_hash bytea       NOT NULL,
    file_hash bytea       NOT NULL,
    size      bigint      NOT NULL,
    made_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION audit_summary(kept audit_logs) RETURNS audit_warm LANGUAGE sql STABLE AS $$
    SELECT jsonb_populate_record(
        NULL::audit_warm, to_jsonb(kept) || jsonb_build_object('kept', to_jsonb(kept))
    )
$$;
CREATE FUNCTION audit_unpacked(packed audit_warm) RETURNS audit_logs LANGUAGE sql STABLE AS $$
    SELECT jsonb_populate_record(NULL::audit_logs, packed.kept)
$$;

-- All rows that are in the database. The keys are those of the summary, which has indexes.
CREATE VIEW audit_rows AS
SELECT log_id, answer_id, query_id, client_id, session_id, user_id, book, timestamp, chain_day,
    erasure_id, success, answer_body, false AS is_warm, logs AS kept
FROM audit_logs AS logs
UNION ALL
SELECT warm.log_id, warm.answer_id, warm.query_id, warm.client_id, warm.session_id, warm.user_id,
    warm.book, warm.timestamp, warm.chain_day, warm.erasure_id, warm.success,
    warm.kept ->> 'answer_body', true, audit_unpacked(warm)
FROM audit_warm AS warm;

CREATE FUNCTION audit_refuse_warm() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    packed audit_warm := OLD;
    written audit_logs;
    erased audit_logs;
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.erasure_id IS NULL THEN
        written := audit_unpacked(packed);
        erased := audit_erased(written, NEW.erasure_id);
        IF to_jsonb(NEW) = to_jsonb(audit_summary(erased))
            AND EXISTS (SELECT FROM audit_erasures WHERE erasure_id = NEW.erasure_id)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_warm_unchanged BEFORE UPDATE OR DELETE ON audit_warm
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_warm();
CREATE TRIGGER audit_warm_whole BEFORE TRUNCATE ON audit_warm
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();

-- The months whose rows are in a table, by their partitions' names.
CREATE FUNCTION audit_months(parent regclass) RETURNS SETOF date LANGUAGE sql STABLE AS $$
    SELECT to_date(right(relname, 7), 'YYYY_MM')
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = parent ORDER BY 1
$$;

-- Refuses what is not over, or not sealed: later nothing may come to it.
CREATE FUNCTION audit_require_old(part text, month date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    waits boolean;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I WHERE chain_day > coalesce((SELECT max(day) FROM audit_days), %L))',
        part, '-infinity'
    ) INTO waits;
    IF waits OR date_trunc('month', month) + interval '1 month' > (clock_timestamp() AT TIME ZONE 'UTC')
    THEN
        RAISE EXCEPTION 'rows of % are not sealed yet', part USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;

-- Packs a month of audit_logs into audit_warm; returns how many rows. A month without any just goes.
CREATE FUNCTION audit_cool_month(month date) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    hot text := 'audit_logs_' || to_char(month, 'YYYY_MM');
    warm text := 'audit_warm_' || to_char(month, 'YYYY_MM');
    before bytea;
    after bytea;
    total bigint;
BEGIN
    PERFORM audit_require_old(hot, month);
    EXECUTE format('SELECT count(*) FROM (SELECT FROM %I LIMIT 1) AS any_row', hot) INTO total;
    IF total = 0 THEN
        EXECUTE format('DROP TABLE %I', hot);
        RETURN 0;
    END IF;
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF audit_warm FOR VALUES FROM (%L) TO (%L)', warm,
        to_char(month, 'YYYY-MM-01 00:00+00'), to_char(month + interval '1 month', 'YYYY-MM-01 00:00+00')
    );
    EXECUTE format(
        'INSERT INTO audit_warm SELECT summary.* FROM audit_logs AS kept '
        'CROSS JOIN LATERAL audit_summary(kept) AS summary '
        'WHERE kept.timestamp >= %L AND kept.timestamp < %L',
        to_char(month, 'YYYY-MM-01 00:00+00'), to_char(month + interval '1 month', 'YYYY-MM-01 00:00+00')
    );
    EXECUTE format('SELECT sha256(coalesce(string_agg(row_hash, %L ORDER BY row_hash), %L)) FROM %I', '', '', hot)
    INTO before;
    EXECUTE format(
        'SELECT count(*), sha256(coalesce(string_agg(hash, %L ORDER BY hash), %L)) FROM ('
        'SELECT audit_row_hash(audit_unpacked(warm)) AS hash FROM audit_warm AS warm JOIN %I AS hot '
        'USING (log_id, timestamp)) AS hashed', '', '', hot
    ) INTO total, after;
    IF before <> after THEN
        RAISE EXCEPTION 'the rows of % are not those of %', warm, hot;
    END IF;
    -- Readers of the month are waited for before answers have to wait.
    PERFORM set_config('lock_timeout', '3s', true);
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', hot);
    PERFORM set_config('lock_timeout', '200ms', true);
    EXECUTE format('DROP TABLE %I', hot);
    RETURN total;
END $$;

-- Notes a file that has the rows of a month of audit_warm, and lets the month go.
CREATE FUNCTION audit_drop_month(archived audit_archives) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    warm text := 'audit_warm_' || to_char(archived.month, 'YYYY_MM');
    rows_hash bytea;
    total bigint;
BEGIN
    PERFORM audit_require_old(warm, archived.month);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', warm);
    EXECUTE format(
        'SELECT count(*), sha256(coalesce(string_agg(hash, %L ORDER BY hash), %L)) FROM ('
        'SELECT decode(substr(kept ->> ''row_hash'', 3), ''hex'') AS hash FROM %I) AS hashed',
        '', '', warm
    ) INTO total, rows_hash;
    IF total <> archived.row_count OR rows_hash <> archived.rows_hash THEN
        RAISE EXCEPTION 'the file % has not the rows of %', archived.name, warm
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    INSERT INTO audit_archives SELECT archived.*;
    EXECUTE format('DROP TABLE %I', warm);
END $$;
REVOKE ALL ON FUNCTION audit_cool_month(date), audit_drop_month(audit_archives) FROM PUBLIC;
