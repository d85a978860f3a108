"""Who may call a service, and over what: tokens, certificates, what strangers get."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from qdrant_client import grpc as grpc_models

from libs.errors import Unavailable
from libs.rpc import access, reloaded
from libs.rpc.channel import open_channel
from libs.rpc.readiness import LIVENESS, Readiness
from libs.rpc.server import RunningServer, start_server
from libs.rpc.status import error_from_rpc
from libs.rpc.transport import OPEN, Transport
from libs.settings import SettingsError
from libs.vectors.client import open_qdrant
from services.gateway.clients import HealthClient
from tests.support.certificates import Authority

TOKEN, NEXT_TOKEN, OTHER_TOKEN = "t" * 40, "n" * 40, "o" * 40
KNOWN = Transport(token=TOKEN)
ROOT = Path(__file__).parents[2]
MIB = 1 << 20


def to(channel: grpc.aio.Channel, name: str, kind: str = "unary_unary") -> Any:
    """A method of a service by its name; gRPC's own types know none without messages."""
    return getattr(channel, kind)(name)


@dataclass(frozen=True)
class Told:
    """A service that echoes, and lets a call of `Wait` go when it is told."""

    running: RunningServer
    go: asyncio.Event

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.running.port}"


@asynccontextmanager
async def serving(
    transport: Transport, readiness: Readiness | None = None, max_calls: int = 256
) -> AsyncIterator[Told]:
    go = asyncio.Event()

    async def echo(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return request

    async def wait(
        requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[bytes]:
        yield b"begun"
        await go.wait()
        yield b"ended"

    async def who(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        (certificate,) = context.auth_context()["x509_pem_cert"]
        return bytes(certificate)

    methods: dict[str, Any] = {
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
        "Who": grpc.unary_unary_rpc_method_handler(who),
        "Wait": grpc.unary_stream_rpc_method_handler(wait),
    }
    handler = grpc.method_handlers_generic_handler("test.Service", methods)
    running = await start_server(
        "127.0.0.1:0",
        lambda server: server.add_generic_rpc_handlers((handler,)),
        max_calls=max_calls,
        readiness=readiness,
        transport=transport,
    )
    try:
        yield Told(running, go)
    finally:
        await running.stop(0)


async def failure(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


async def echoed(address: str, transport: Transport, timeout: float = 10) -> bytes:
    async with open_channel(address, transport) as channel:
        call = to(channel, "/test.Service/Echo")
        return bytes(await call(b"hello", timeout=timeout, wait_for_ready=False))


async def refused(address: str, transport: Transport) -> grpc.StatusCode:
    return (await failure(echoed(address, transport))).code()


@pytest.fixture
def looks_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are looked at at every call."""
    monkeypatch.setattr(reloaded, "LOOK_S", 0.0)


# Tokens


@pytest.mark.control("V2")
async def test_a_caller_is_served_with_the_token_and_told_in_one_line_without_it() -> None:
    async with serving(KNOWN) as told:
        assert await echoed(told.address, KNOWN) == b"hello"
        async with grpc.aio.insecure_channel(told.address) as stranger:
            for error in (
                await failure(to(stranger, "/test.Service/Echo")(b"", timeout=10)),
                await failure(to(stranger, "/test.Service/None")(b"", timeout=10)),
                await failure(
                    to(stranger, "/test.Service/Wait", "stream_unary")(iter([b""]), timeout=10)
                ),
                await failure(echoed(told.address, Transport(token=OTHER_TOKEN))),
                await failure(echoed(told.address, OPEN)),
            ):
                assert error.code() is grpc.StatusCode.UNAUTHENTICATED
                assert error.details() == access.STRANGER


@pytest.mark.control("V2")
@pytest.mark.invariant("I9")
async def test_a_stranger_is_refused_before_any_message_is_read() -> None:
    async with serving(KNOWN) as told, grpc.aio.insecure_channel(told.address) as stranger:
        large = await failure(to(stranger, "/test.Service/Echo")(bytes(8 * MIB), timeout=10))
        # It has begun, and sends nothing: a call of ours would wait for its message.
        silent = to(stranger, "/test.Service/Echo", "stream_unary")(timeout=10)
        assert {large.code(), await silent.code()} == {grpc.StatusCode.UNAUTHENTICATED}


@pytest.mark.control("V2")
async def test_strangers_may_ask_after_the_health_once_and_no_more() -> None:
    request = health_pb2.HealthCheckRequest()
    async with serving(KNOWN) as told, grpc.aio.insecure_channel(told.address) as stranger:
        health: Any = health_pb2_grpc.HealthStub(stranger)
        assert (await health.Check(request, timeout=10)).status == 1
        watched = await failure(health.Watch(request, timeout=10).read())
        assert watched.code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.control("V2")
@pytest.mark.invariant("I9")
async def test_a_strangers_question_that_does_not_come_holds_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(access, "_PATIENCE_S", 0.05)
    async with serving(KNOWN) as told, grpc.aio.insecure_channel(told.address) as stranger:
        call = to(stranger, access.HEALTH_CHECK, "stream_unary")(timeout=30)
        assert await call.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert await call.details() == "The request did not arrive."


@pytest.mark.invariant("I8")
@pytest.mark.parametrize("shown", [OPEN, Transport(token=OTHER_TOKEN)], ids=["none", "another"])
async def test_a_caller_whose_calls_would_be_refused_learns_so_from_the_health(
    shown: Transport,
) -> None:
    async with serving(KNOWN) as told:
        async with open_channel(told.address, shown) as channel:
            assert not await HealthClient(channel).is_serving(10)
            error = await failure(to(channel, "/test.Service/Echo")(b"", timeout=10))
        async with open_channel(told.address, KNOWN) as channel:
            assert await HealthClient(channel).is_serving(10)
    ours = error_from_rpc(error, "ingest")
    assert isinstance(ours, Unavailable)
    assert "QUOTH_SERVICE_TOKEN" in ours.message


@pytest.mark.control("V12")
@pytest.mark.usefixtures("looks_always")
async def test_a_token_is_changed_without_a_call_refused(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for path in (ours, theirs):
        path.write_text(TOKEN + "\n")
    async with serving(Transport(token_file=ours)) as told:
        async with open_channel(told.address, Transport(token_file=theirs)) as channel:
            echo = to(channel, "/test.Service/Echo")
            # Known everywhere, then shown everywhere, then alone: each file at its own time.
            for step in (f"{TOKEN} {NEXT_TOKEN}", f"{NEXT_TOKEN}\n{TOKEN}", NEXT_TOKEN):
                for path in (ours, theirs):
                    path.write_text(step)
                    assert await echo(b"x", timeout=10) == b"x"
        assert await refused(told.address, KNOWN) is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.usefixtures("looks_always")
async def test_a_file_that_cannot_be_used_leaves_the_token_as_it_was(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN)
    async with serving(Transport(token_file=path)) as told:
        for wrong in ("", "short", "ü" * 40):
            path.write_text(wrong)
            assert await echoed(told.address, KNOWN) == b"hello"
        path.unlink()
        assert await echoed(told.address, KNOWN) == b"hello"
    assert "what was read before is used on" in caplog.text
    assert TOKEN not in caplog.text


# Where it may serve


@pytest.mark.control("V2")
@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1", "somewhere"])
async def test_no_service_opens_itself_to_strangers(host: str) -> None:
    with pytest.raises(SettingsError, match="QUOTH_SERVICE_TOKEN_FILE"):
        await start_server(f"{host}:0", lambda server: None)


@pytest.mark.control("V2")
@pytest.mark.parametrize("transport", [KNOWN, Transport(tls="mesh")], ids=["token", "mesh"])
async def test_a_server_that_knows_its_callers_may_serve_everywhere(transport: Transport) -> None:
    running = await start_server("0.0.0.0:0", lambda server: None, transport=transport)
    await running.stop(0)


@pytest.mark.control("V2")
@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "at 0.0.0.0:0 anybody could call"),
        ({"QUOTH_SERVICE_TOKEN": "short"}, "a token is 32 printable ASCII characters or more"),
        ({"QUOTH_RPC_TLS": "mutual"}, "needs QUOTH_RPC_CERT, QUOTH_RPC_KEY and QUOTH_RPC_CA"),
        ({"QUOTH_RPC_TLS": "server", "QUOTH_SERVICE_TOKEN": TOKEN}, "needs QUOTH_RPC_CERT"),
    ],
    ids=str,
)
def test_a_process_that_strangers_could_call_ends_with_one_line(
    tmp_path: Path, told: dict[str, str], why: str
) -> None:
    environment = {"RETRIEVAL_LISTEN": "0.0.0.0:0", "QUOTH_CACHE_DIR": str(tmp_path), **told}
    done = subprocess.run(
        [sys.executable, "-m", "services.retrieval"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
    assert "short" not in done.stderr


# Bounds


@pytest.mark.control("V2")
@pytest.mark.invariant("I9")
async def test_no_proxy_of_the_environment_is_asked_for_a_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    server = grpc.aio.server()
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        async with open_channel(address) as channel, asyncio.timeout(60):
            await channel.channel_ready()
        client = open_qdrant(f"http://{address}")
        # It is no Qdrant, and it is reached.
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.grpc_points.Scroll(grpc_models.ScrollPoints(), timeout=60)
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
        await client.close()
    finally:
        await server.stop(None)


async def test_messages_and_metadata_are_bounded() -> None:
    async with serving(KNOWN) as told, open_channel(told.address, KNOWN) as channel:
        echo = to(channel, "/test.Service/Echo")
        assert len(await echo(bytes(MIB), timeout=10)) == MIB
        large = await failure(echo(bytes(8 * MIB), timeout=10))
        wordy = await failure(echo(b"", metadata=(("x-long", "x" * 100_000),), timeout=10))
        assert {large.code(), wordy.code()} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert await echo(b"x", timeout=10) == b"x"


@pytest.mark.control("V2")
@pytest.mark.invariant("I9")
async def test_a_connection_may_begin_so_many_calls_and_no_more() -> None:
    """Read from the first frame that a server sends: its SETTINGS."""
    async with serving(KNOWN, max_calls=2) as told:
        reader, writer = await asyncio.open_connection("127.0.0.1", told.running.port)
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"))
        head = await reader.readexactly(9)
        body = await reader.readexactly(int.from_bytes(head[:3], "big"))
        writer.close()
    assert head[3] == 4
    pairs = [body[at : at + 6] for at in range(0, len(body), 6)]
    said = {int.from_bytes(one[:2], "big"): int.from_bytes(one[2:], "big") for one in pairs}
    assert said[3] == 8


# Certificates


@dataclass(frozen=True)
class Certified:
    """An authority, and how a service and its callers speak with its certificates."""

    authority: Authority

    def transport(self, owner: str, tls: str = "mutual", **more: Any) -> Transport:
        certificate, key = self.authority.issue(owner)
        return Transport(
            tls=tls, certificate=certificate, key=key, authority=self.authority.path, **more
        )


@pytest.fixture
def certified(tmp_path: Path) -> Certified:
    return Certified(Authority(tmp_path))


@pytest.mark.control("V2")
async def test_with_mutual_tls_only_callers_of_the_authority_connect(
    certified: Certified, tmp_path: Path
) -> None:
    stranger = Certified(Authority(tmp_path / "other"))
    stranger.authority.folder.mkdir()
    async with serving(certified.transport("service")) as told:
        assert await echoed(told.address, certified.transport("caller")) == b"hello"
        without = Transport(tls="server", authority=certified.authority.path)
        certificate, key = stranger.authority.issue("forger")
        forged = Transport(
            tls="mutual", certificate=certificate, key=key, authority=certified.authority.path
        )
        for one in (without, forged, stranger.transport("caller"), OPEN):
            assert await refused(told.address, one) is grpc.StatusCode.UNAVAILABLE


@pytest.mark.control("V2")
async def test_with_tls_and_a_token_callers_check_the_service_and_it_checks_the_token(
    certified: Certified, tmp_path: Path
) -> None:
    authority = certified.authority.path
    async with serving(certified.transport("service", "server", token=TOKEN)) as told:
        caller = Transport(tls="server", authority=authority, token=TOKEN)
        assert await echoed(told.address, caller) == b"hello"
        unknown = Transport(tls="server", authority=authority)
        assert await refused(told.address, unknown) is grpc.StatusCode.UNAUTHENTICATED
        assert await refused(told.address, KNOWN) is grpc.StatusCode.UNAVAILABLE
        elsewhere = Transport(tls="server", authority=authority, token=TOKEN, name="elsewhere")
        assert await refused(told.address, elsewhere) is grpc.StatusCode.UNAVAILABLE


async def test_one_certificate_serves_all_where_a_name_is_told(certified: Certified) -> None:
    certificate, key = certified.authority.issue("services", "quoth.internal")
    told_name = Transport(
        tls="mutual",
        certificate=certificate,
        key=key,
        authority=certified.authority.path,
        name="quoth.internal",
    )
    async with serving(told_name) as told:
        assert await echoed(told.address, told_name) == b"hello"
        addresses = f"ipv4:{told.address},{told.address}"
        assert await echoed(addresses, told_name) == b"hello"


def shown_by(address: str, transport: Transport) -> bytes:
    """The certificate that a service shows now."""
    import ssl

    context = ssl.create_default_context(cafile=transport.authority)
    context.check_hostname = False
    context.set_alpn_protocols(["h2"])
    assert transport.certificate
    context.load_cert_chain(transport.certificate, transport.key)
    host, port = address.split(":")
    with (
        socket.create_connection((host, int(port)), timeout=10) as plain,
        context.wrap_socket(plain) as secured,
    ):
        return secured.getpeercert(binary_form=True) or b""


@pytest.mark.control("V2")
@pytest.mark.usefixtures("looks_always")
@pytest.mark.parametrize("renewed", ["service", "caller"])
async def test_certificates_are_renewed_and_no_call_is_dropped(
    certified: Certified, renewed: str
) -> None:
    service, caller = certified.transport("service"), certified.transport("caller")
    async with serving(service) as told, open_channel(told.address, caller) as channel:
        who = to(channel, "/test.Service/Who")
        wait = to(channel, "/test.Service/Wait", "unary_stream")(b"", timeout=60)
        assert await wait.read() == b"begun"
        before = await asyncio.to_thread(shown_by, told.address, caller)
        seen = await who(b"", timeout=10)

        certified.authority.issue(renewed)
        assert (await who(b"", timeout=10) != seen) is (renewed == "caller")
        after = await asyncio.to_thread(shown_by, told.address, caller)
        assert (after != before) is (renewed == "service")

        told.go.set()
        assert await wait.read() == b"ended"
        assert await wait.code() is grpc.StatusCode.OK


@pytest.mark.usefixtures("looks_always")
async def test_an_authority_is_changed_for_another_in_three_steps(tmp_path: Path) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    trusted = tmp_path / "trusted.crt"

    def transport(owner: str) -> Transport:
        certificate, key = old.issue(owner)
        return Transport(tls="mutual", certificate=certificate, key=key, authority=trusted)

    trusted.write_bytes(old.path.read_bytes())
    async with serving(transport("service")) as told:
        async with open_channel(told.address, transport("caller")) as channel:
            echo = to(channel, "/test.Service/Echo")
            assert await echo(b"x", timeout=10) == b"x"
            trusted.write_bytes(old.path.read_bytes() + new.path.read_bytes())
            assert await echo(b"x", timeout=10) == b"x"
            for owner in ("service", "caller"):
                new.issue(owner)
                assert await echo(b"x", timeout=10) == b"x"
            trusted.write_bytes(new.path.read_bytes())
            assert await echo(b"x", timeout=10) == b"x"
        certificate, key = old.issue("former")
        former = Transport(tls="mutual", certificate=certificate, key=key, authority=trusted)
        assert await refused(told.address, former) is grpc.StatusCode.UNAVAILABLE


@pytest.mark.usefixtures("looks_always")
async def test_a_key_without_its_certificate_yet_leaves_both_as_they_were(
    certified: Certified, caplog: pytest.LogCaptureFixture
) -> None:
    service, caller = certified.transport("service"), certified.transport("caller")
    _, next_key = certified.authority.issue("next")
    async with serving(service) as told:
        assert service.key
        service.key.write_bytes(next_key.read_bytes())
        assert await echoed(told.address, caller) == b"hello"
    assert "KEY_VALUES_MISMATCH" in caplog.text


def broken(path: Path) -> None:
    path.write_text("no certificate")


def gone(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [broken, gone])
@pytest.mark.parametrize("which", ["certificate", "key", "authority"])
async def test_files_that_cannot_be_used_at_the_start_are_one_line(
    certified: Certified, which: str, damage: Callable[[Path], None]
) -> None:
    transport = certified.transport("service")
    damage(getattr(transport, which))
    with pytest.raises(SettingsError, match="QUOTH_RPC_CERT, QUOTH_RPC_KEY and QUOTH_RPC_CA"):
        await start_server("127.0.0.1:0", lambda server: None, transport=transport)


def test_a_caller_that_could_check_nobody_says_what_it_needs() -> None:
    with pytest.raises(SettingsError, match="QUOTH_RPC_TLS=server needs QUOTH_RPC_CA"):
        open_channel("127.0.0.1:1", Transport(tls="server"))


# Health beside TLS


@pytest.mark.control("V2", "V21")
@pytest.mark.invariant("I8")
async def test_a_port_of_its_own_answers_probes_in_plain_text_and_nothing_else(
    certified: Certified,
) -> None:
    readiness = Readiness()
    transport = certified.transport("service", token=TOKEN, health="127.0.0.1:0")
    async with serving(transport, readiness) as told:
        address = f"127.0.0.1:{told.running.health_port}"
        async with grpc.aio.insecure_channel(address) as probe:
            health: Any = health_pb2_grpc.HealthStub(probe)

            async def said() -> list[int]:
                asked = [health_pb2.HealthCheckRequest(service=name) for name in ("", LIVENESS)]
                return [(await health.Check(one, timeout=10)).status for one in asked]

            assert await said() == [1, 1]
            await readiness.set(False)
            assert await said() == [2, 1]
            held = (("authorization", f"Bearer {TOKEN}"),)
            for call in (
                to(probe, "/test.Service/Echo")(b"", metadata=held, timeout=10),
                to(probe, "/grpc.health.v1.Health/Watch", "unary_stream")(b"", timeout=10).read(),
            ):
                assert (await failure(call)).code() is grpc.StatusCode.UNAUTHENTICATED
