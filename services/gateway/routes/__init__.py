"""The routes of the gateway: one module a resource, each a table of operations and handlers."""
