-- Of an edition's documents, the language of most text first; those of older editions by their reports.

ALTER TABLE editions ADD COLUMN languages text[] NOT NULL DEFAULT '{}';

UPDATE editions SET languages = ARRAY(
    SELECT document ->> 'language'
    FROM jsonb_array_elements(editions.report -> 'documents') AS document
    WHERE coalesce(document ->> 'language', '') <> ''
    GROUP BY document ->> 'language'
    ORDER BY sum((document ->> 'visible_characters')::bigint) DESC, document ->> 'language'
) WHERE jsonb_typeof(editions.report -> 'documents') = 'array';
