"""Traces, metrics and logs, switched on by the standard OTEL_* variables."""
