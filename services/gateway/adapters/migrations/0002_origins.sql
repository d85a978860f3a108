-- Sites whose pages alone may use a key; empty for keys of programs.
ALTER TABLE client_keys ADD COLUMN origins text[] NOT NULL DEFAULT '{}';
