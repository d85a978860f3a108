"""The clients of the services: what changes something is sent once, whatever becomes of it."""

from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from libs.errors import Unavailable
from services.gateway.clients import IngestClient
from services.gateway.model.books import PageQuery


class Broken:
    """A service whose connection breaks with each call; `calls` counts them."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        nothing = grpc.aio.Metadata()
        raise grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, nothing, nothing, details="reset")


@pytest.fixture
def broken() -> Broken:
    return Broken()


@pytest.fixture
async def client(broken: Broken) -> IngestClient:
    made = IngestClient(grpc.aio.insecure_channel("127.0.0.1:1"))
    names = (
        *("DeleteBook", "DeleteDocument", "RollBack", "VacuumBook", "DiffEditions"),
        *("CancelIngest", "ListBooks"),
    )
    made._stub = SimpleNamespace(**dict.fromkeys(names, broken))  # type: ignore[assignment]
    return made


@pytest.mark.fault("A3")
@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("delete_book", ("b",)),
        ("delete_document", ("b", "a.md")),
        ("roll_back", ("b", 1)),
        ("vacuum_book", ("b", 1)),
        ("compare_editions", ("b", 1, 2)),
        ("cancel_ingest", ("job",)),
    ],
)
async def test_a_change_is_sent_once_even_when_the_connection_breaks(
    client: IngestClient, broken: Broken, method: str, arguments: tuple[object, ...]
) -> None:
    with pytest.raises(Unavailable):
        await getattr(client, method)(*arguments, 1.0)
    assert broken.calls == 1


async def test_a_read_is_sent_once_more(client: IngestClient, broken: Broken) -> None:
    with pytest.raises(Unavailable):
        await client.list_books((), PageQuery(), 1.0)
    assert broken.calls == 2
