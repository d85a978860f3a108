-- The answer as it was given, for those who read it again by its id: JSON, which nobody looks into here.
ALTER TABLE audit_logs ADD COLUMN answer_body text;
ALTER TABLE audit_opened ADD COLUMN answer_body text;

-- What readers say of answers, the last word of each; the reader of an answer is the client that asked.
CREATE TABLE answer_feedback (
    answer_id   uuid        PRIMARY KEY,
    client_id   text        NOT NULL,
    book        text        NOT NULL,
    rating      text        NOT NULL CHECK (rating IN ('up', 'down')),
    reason      text        NOT NULL,
    comment     text        NOT NULL,
    create_time timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX answer_feedback_book ON answer_feedback (book, create_time);
