"""Formulas as TeX in, the same formulas as MathML out: browsers draw that by themselves."""

import re
from dataclasses import dataclass

from math_core import LatexError, LatexToMathML
from starlette.requests import Request
from starlette.responses import Response

from services.gateway.openapi import Operation
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.endpoint import POST_PROBLEMS, Endpoint, json_response
from services.gateway.schemas import Formula, FormulasDrawn, FormulasRequest

FORMULAS = Operation(
    "POST",
    "/v1/formulas",
    "drawFormulas",
    "Turn formulas of a book into MathML.",
    FormulasDrawn,
    description="A formula that is not understood comes back empty: show its source then.",
    body=FormulasRequest,
    body_example={"formulas": [{"tex": "\\tau = J^T F", "display": True}]},
    problems=POST_PROBLEMS,
)

_STYLE = re.compile(r' style="(?:text-align: (left|right))?[^"]*"')
"""The page allows no inline style. Of what the converter writes only sides of columns say something."""


@dataclass(frozen=True)
class FormulaRoutes:
    """Serves drawn formulas; nothing of one request is remembered for the next."""

    bodies: JsonBodies

    def endpoints(self) -> list[Endpoint]:
        return [Endpoint(FORMULAS, self.draw)]

    async def draw(self, request: Request) -> Response:
        asked = await self.bodies.read(request, FormulasRequest)
        converter = LatexToMathML(fancy_error=False)
        return json_response(
            FormulasDrawn([_draw(formula, converter) for formula in asked.formulas])
        )


def _draw(formula: Formula, converter: LatexToMathML) -> str:
    try:
        drawn = converter.convert_with_local_state(formula.tex, displaystyle=formula.display)
    except LatexError:
        return ""
    return _STYLE.sub(lambda found: f' class="{found[1]}"' if found[1] else "", drawn)
