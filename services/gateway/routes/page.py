"""The reader page and the page of reviewers: one script and one style sheet each; the widget."""

import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from services.gateway.routes.bundle import Page, bundle_page, bundle_widget

WEB = Path(__file__).parent.parent / "web"
BUNDLE = "/bundle"
"""Where files lie that never change: another content has another name."""

WIDGET = "/widget.js"
"""What other sites name; it names the file that never changes."""

REVIEW = "/review"
"""For whoever has the scope `admin`: the page is everybody's, what it shows is asked for with a key."""

_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class _Pages:
    """What `web/` is sent as, with its files by their names, plain and packed."""

    reader: Page
    review: Page
    widget: Page
    files: dict[str, str]
    packed: dict[str, bytes]


@cache
def _bundle_pages() -> _Pages:
    reader = bundle_page(WEB, BUNDLE)
    review = bundle_page(WEB, BUNDLE, "review.html")
    widget = bundle_widget(WEB, BUNDLE)
    files = reader.files | review.files | widget.files
    packed = {name: gzip.compress(text.encode(), mtime=0) for name, text in files.items()}
    return _Pages(reader, review, widget, files, packed)


def page_routes() -> list[BaseRoute]:
    pages = _bundle_pages()

    async def show_page(_: Request) -> Response:
        return HTMLResponse(pages.reader.index)

    async def show_review(_: Request) -> Response:
        return HTMLResponse(pages.review.index)

    async def show_widget(_: Request) -> Response:
        return Response(pages.widget.index, media_type=_MEDIA_TYPES[".js"])

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in pages.files:
            raise HTTPException(404)
        accepted = request.headers.get("accept-encoding", "")
        taken = {coding.strip().lower() for coding in accepted.split(",")}
        headers = {"Vary": "Accept-Encoding"}
        body: str | bytes = pages.files[name]
        if "gzip" in taken:
            body, headers["Content-Encoding"] = pages.packed[name], "gzip"
        return Response(body, media_type=_MEDIA_TYPES[PurePath(name).suffix], headers=headers)

    return [
        Route("/", show_page, methods=["GET"]),
        Route(REVIEW, show_review, methods=["GET"]),
        Route(WIDGET, show_widget, methods=["GET"]),
        Route(f"{BUNDLE}/{{name}}", send_file, methods=["GET"]),
        Mount("/static", StaticFiles(directory=WEB)),
    ]
