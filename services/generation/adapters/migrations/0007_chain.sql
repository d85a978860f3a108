-- Every row has a hash, and every day of rows a digest that holds that of the day before: whoever changes,
-- adds or removes a row after the fact breaks the chain. A row's hash is of its skeleton (when, which
-- answer of which book, how it ended) and of a salted hash of the rest, so that the rest can be erased
-- while the chain still holds, and nobody finds an erased question by hashing guesses.
ALTER TABLE audit_logs
    ADD COLUMN chain_day date,
    ADD COLUMN salt bytea,
    ADD COLUMN content_hash bytea,
    ADD COLUMN row_hash bytea;

CREATE TABLE audit_days (
    day       date        PRIMARY KEY,
    row_count bigint      NOT NULL,
    -- Of the hashes of the day's rows, in the order of the hashes.
    rows_hash bytea       NOT NULL,
    -- The digest of the sealed day before; empty for the first.
    previous  bytea       NOT NULL,
    digest    bytea       NOT NULL,
    sealed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER audit_days_unchanged BEFORE UPDATE OR DELETE ON audit_days
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_days_whole BEFORE TRUNCATE ON audit_days
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();

-- A value with its name and length, so that no two rows write the same text. One that is not there writes
-- nothing: a column that is added later, without a value in earlier rows, leaves their hashes alone.
CREATE FUNCTION audit_field(name text, value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(name || ':' || length(value) || ':' || value || ';', '')
$$;

CREATE FUNCTION audit_content_hash(kept audit_logs) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(kept.salt || convert_to(concat(
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
        audit_field('user_query_text', kept.user_query_text)
    ), 'UTF8'))
$$;

-- Numbers by their bits and moments in microseconds, as no setting of a session writes them otherwise.
CREATE FUNCTION audit_row_hash(kept audit_logs) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(concat(
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
    ), 'UTF8') || kept.content_hash)
$$;

CREATE FUNCTION audit_day_digest(previous bytea, day date, row_count bigint, rows_hash bytea)
RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(previous || convert_to(concat(
        audit_field('day', to_char(day, 'YYYY-MM-DD')),
        audit_field('row_count', row_count::text)
    ), 'UTF8') || rows_hash)
$$;

-- Whatever is sent for them, the chain's columns are the database's own. A row belongs to the day that it
-- is written on by the database's clock: one that is late belongs to no day that is sealed.
CREATE FUNCTION audit_chain_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kept audit_logs;
BEGIN
    NEW.chain_day := greatest(
        (clock_timestamp() AT TIME ZONE 'UTC')::date, (SELECT max(day) + 1 FROM audit_days)
    );
    NEW.salt := uuid_send(gen_random_uuid());
    kept := NEW;
    NEW.content_hash := audit_content_hash(kept);
    kept.content_hash := NEW.content_hash;
    NEW.row_hash := audit_row_hash(kept);
    RETURN NEW;
END $$;

-- Rows of before are of the day of their timestamp.
ALTER TABLE audit_logs DISABLE TRIGGER audit_logs_unchanged;
UPDATE audit_logs
SET chain_day = (timestamp AT TIME ZONE 'UTC')::date, salt = uuid_send(gen_random_uuid());
UPDATE audit_logs AS kept SET content_hash = audit_content_hash(kept);
UPDATE audit_logs AS kept SET row_hash = audit_row_hash(kept);
ALTER TABLE audit_logs ENABLE TRIGGER audit_logs_unchanged;

ALTER TABLE audit_logs
    ALTER COLUMN chain_day SET NOT NULL,
    ALTER COLUMN salt SET NOT NULL,
    ALTER COLUMN content_hash SET NOT NULL,
    ALTER COLUMN row_hash SET NOT NULL;
CREATE TRIGGER audit_logs_chained BEFORE INSERT ON audit_logs
    FOR EACH ROW EXECUTE FUNCTION audit_chain_row();
-- Days come in the order of the rows: the smallest index finds them.
CREATE INDEX audit_logs_chain_day ON audit_logs USING brin (chain_day);

-- What only the owner of the tables may do, done for those who may not: see grants.sql.

CREATE FUNCTION audit_make_month(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF audit_logs FOR VALUES FROM (%L) TO (%L)',
        'audit_logs_' || to_char(month, 'YYYY_MM'),
        to_char(month, 'YYYY-MM-01 00:00+00'),
        to_char(month + interval '1 month', 'YYYY-MM-01 00:00+00')
    );
END $$;

-- Waits for the rows that are being written, so that none comes to a day that is over by now.
CREATE FUNCTION audit_settle() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    LOCK TABLE audit_logs IN SHARE MODE;
END $$;

-- Seals the days before `today` that have rows and are not sealed yet; returns them.
CREATE FUNCTION audit_seal(today date) RETURNS SETOF audit_days
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    sealed audit_days;
BEGIN
    FOR sealed.day, sealed.row_count, sealed.rows_hash IN
        SELECT chain_day, count(*), sha256(string_agg(hash, ''::bytea ORDER BY hash))
        FROM (
            SELECT chain_day, audit_row_hash(kept) AS hash FROM audit_logs AS kept
            WHERE chain_day < least(today, (clock_timestamp() AT TIME ZONE 'UTC')::date)
                AND chain_day > coalesce((SELECT max(day) FROM audit_days), '-infinity')
        ) AS hashed
        GROUP BY chain_day ORDER BY chain_day
    LOOP
        sealed.previous := coalesce(
            (SELECT digest FROM audit_days ORDER BY day DESC LIMIT 1), ''::bytea
        );
        sealed.digest := audit_day_digest(
            sealed.previous, sealed.day, sealed.row_count, sealed.rows_hash
        );
        sealed.sealed_at := clock_timestamp();
        INSERT INTO audit_days SELECT sealed.*;
        RETURN NEXT sealed;
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION audit_make_month(date), audit_settle(), audit_seal(date) FROM PUBLIC;
