-- Who wrote a book and when it was published, as it says itself; 0 where it says no year.

ALTER TABLE editions
    ADD COLUMN authors text[] NOT NULL DEFAULT '{}',
    ADD COLUMN year integer NOT NULL DEFAULT 0 CHECK (year >= 0);
