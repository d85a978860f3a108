-- Where the table of contents puts a document. Those of earlier editions stand in the order alone.

ALTER TABLE documents
    ADD COLUMN depth integer NOT NULL DEFAULT 0 CHECK (depth >= 0),
    ADD COLUMN part_titles text[] NOT NULL DEFAULT '{}';
