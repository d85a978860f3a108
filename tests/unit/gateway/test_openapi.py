"""The description of the interface against the interface itself."""

import json
import re
from html import escape
from typing import Any

import msgspec
import pytest
from starlette.routing import Route

from services.gateway.errors import STATUS_BY_KIND
from services.gateway.routes.answers import ANSWER, SEARCH
from services.gateway.routes.keys import MAKE, ROTATE
from services.gateway.routes.openai_chat import COMPLETE
from services.gateway.routes.records import RATE
from services.gateway.routes.reference import render_reference
from services.gateway.routes.textbook_chat import QUERY
from services.ingest.parsers.archive import ENDINGS
from services.ingest.parsers.formats import DOCUMENT_ENDINGS
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend

NOT_DESCRIBED = {"/", "/review", "/widget.js", "/bundle/{name}", "/openapi.json", "/docs"}


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
    # Seconds of grammars, for this test alone: every worker imports the modules of all tests.
    from openapi_spec_validator import validate

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


async def test_the_page_for_people_has_every_operation_and_runs_nothing(
    document: dict[str, Any],
) -> None:
    route = next(route for route in make_routes() if route.path == "/docs")
    response = await route.endpoint(None)
    assert response.media_type == "text/html"
    shown = response.body.decode()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert f"<h2>{method.upper()} {path}</h2>" in shown
            assert f'id="{operation["operationId"]}"' in shown
            assert escape(operation["summary"]) in shown
            assert all(one["name"] in shown for one in operation.get("parameters", ()))
    assert not re.search("<script|<style| style=| on[a-z]+=|https?://", shown)


def test_markup_in_a_description_stays_text_on_the_page() -> None:
    operation = {
        "operationId": "x",
        "summary": "<script>",
        "responses": {"200": {"description": "<b>"}},
    }
    info = {"title": "T", "version": "1", "description": "<i>"}
    shown = render_reference({"info": info, "paths": {"/<u>": {"get": operation}}})
    assert not re.search("<(script|b|i|u)>", shown)


def test_an_upload_is_described_with_every_format_that_is_read(document: dict[str, Any]) -> None:
    uploads = document["paths"]["/v1/books/{book}/ingests"]["post"]["parameters"]
    [told] = [one["description"] for one in uploads if one["name"] == "file_name"]
    named = set(re.findall(r"\.[a-z0-9.]*[a-z0-9]", told))
    assert named == {*ENDINGS, *DOCUMENT_ENDINGS} - {".rst.txt"}


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
