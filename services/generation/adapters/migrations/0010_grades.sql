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
