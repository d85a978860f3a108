"""The parts of code that stand out, for a page to show."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from services.gateway.openapi import Operation
from services.gateway.ports import CodeReader
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import POST_PROBLEMS, Endpoint, json_response
from services.gateway.schemas import CodeRead, CodeRequest

CODE = Operation(
    "POST",
    "/v1/code",
    "readCode",
    "Tell keywords, strings, comments and the like apart in code of a book.",
    CodeRead,
    access="any key",
    description="Code in an unknown language, or that takes too long, comes back without parts.",
    body=CodeRequest,
    body_example={"pieces": [{"language": "python", "text": "def turn():\n    return 6"}]},
    problems=POST_PROBLEMS,
)


@dataclass(frozen=True)
class CodeRoutes:
    """Serves parts of code."""

    bodies: JsonBodies
    reader: CodeReader

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(CODE, self.read)]

    async def read(self, request: Request) -> Response:
        asked = await self.bodies.read(request, CodeRequest)
        return json_response(CodeRead(await self.reader.read(asked.pieces)))
