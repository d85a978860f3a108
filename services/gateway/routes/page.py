"""The reader page: one document, one script and one style sheet, the same for everybody."""

from pathlib import Path, PurePath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from services.gateway.routes.bundle import bundle_page

WEB = Path(__file__).parent.parent / "web"
BUNDLE = "/bundle"
"""Where files lie that never change: another content has another name."""

_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def page_routes() -> list[BaseRoute]:
    page = bundle_page(WEB, BUNDLE)

    async def show_page(_: Request) -> Response:
        return HTMLResponse(page.index)

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in page.files:
            raise HTTPException(404)
        return Response(page.files[name], media_type=_MEDIA_TYPES[PurePath(name).suffix])

    return [
        Route("/", show_page, methods=["GET"]),
        Route(f"{BUNDLE}/{{name}}", send_file, methods=["GET"]),
        Mount("/static", StaticFiles(directory=WEB)),
    ]
