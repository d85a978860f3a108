-- What reviewers make of answers, the last word on each. Beside the record, whose rows never change.
CREATE TABLE answer_grades (
    answer_id   uuid        PRIMARY KEY,
    grade       text        NOT NULL
        CHECK (grade IN ('right', 'wrong', 'should_have_refused', 'should_have_answered')),
    note        text        NOT NULL,
    document    text        NOT NULL,
    quote       text        NOT NULL,
    client_id   text        NOT NULL,
    create_time timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A note and a quotation are of the answer: they go when it is erased.
CREATE FUNCTION audit_forget_grade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM answer_grades WHERE answer_id = NEW.log_id;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_logs_ungraded AFTER UPDATE ON audit_logs
    FOR EACH ROW WHEN (NEW.erasure_id IS NOT NULL) EXECUTE FUNCTION audit_forget_grade();
