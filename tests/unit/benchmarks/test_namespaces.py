"""Hosts that replicas are measured on: reached, cut off, joined again, with our loopback's ports."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread

import pytest

from tests.support.namespaces import Host, Network, can_part, network
from tests.support.stack import eventually

PORT = 7001
SERVE = f"""
import socket
with socket.create_server(("0.0.0.0", {PORT})) as server:
    while True:
        server.accept()[0].close()
"""
ASK = "import socket; print(socket.create_connection(('127.0.0.1', {}), 20).recv(5).decode())"

pytestmark = pytest.mark.skipif(not can_part(), reason="namespaces want root and iproute2")


@pytest.fixture
def lan() -> Iterator[Network]:
    with network() as made:
        yield made


def answers(host: Host) -> bool:
    try:
        socket.create_connection((host.address, PORT), timeout=1).close()
    except OSError:
        return False
    return True


def test_a_host_that_is_cut_off_runs_on_and_is_reached_again_once_it_is_joined(
    lan: Network,
) -> None:
    host = lan.add_host()
    with subprocess.Popen([*host.within, sys.executable, "-c", SERVE]) as serving:
        try:
            eventually(lambda: answers(host), "the host does not answer")
            lan.cut(host)
            assert not answers(host)
            assert serving.poll() is None
            lan.join(host)
            eventually(lambda: answers(host), "the host is not back")
        finally:
            serving.kill()


def test_a_shared_port_of_our_loopback_is_on_the_hosts_even_when_it_is_cut_off(
    lan: Network,
) -> None:
    host = lan.add_host()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"hello")

        greeting = Thread(target=greet)
        greeting.start()
        lan.share(host, port)
        lan.cut(host)
        command = [*host.within, sys.executable, "-c", ASK.format(port)]
        asked = subprocess.run(command, check=True, capture_output=True, text=True)
        greeting.join()
    assert asked.stdout == "hello\n"


def test_the_thread_is_back_in_its_own_network_afterwards() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with network(), pytest.raises(OSError):
            socket.create_connection(address, timeout=1)
        socket.create_connection(address, timeout=1).close()
