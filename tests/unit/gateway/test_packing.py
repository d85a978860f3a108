"""Responses are compressed so that anybody unpacks them, whatever their size and however they come."""

import os
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from services.gateway.server import Packing

PART = 3000


async def serve(request: Request) -> Response:
    text = bytes.fromhex(request.path_params["seed"]) * (request.path_params["size"] // 8)
    if "parts" not in request.query_params:
        return Response(text)

    async def parts() -> AsyncIterator[bytes]:
        for at in range(0, len(text), PART):
            yield text[at : at + PART]

    return StreamingResponse(parts())


@pytest.mark.parametrize("size", [1000, 16_384, 16_392, 100_000, 200_000])
@pytest.mark.parametrize("parts", ["", "?parts"], ids=["whole", "in parts"])
async def test_a_packed_response_is_unpacked_to_what_it_was(size: int, parts: str) -> None:
    app = Starlette(
        routes=[Route("/{seed}/{size:int}", serve)], middleware=[Middleware(Packing, 1000, 4)]
    )
    seed = os.urandom(8)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await client.get(f"/{seed.hex()}/{size}{parts}")
    assert response.headers["content-encoding"] == "gzip"
    assert response.num_bytes_downloaded < size / 2
    assert response.content == seed * (size // 8)
