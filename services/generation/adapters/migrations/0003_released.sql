-- Sentences that a reader may have seen before their answer was whole. A row of audit_opened is the
-- audit row as it will stand if nobody completes it, with the first of them; audit_released has those
-- that followed. Both are emptied once the row stands in audit_logs.
ALTER TABLE audit_logs ADD COLUMN taken_back jsonb NOT NULL DEFAULT '[]';

CREATE TABLE audit_opened (
    LIKE audit_logs INCLUDING DEFAULTS,
    -- Not the writer's clock: how old a row is must not depend on who asks.
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (log_id)
);
CREATE INDEX audit_opened_opened_at ON audit_opened (opened_at);

CREATE TABLE audit_released (
    log_id    uuid    NOT NULL REFERENCES audit_opened ON DELETE CASCADE,
    -- How many sentences were released before these.
    position  integer NOT NULL CHECK (position > 0),
    text      text    NOT NULL,
    sentences jsonb   NOT NULL,
    citations jsonb   NOT NULL,
    PRIMARY KEY (log_id, position)
);

-- Rows are added and never changed, whoever asks. A month leaves whole, with its partition.
CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION audit_refuse_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM audit_logs WHERE log_id = OLD.log_id AND timestamp = OLD.timestamp
    ) THEN
        RAISE EXCEPTION 'the audit row of % is not closed', OLD.log_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE FUNCTION audit_refuse_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM audit_opened WHERE log_id = OLD.log_id) THEN
        RAISE EXCEPTION 'sentences of % leave with its row only', OLD.log_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER audit_logs_unchanged BEFORE UPDATE OR DELETE ON audit_logs
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_logs_whole BEFORE TRUNCATE ON audit_logs
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_opened_unchanged BEFORE UPDATE ON audit_opened
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_opened_kept BEFORE DELETE ON audit_opened
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_loss();
CREATE TRIGGER audit_opened_whole BEFORE TRUNCATE ON audit_opened
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_released_unchanged BEFORE UPDATE ON audit_released
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_released_kept BEFORE DELETE ON audit_released
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_part();
CREATE TRIGGER audit_released_whole BEFORE TRUNCATE ON audit_released
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
