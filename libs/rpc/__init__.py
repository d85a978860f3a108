"""gRPC plumbing shared by every service: servers, channels, errors, what travels with a call."""
