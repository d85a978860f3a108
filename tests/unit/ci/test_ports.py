"""No two products of a run are told the same ports."""

import socket

from tests.support.ports import free_ports


def test_a_port_that_was_drawn_is_not_drawn_again() -> None:
    drawn = [free_ports(5) for _ in range(20)]
    taken = {port for first in drawn for port in range(first, first + 5)}
    assert len(taken) == 5 * len(drawn)
    assert all(10_000 <= port < 20_000 for port in taken)


def test_a_port_that_somebody_has_is_passed_over() -> None:
    following = free_ports(1) + 1
    with socket.create_server(("127.0.0.1", following)):
        first = free_ports(3)
    assert following not in range(first, first + 3)
