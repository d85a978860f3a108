-- The pictures of a book, each once, by the digest of what readers get. Documents name those they show.

CREATE TABLE images (
    book       text NOT NULL REFERENCES books (slug),
    image_id   char(64) NOT NULL,
    media_type text NOT NULL,
    width      integer NOT NULL CHECK (width >= 0),
    height     integer NOT NULL CHECK (height >= 0),
    bytes      bytea NOT NULL,
    PRIMARY KEY (book, image_id)
);
-- They are compressed already.
ALTER TABLE images
    ALTER COLUMN bytes SET STORAGE EXTERNAL,
    ALTER COLUMN bytes SET STATISTICS 0;

ALTER TABLE documents
    ADD COLUMN images jsonb NOT NULL DEFAULT '[]';
ALTER TABLE documents
    ALTER COLUMN images SET STATISTICS 0;
