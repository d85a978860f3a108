-- What the service may do, and no more: rows of the audit are added and read. A row that was opened leaves
-- audit_opened once it stands in audit_logs, which the triggers see to.
GRANT SELECT ON schema_migrations TO quoth_service;
GRANT SELECT, INSERT ON audit_logs TO quoth_service;
GRANT SELECT, INSERT, DELETE ON audit_opened, audit_released TO quoth_service;
GRANT SELECT ON audit_days, audit_erasures, audit_warm, audit_archives, audit_rows TO quoth_service;
GRANT EXECUTE ON FUNCTION audit_make_month(date), audit_settle(), audit_seal(date),
    audit_cool_month(date), audit_drop_month(audit_archives) TO quoth_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON answer_feedback, asked_once, sessions TO quoth_service;
GRANT SELECT, INSERT, UPDATE ON answer_grades TO quoth_service;
