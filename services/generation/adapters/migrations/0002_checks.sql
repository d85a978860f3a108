-- What each check found, of what was shown and of what was not, and what the model's part cost.
ALTER TABLE audit_logs ADD COLUMN checks JSONB NOT NULL DEFAULT '{}';
ALTER TABLE audit_logs ADD COLUMN model_use JSONB;
