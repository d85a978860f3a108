"""Formulas of books as MathML, which browsers draw by themselves."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from services.gateway.openapi import Operation
from services.gateway.ports import FormulaDrawer
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import POST_PROBLEMS, Endpoint, json_response
from services.gateway.schemas import FormulasDrawn, FormulasRequest

FORMULAS = Operation(
    "POST",
    "/v1/formulas",
    "drawFormulas",
    "Turn formulas of a book into MathML.",
    FormulasDrawn,
    access="any key",
    description="A formula that is not understood, is nested deeper than 40 brackets or takes too "
    "long comes back empty: show its source then.",
    body=FormulasRequest,
    body_example={"formulas": [{"tex": "\\tau = J^T F", "display": True}]},
    problems=POST_PROBLEMS,
)


@dataclass(frozen=True)
class FormulaRoutes:
    """Serves drawn formulas."""

    bodies: JsonBodies
    drawer: FormulaDrawer

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(FORMULAS, self.draw)]

    async def draw(self, request: Request) -> Response:
        asked = await self.bodies.read(request, FormulasRequest)
        return json_response(FormulasDrawn(await self.drawer.draw(asked.formulas)))
