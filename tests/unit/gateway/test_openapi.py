"""The description of the interface against the interface itself."""

import json
import re
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import validate
from starlette.routing import Route

from services.gateway.errors import STATUS_BY_KIND
from services.gateway.routes.answers import ANSWER, SEARCH
from services.gateway.routes.keys import MAKE, ROTATE
from services.gateway.routes.openai_chat import COMPLETE
from services.gateway.routes.records import RATE
from services.gateway.routes.textbook_chat import QUERY
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend

NOT_DESCRIBED = {"/", "/review", "/widget.js", "/bundle/{name}", "/openapi.json"}


def make_routes() -> list[Route]:
    backend = FakeBackend()
    app = make_app(backend)
    return [route for route in app.routes if isinstance(route, Route)]


@pytest.fixture
async def document() -> dict[str, Any]:
    route = next(route for route in make_routes() if route.path == "/openapi.json")
    response = await route.endpoint(None)
    return dict(json.loads(response.body))


def test_the_description_is_valid_openapi(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    validate(document)


def test_every_route_is_described_and_every_description_has_a_route(
    document: dict[str, Any],
) -> None:
    served = {
        (re.sub(r":\w+}", "}", route.path), method.lower())
        for route in make_routes()
        if route.path not in NOT_DESCRIBED
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {(path, method) for path, item in document["paths"].items() for method in item}
    assert served == described


def test_every_parameter_of_a_path_is_described(document: dict[str, Any]) -> None:
    for path, item in document["paths"].items():
        for operation in item.values():
            names = {
                parameter["name"]
                for parameter in operation.get("parameters", [])
                if parameter["in"] == "path"
            }
            assert names == set(re.findall(r"{(\w+)}", path))


def test_every_operation_declares_its_problems(document: dict[str, Any]) -> None:
    statuses = {str(status) for status in STATUS_BY_KIND.values()}
    for item in document["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                if status in statuses and operation["operationId"] != "getReadiness":
                    assert "application/problem+json" in response["content"]
            assert {"421", "500"} <= operation["responses"].keys()


@pytest.mark.parametrize("operation", [ANSWER, SEARCH, COMPLETE, QUERY, MAKE, ROTATE, RATE])
def test_examples_are_accepted(operation: Any) -> None:
    body = msgspec.json.encode(operation.body_example)
    msgspec.json.decode(body, type=operation.body)
