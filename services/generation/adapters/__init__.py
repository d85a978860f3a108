"""What stands behind the ports: the answerers and the audit log."""
