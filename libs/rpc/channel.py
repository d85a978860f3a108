"""Channels to other services."""

import asyncio
import math
from typing import Any, Self

import grpc

from libs.rpc.access import shown
from libs.rpc.reloaded import Reloaded
from libs.rpc.transport import OPEN, Certificates, Transport
from libs.settings import SettingsError

MAX_MESSAGE_BYTES = 32 * 1024 * 1024

KEEPALIVE_MS = 2000
"""A peer is asked so often whether it is there, and believed gone after as long without an answer."""

CONNECT_MS = 1000
"""An attempt to connect may take so long: with TLS it is four trips, and a busy peer greets late."""

NAMES_MS = 5000
"""A name's addresses are looked up no more often than this."""

NO_PROXY = ("grpc.enable_http_proxy", 0)

_UNTIL_ENDED = math.inf
"""Calls over a connection of before end by their own deadlines: an upload's is a setting."""

_OPTIONS = (
    # HTTP's proxy is for what lies outside: it knows no service of ours, least of all on loopback.
    NO_PROXY,
    # After an outage the default back-off keeps a channel dead for up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", CONNECT_MS),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.lb_policy_name", "round_robin"),
    # A channel that begins waits for no back-off that another of the process is in.
    ("grpc.use_local_subchannel_pool", 1),
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


def open_channel(address: str, transport: Transport = OPEN) -> grpc.aio.Channel:
    """Open a channel to one or more replicas, which are asked in turn; it connects again and again.

    `address` is "host:port", "dns:///name:port", or "ipv4:1.2.3.4:port,1.2.3.5:port". The channel
    shows the token and the certificates of `transport`, as they are at each call. Raises SettingsError
    for those that can't be used.
    """
    return ServiceChannel(address, transport)


class ServiceChannel(grpc.aio.Channel):
    """A channel that shows a token, and that follows its certificates.

    When they change, new calls go over new connections; those under way end on the old ones.
    """

    def __init__(self, address: str, transport: Transport) -> None:
        self._address = address
        self._name = transport.name
        self._tokens = transport.tokens()
        self._certificates: Reloaded[Certificates] | None = None
        self._known: Certificates | None = None
        if transport.has_tls:
            if not transport.authority:
                raise SettingsError(f"QUOTH_RPC_TLS={transport.tls} needs QUOTH_RPC_CA")
            self._certificates = transport.certificates()
            self._known = self._certificates.current()
        self._channel = self._connect()
        self._ending: dict[asyncio.Task[None], grpc.aio.Channel] = {}

    def current(self) -> grpc.aio.Channel:
        """Return the channel for a call that begins now."""
        if self._certificates is not None:
            now = self._certificates.current()
            if now is not self._known:
                self._known = now
                ending = asyncio.create_task(self._channel.close(_UNTIL_ENDED))
                self._ending[ending] = self._channel
                ending.add_done_callback(self._ending.pop)
                self._channel = self._connect()
        return self._channel

    def shown(self) -> tuple[str, str]:
        """Return what a call that begins now shows."""
        return shown(self._tokens.current())

    def _connect(self) -> grpc.aio.Channel:
        known = self._known
        if known is None:
            return grpc.aio.insecure_channel(self._address, options=_OPTIONS)
        named = (("grpc.ssl_target_name_override", self._name),) if self._name else ()
        credentials = grpc.ssl_channel_credentials(known.authority, known.key, known.chain)
        return grpc.aio.secure_channel(self._address, credentials, options=(*_OPTIONS, *named))

    async def close(self, grace: float | None = None) -> None:
        ending = dict(self._ending)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        await asyncio.gather(*(old.close(grace) for old in (*ending.values(), self._channel)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        return self.current().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self.current().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self.current().channel_ready()

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        return _Method(self, "unary_unary", args, kwargs)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        return _Method(self, "unary_stream", args, kwargs)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        return _Method(self, "stream_unary", args, kwargs)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        return _Method(self, "stream_stream", args, kwargs)


class _Method:
    """A method of a service: each call of it goes over the channel of that moment."""

    def __init__(
        self, channel: ServiceChannel, kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._channel = channel
        self._kind = kind
        self._args = args
        self._kwargs = kwargs
        self._over: grpc.aio.Channel | None = None
        self._call: Any = None

    def __call__(self, *args: Any, metadata: Any = None, **kwargs: Any) -> Any:
        over = self._channel.current()
        if over is not self._over:
            self._over, self._call = over, getattr(over, self._kind)(*self._args, **self._kwargs)
        return self._call(*args, metadata=(*(metadata or ()), self._channel.shown()), **kwargs)
