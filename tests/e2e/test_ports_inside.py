"""What a stranger on this machine gets at each port that is not the gateway's."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from qdrant_client.grpc import collections_pb2
from quoth.generation.v1 import generation_service_pb2, review_service_pb2
from quoth.ingest.v1 import ingest_service_pb2
from quoth.retrieval.v1 import retrieval_service_pb2

from libs.rpc.access import STRANGER
from tests.support.engines import children_of
from tests.support.stack import RunningStack

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

SERVICES = {
    "ingest": [ingest_service_pb2],
    "retrieval": [retrieval_service_pb2],
    "generation": [generation_service_pb2, review_service_pb2],
}
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
LISTENS = "0A"
LOOPBACK = "0100007F"
MAPPED = "0000000000000000FFFF0000"
"""How an address of IPv4 begins that is written as one of IPv6."""


def methods(service: str) -> Iterator[MethodDescriptor]:
    for module in SERVICES[service]:
        descriptor: Any = module.DESCRIPTOR
        for one in descriptor.services_by_name.values():
            yield from one.methods


def called(channel: grpc.Channel, path: str, kind: str, shown: str | None) -> grpc.RpcError:
    """Call a method with an empty message, or a stream of one; return how it failed."""
    held = (("authorization", shown),) if shown is not None else ()
    message: Any = iter([b""]) if kind.startswith("stream") else b""
    call: Any = getattr(channel, kind)(path)
    with pytest.raises(grpc.RpcError) as caught:
        list(call(message, metadata=held, timeout=30))
    return caught.value


@pytest.mark.control("V1", "V2")
@pytest.mark.parametrize("shown", [None, "", "Bearer ", "Bearer " + "x" * 43])
@pytest.mark.parametrize("service", sorted(SERVICES))
def test_no_method_of_a_service_answers_a_stranger(
    sample_stack: RunningStack, service: str, shown: str | None
) -> None:
    known = [(f"/{one.containing_service.full_name}/{one.name}", one) for one in methods(service)]
    assert known
    with grpc.insecure_channel(f"127.0.0.1:{sample_stack.port(service)}") as channel:
        for path, method in known:
            given = "stream" if method.client_streaming else "unary"
            back = "stream" if method.server_streaming else "unary"
            error: Any = called(channel, path, f"{given}_{back}", shown)
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED, path
            assert error.details() == STRANGER
        error = called(channel, REFLECTION, "stream_stream", shown)
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.control("V2")
@pytest.mark.parametrize("service", sorted(SERVICES))
def test_nobody_lists_methods_by_reflection(sample_stack: RunningStack, service: str) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{sample_stack.port(service)}") as channel:
        shown = f"Bearer {sample_stack.service_token}"
        error: Any = called(channel, REFLECTION, "stream_stream", shown)
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.control("V2")
def test_the_vector_store_answers_no_stranger(sample_stack: RunningStack) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{sample_stack.port('qdrant')}") as channel:
        call: Any = channel.unary_unary(
            "/qdrant.Collections/List",
            collections_pb2.ListCollectionsRequest.SerializeToString,
        )
        with pytest.raises(grpc.RpcError) as caught:
            call(collections_pb2.ListCollectionsRequest(), timeout=30)
    error: Any = caught.value
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED


def open_files(pid: int) -> Iterator[str]:
    """What a process holds open, as /proc says; without what it closes meanwhile."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield str(link.readlink())


def listening(pids: list[int]) -> set[tuple[str, int]]:
    """Addresses and ports of TCP at which processes listen, as /proc says."""
    held = {one for pid in pids for one in open_files(pid)}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and f"socket:[{inode}]" in held:
                address, _, port = local.partition(":")
                found.add((address.removeprefix(MAPPED), int(port, 16)))
    return found


@pytest.mark.control("V2")
def test_there_is_no_other_port_and_none_beyond_this_machine(sample_stack: RunningStack) -> None:
    pids = [pid for one in sample_stack.pids().values() for pid in (one, *children_of(one))]
    ports = {sample_stack.port(name) for name in (*SERVICES, "qdrant", "gateway")}
    assert listening(pids) == {(LOOPBACK, port) for port in ports}
