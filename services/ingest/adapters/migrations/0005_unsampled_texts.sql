-- The planner's statistics hold samples of a column's values, and keep them when the rows are gone.

ALTER TABLE documents
    ALTER COLUMN title SET STATISTICS 0,
    ALTER COLUMN text SET STATISTICS 0,
    ALTER COLUMN blocks SET STATISTICS 0,
    ALTER COLUMN sections SET STATISTICS 0,
    ALTER COLUMN report SET STATISTICS 0;
ALTER TABLE editions
    ALTER COLUMN report SET STATISTICS 0;
ALTER TABLE jobs
    ALTER COLUMN warnings SET STATISTICS 0,
    ALTER COLUMN error SET STATISTICS 0,
    ALTER COLUMN report SET STATISTICS 0;
ALTER TABLE job_files
    ALTER COLUMN bytes SET STATISTICS 0;
ALTER TABLE job_documents
    ALTER COLUMN title SET STATISTICS 0,
    ALTER COLUMN failure SET STATISTICS 0;
