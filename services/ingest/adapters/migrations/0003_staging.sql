-- Editions are staged part by part: rows of an edition that is not published yet are seen by nobody.
-- What a document was made from tells whether it has to be read again; its report stays with it.

ALTER TABLE documents
    ADD COLUMN made_from char(64) NOT NULL DEFAULT '',
    ADD COLUMN report    jsonb;

ALTER TABLE job_files
    ADD COLUMN digest char(64) NOT NULL DEFAULT '';

ALTER TABLE jobs
    ADD COLUMN allow_partial boolean NOT NULL DEFAULT false;

DROP INDEX idx_alive_chunks;
CREATE INDEX idx_document_chunks ON chunks (book, file_path);
CREATE INDEX idx_born_chunks ON chunks (book, born);
CREATE INDEX idx_died_chunks ON chunks (book, died);
