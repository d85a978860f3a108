"""The reader page: static files, the same for everybody."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

WEB = Path(__file__).parent.parent / "web"


def page_routes() -> list[BaseRoute]:
    return [
        Route("/", _index, methods=["GET"]),
        Mount("/static", StaticFiles(directory=WEB)),
    ]


async def _index(_: Request) -> FileResponse:
    return FileResponse(WEB / "index.html")
