"""The pictures of books, each under an address that stands for the same bytes for ever."""

import re
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from libs.errors import NotFound
from services.gateway.openapi import Operation, Parameter
from services.gateway.ports import Library
from services.gateway.routes.bodies import convert_query
from services.gateway.routes.books import EditionQuery
from services.gateway.routes.endpoint import (
    BOOK,
    CALL_PROBLEMS,
    EDITION,
    TIMEOUT,
    Endpoint,
    start_budget,
    tagged_response,
    within,
)

MEDIA_TYPES = (
    *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"),
    "image/svg+xml",
)
IMAGE = Operation(
    "GET",
    "/v1/books/{book}/images/{image}",
    "getImage",
    "Show a picture of a book.",
    None,
    access="read",
    description="A drawing (SVG) has no script and no address in it.",
    parameters=(
        BOOK,
        Parameter(
            "image", "path", "Id of the image, of a document's `images`.", {"type": "string"}
        ),
        EDITION,
        TIMEOUT,
    ),
    reply_media=MEDIA_TYPES,
    has_tag=True,
    problems=("invalid_input", *CALL_PROBLEMS),
)
_ID = re.compile("[0-9a-f]{64}")
_HEADERS = {
    "Cache-Control": "private, max-age=31536000, immutable",
    # Beside the policy of all responses: whoever opens a drawing by its address runs nothing either.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "Vary": "Authorization",
}


@dataclass(frozen=True)
class ImageRoutes:
    """Serves pictures."""

    library: Library

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(IMAGE, self.image)]

    async def image(self, request: Request) -> Response:
        edition = convert_query(request.query_params, EditionQuery).edition or 0
        left_s = start_budget(request).left_s()
        slug, image_id = request.path_params["book"], request.path_params["image"]
        if not _ID.fullmatch(image_id):
            raise NotFound("The book has no such picture.")
        getting = self.library.get_image(slug, edition, image_id, left_s)
        image, data = await within(left_s, getting)
        if image.media_type not in MEDIA_TYPES:
            raise NotFound("The book has no such picture.")
        headers = {**_HEADERS, "Content-Type": image.media_type}
        return tagged_response(request, data, image.image_id, headers)
