"""Channels to other services."""

import grpc

MAX_MESSAGE_BYTES = 32 * 1024 * 1024

KEEPALIVE_MS = 2000
"""A peer is asked so often whether it is there, and believed gone after as long without an answer."""

NAMES_MS = 5000
"""A name's addresses are looked up no more often than this."""

_OPTIONS = (
    # After an outage the default back-off keeps a channel dead for up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.lb_policy_name", "round_robin"),
    # Replicas of a name are looked up when a connection ends, by default no sooner than after 30 s.
    ("grpc.dns_min_time_between_resolutions_ms", NAMES_MS),
    # A peer that vanished or stands still is noticed before the next call, and asked no more.
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # The time-out above does not shorten this one, of 60 s, after which a silent peer is given up.
    ("grpc.http2.ping_timeout_ms", KEEPALIVE_MS),
)


def open_channel(address: str) -> grpc.aio.Channel:
    """Open a channel to one or more replicas, which are asked in turn; it connects again and again.

    `address` is "host:port", "dns:///name:port", or "ipv4:1.2.3.4:port,1.2.3.5:port".
    """
    return grpc.aio.insecure_channel(address, options=_OPTIONS)
