GRANT SELECT ON schema_migrations TO quoth_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON client_keys, client_tokens TO quoth_service;
