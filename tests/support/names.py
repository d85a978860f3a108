"""A name server of one name, as a cluster has it for the replicas that are ready."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_A = 1
_ANSWERED, _AUTHORITATIVE = 0x8000, 0x0400
_TTL_S = 1
_HEADER = struct.Struct(">6H")
_ANSWER = struct.Struct(">2sHHIH4s")
_TO_THE_QUESTION = b"\xc0\x0c"


class Names:
    """Answers every question for addresses with those in `addresses`; ask by `target`."""

    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses
        self.asked = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))

    def target(self, port: int) -> str:
        """Return the address of a gRPC channel to all replicas, which listen at `port`."""
        return f"dns://127.0.0.1:{self._socket.getsockname()[1]}/replicas.example:{port}"

    def serve(self) -> None:
        """Answer until an empty datagram comes."""
        while True:
            question, sender = self._socket.recvfrom(512)
            if not question:
                return
            self._socket.sendto(self._answer(question), sender)

    def end(self) -> None:
        """Let `serve` return."""
        self._socket.sendto(b"", self._socket.getsockname())

    def close(self) -> None:
        self._socket.close()

    def _answer(self, question: bytes) -> bytes:
        number, _, _, _, _, _ = _HEADER.unpack_from(question)
        end = question.index(b"\0", _HEADER.size) + 5
        (kind,) = struct.unpack_from(">H", question, end - 4)
        found = list(self.addresses) if kind == _A else []
        self.asked += kind == _A
        head = _HEADER.pack(number, _ANSWERED | _AUTHORITATIVE, 1, len(found), 0, 0)
        answers = [
            _ANSWER.pack(_TO_THE_QUESTION, _A, 1, _TTL_S, 4, socket.inet_aton(address))
            for address in found
        ]
        return b"".join((head, question[_HEADER.size : end], *answers))


@contextmanager
def names(*addresses: str) -> Iterator[Names]:
    """Serve a name whose addresses may change while the block runs."""
    serving = Names(list(addresses))
    thread = threading.Thread(target=serving.serve, daemon=True)
    thread.start()
    try:
        yield serving
    finally:
        serving.end()
        thread.join(10)
        serving.close()
