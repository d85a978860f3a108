"""Requests that the OpenAPI document allows and forbids; what comes back must be in that document.

schemathesis makes them, from a seed. A request to a book that is there goes far, one to a book that was
drawn does not: both are sent.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from schemathesis import APIOperation, BaseSchema, Case, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Err
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
JSON = "application/json"
SHORTEST_MS = 5000
"""Who is ready to wait for a millisecond is told, rightly, that it was not enough: 504."""

Send = Callable[[Case], Response]
Known = Mapping[str, str]


@dataclass
class Tally:
    """What was sent, and what was wrong with the responses: each fault of an operation once."""

    statuses: Counter[int] = field(default_factory=Counter)
    faults: dict[str, str] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    """Operations that have done what they are for at least once."""

    def look_at(self, case: Case, response: Response) -> None:
        self.statuses[response.status_code] += 1
        name = case.operation.label
        if response.status_code < 300:
            self.reached.add(name)
        try:
            case.validate_response(response, checks=CHECKS)
        except FailureGroup as group:
            for failure in group.exceptions:
                self.faults.setdefault(f"{name}: {failure.title}", str(group.message))


def operations_of(schema: BaseSchema) -> list[APIOperation]:
    """Return the operations of a document. Raises InvalidSchema for one that can't be used."""
    found = []
    for result in schema.get_all_operations():
        if isinstance(result, Err):
            raise result.err()
        found.append(result.ok())
    return found


def send_any(schema: BaseSchema, send: Send, *, known: Known, examples: int, seed: int) -> Tally:
    """Send `examples` requests of each kind to each operation.

    `known` are values for parameters of paths, by name: those of things that are there.
    """
    tally = Tally()
    for operation in sorted(operations_of(schema), key=_lateness):
        for number, strategy in enumerate(_strategies(operation, known)):
            _send(strategy, send, tally, examples, f"{seed} {operation.label} {number}")
    return tally


def _lateness(operation: APIOperation) -> int:
    """What takes a thing away, or puts another in its place, comes after those that use it."""
    if operation.method.upper() == "DELETE":
        return 2
    return int(operation.path.endswith(("/ingests", "/rollback", "/rotate")))


def _strategies(operation: APIOperation, known: Known) -> Iterator[Any]:
    path = {name: known[name] for name in re.findall(r"{(\w+)}", operation.path) if name in known}
    positive, negative = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
    yield operation.as_strategy(generation_mode=positive, path_parameters=path)
    for example in _bodies(operation):
        yield operation.as_strategy(
            generation_mode=positive, path_parameters=path, body=example, media_type=JSON
        )
    if path:
        yield operation.as_strategy(generation_mode=positive)
    if operation.path_parameters or operation.query or operation.headers or operation.body:
        yield operation.as_strategy(generation_mode=negative)


def _bodies(operation: APIOperation) -> list[Any]:
    content = operation.definition.raw.get("requestBody", {}).get("content", {})
    return [media["example"] for media in content.values() if "example" in media]


def _send(strategy: Any, send: Send, tally: Tally, examples: int, seed: str) -> None:
    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=strategy)
    def each(case: Case) -> None:
        _be_patient(case)
        tally.look_at(case, send(case))

    each()


def _be_patient(case: Case) -> None:
    name = "X-Request-Timeout-Ms"
    wish = str(case.headers.get(name, ""))
    if wish.isdigit() and int(wish[:9]) < SHORTEST_MS:
        case.headers[name] = str(SHORTEST_MS)
