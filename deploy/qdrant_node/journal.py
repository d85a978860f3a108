"""The writes made while a copy of a shard is being optimised, to be repeated on the copy."""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import Message

from deploy.qdrant_node.writes import WRITES

_HEADER = 5  # one byte for the kind, four for the length


class Journal:
    """A file of requests. It need not survive a crash: the copy does not either."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w+b")
        self._read_to = 0
        self.length = 0

    def append(self, message: Message) -> None:
        body = message.SerializeToString()
        kind = WRITES.index(type(message))
        self._file.seek(self.length)
        self._file.write(kind.to_bytes(1, "big") + len(body).to_bytes(4, "big") + body)
        self.length += _HEADER + len(body)

    def unread(self) -> Iterator[Message]:
        """What was appended before this call and not yet read."""
        end = self.length
        while self._read_to < end:
            self._file.seek(self._read_to)
            header = self._file.read(_HEADER)
            body = self._file.read(int.from_bytes(header[1:], "big"))
            self._read_to += _HEADER + len(body)
            yield WRITES[header[0]].FromString(body)

    def remove(self) -> None:
        self._file.close()
        self._path.unlink()
