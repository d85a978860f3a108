-- The files that pages are drawn from, each once by its digest. Documents name theirs by content_hash.

CREATE TABLE originals (
    book         text NOT NULL REFERENCES books (slug),
    content_hash char(64) NOT NULL,
    bytes        bytea NOT NULL,
    PRIMARY KEY (book, content_hash)
);
-- They are compressed already.
ALTER TABLE originals
    ALTER COLUMN bytes SET STORAGE EXTERNAL,
    ALTER COLUMN bytes SET STATISTICS 0;
