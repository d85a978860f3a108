-- Whom a client asks for, in the client's own words for its users, and what was erased on their behalf.
ALTER TABLE audit_logs ADD COLUMN user_id text, ADD COLUMN erasure_id uuid;
ALTER TABLE audit_opened ADD COLUMN user_id text;
CREATE INDEX audit_logs_user_id ON audit_logs (user_id) WHERE user_id IS NOT NULL;

-- The fact of an erasure. Whose rows they were is not told, unless they were those of a book.
CREATE TABLE audit_erasures (
    erasure_id uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    made_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    made_by    text        NOT NULL DEFAULT session_user,
    -- By what the rows were chosen: 'user', 'client and user', …
    scope      text        NOT NULL,
    book       text        NOT NULL,
    row_count  bigint      NOT NULL,
    chain_day  date        NOT NULL
);
CREATE INDEX audit_erasures_chain_day ON audit_erasures (chain_day);
CREATE INDEX audit_logs_erasure_id ON audit_logs (erasure_id) WHERE erasure_id IS NOT NULL;

CREATE FUNCTION audit_chain_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.chain_day := greatest(
        (clock_timestamp() AT TIME ZONE 'UTC')::date, (SELECT max(day) + 1 FROM audit_days)
    );
    RETURN NEW;
END $$;
CREATE TRIGGER audit_erasures_chained BEFORE INSERT ON audit_erasures
    FOR EACH ROW EXECUTE FUNCTION audit_chain_erasure();
CREATE TRIGGER audit_erasures_unchanged BEFORE UPDATE OR DELETE ON audit_erasures
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_erasures_whole BEFORE TRUNCATE ON audit_erasures
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();

CREATE OR REPLACE FUNCTION audit_content_hash(kept audit_logs) RETURNS bytea LANGUAGE sql STABLE AS $$
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
        audit_field('user_id', kept.user_id),
        audit_field('user_query_text', kept.user_query_text)
    ), 'UTF8'))
$$;

-- A row as its erasure leaves it: all that its content's hash is of is gone, and the salt with it.
CREATE FUNCTION audit_erased(kept audit_logs, erasure uuid) RETURNS audit_logs
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    kept.answer_body := NULL;
    kept.answer_text := '';
    kept.checks := '{}';
    kept.chunks_returned := '[]';
    kept.citations := '[]';
    kept.client_id := '';
    kept.history := '[]';
    kept.llm_prompt := '';
    kept.llm_response := '';
    kept.request_id := '';
    kept.retrieval_query := '';
    kept.selection := NULL;
    kept.sentences := '[]';
    kept.session_id := NULL;
    kept.taken_back := '[]';
    kept.user_id := NULL;
    kept.user_query_text := '';
    kept.salt := '';
    kept.erasure_id := erasure;
    RETURN kept;
END $$;

-- The one change that a row may have: to be erased, by an erasure that is told.
CREATE FUNCTION audit_refuse_but_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kept audit_logs := OLD;
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.erasure_id IS NULL
        AND to_jsonb(NEW) = to_jsonb(audit_erased(kept, NEW.erasure_id))
        AND EXISTS (SELECT FROM audit_erasures WHERE erasure_id = NEW.erasure_id)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER audit_logs_unchanged ON audit_logs;
CREATE TRIGGER audit_logs_unchanged BEFORE UPDATE OR DELETE ON audit_logs
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_but_erasure();

-- Whether what is kept of a row is what was written, or what its erasure left.
CREATE FUNCTION audit_is_whole(kept audit_logs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN kept.erasure_id IS NULL THEN audit_content_hash(kept) = kept.content_hash
        ELSE to_jsonb(kept) = to_jsonb(audit_erased(kept, kept.erasure_id))
    END
$$;

-- Erasures belong to the day's digest; without any the digest is as it was before there were any.
ALTER TABLE audit_days ADD COLUMN erasures_hash bytea NOT NULL DEFAULT '';

CREATE FUNCTION audit_erasure_hash(made audit_erasures) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(concat(
        audit_field('book', made.book),
        audit_field('chain_day', to_char(made.chain_day, 'YYYY-MM-DD')),
        audit_field('erasure_id', made.erasure_id::text),
        audit_field('made_at', (extract(epoch FROM made.made_at) * 1000000)::bigint::text),
        audit_field('made_by', made.made_by),
        audit_field('row_count', made.row_count::text),
        audit_field('scope', made.scope)
    ), 'UTF8'))
$$;

CREATE FUNCTION audit_erasures_of(sealed date) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT coalesce(sha256(string_agg(hash, ''::bytea ORDER BY hash)), '')
    FROM (
        SELECT audit_erasure_hash(made) AS hash FROM audit_erasures AS made
        WHERE chain_day = sealed
    ) AS hashed
$$;

CREATE OR REPLACE FUNCTION audit_settle() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    LOCK TABLE audit_logs, audit_erasures IN SHARE MODE;
END $$;

-- A day without rows has the hash of nothing.
CREATE OR REPLACE FUNCTION audit_seal(today date) RETURNS SETOF audit_days
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    last date := coalesce((SELECT max(day) FROM audit_days), '-infinity');
    until date := least(today, (clock_timestamp() AT TIME ZONE 'UTC')::date);
    sealed audit_days;
BEGIN
    FOR sealed.day IN
        SELECT chain_day FROM audit_logs WHERE chain_day > last AND chain_day < until
        UNION SELECT chain_day FROM audit_erasures WHERE chain_day > last AND chain_day < until
        ORDER BY 1
    LOOP
        SELECT count(*), sha256(coalesce(string_agg(hash, ''::bytea ORDER BY hash), ''))
        INTO sealed.row_count, sealed.rows_hash
        FROM (
            SELECT audit_row_hash(kept) AS hash FROM audit_logs AS kept
            WHERE chain_day = sealed.day
        ) AS hashed;
        sealed.erasures_hash := audit_erasures_of(sealed.day);
        sealed.previous := coalesce(
            (SELECT digest FROM audit_days ORDER BY day DESC LIMIT 1), ''::bytea
        );
        sealed.digest := audit_day_digest(
            sealed.previous, sealed.day, sealed.row_count, sealed.rows_hash || sealed.erasures_hash
        );
        sealed.sealed_at := clock_timestamp();
        INSERT INTO audit_days SELECT sealed.*;
        RETURN NEXT sealed;
    END LOOP;
END $$;
