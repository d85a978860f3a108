-- Conversations that the service keeps: of a client, with a book, until nobody asks for 30 minutes.
-- An exchange is added to `messages` as a whole, by the statement that stores its audit row.
CREATE TABLE sessions (
    session_id uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    client_id  text        NOT NULL,
    book       text        NOT NULL,
    messages   jsonb       NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '30 minutes'
);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

ALTER TABLE audit_logs ADD COLUMN session_id uuid;
ALTER TABLE audit_opened ADD COLUMN session_id uuid;
CREATE INDEX audit_logs_session_id ON audit_logs (session_id) WHERE session_id IS NOT NULL;
