-- What ranges of a text are beside their words: links, emphasis and the like. Earlier editions have none.

ALTER TABLE documents
    ADD COLUMN markup jsonb NOT NULL DEFAULT '[]';
ALTER TABLE documents
    ALTER COLUMN markup SET STATISTICS 0;
