"""The reader page and the page of reviewers: one script and one style sheet each; the widget."""

import gzip
from pathlib import Path, PurePath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from services.gateway.routes.bundle import bundle_page, bundle_widget

WEB = Path(__file__).parent.parent / "web"
BUNDLE = "/bundle"
"""Where files lie that never change: another content has another name."""

WIDGET = "/widget.js"
"""What other sites name; it names the file that never changes."""

REVIEW = "/review"
"""For whoever has the scope `admin`: the page is everybody's, what it shows is asked for with a key."""

_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def page_routes() -> list[BaseRoute]:
    page = bundle_page(WEB, BUNDLE)
    review = bundle_page(WEB, BUNDLE, "review.html")
    widget = bundle_widget(WEB, BUNDLE)
    files = page.files | review.files | widget.files
    packed = {name: gzip.compress(text.encode(), mtime=0) for name, text in files.items()}

    async def show_page(_: Request) -> Response:
        return HTMLResponse(page.index)

    async def show_review(_: Request) -> Response:
        return HTMLResponse(review.index)

    async def show_widget(_: Request) -> Response:
        return Response(widget.index, media_type=_MEDIA_TYPES[".js"])

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in files:
            raise HTTPException(404)
        accepted = request.headers.get("accept-encoding", "")
        taken = {coding.strip().lower() for coding in accepted.split(",")}
        headers = {"Vary": "Accept-Encoding"}
        body: str | bytes = files[name]
        if "gzip" in taken:
            body, headers["Content-Encoding"] = packed[name], "gzip"
        return Response(body, media_type=_MEDIA_TYPES[PurePath(name).suffix], headers=headers)

    return [
        Route("/", show_page, methods=["GET"]),
        Route(REVIEW, show_review, methods=["GET"]),
        Route(WIDGET, show_widget, methods=["GET"]),
        Route(f"{BUNDLE}/{{name}}", send_file, methods=["GET"]),
        Mount("/static", StaticFiles(directory=WEB)),
    ]
