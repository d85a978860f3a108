"""Wire the gateway together: the only module that picks adapters."""

from collections.abc import Mapping
from importlib.metadata import version

import grpc
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from libs.rpc.channel import open_channel
from libs.rpc.turns import Turns
from services.gateway.clients import (
    GenerationClient,
    HealthClient,
    IngestClient,
    RetrievalClient,
)
from services.gateway.openapi import build_document
from services.gateway.pipeline import Editions
from services.gateway.ports import Answerer, Intake, Library, Probe, Searcher
from services.gateway.routes.answers import AnswerRoutes
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.books import BookRoutes
from services.gateway.routes.editions import EditionRoutes
from services.gateway.routes.endpoint import Endpoint, json_response
from services.gateway.routes.formulas import FormulaRoutes
from services.gateway.routes.ingests import IngestRoutes
from services.gateway.routes.operations import OperationRoutes
from services.gateway.routes.page import page_routes
from services.gateway.server import build_app
from services.gateway.settings import Settings


def open_channels(settings: Settings) -> dict[str, grpc.aio.Channel]:
    """Open a channel to each of the three services; each connects when it is first used."""
    return {
        "ingest": open_channel(settings.ingest),
        "retrieval": open_channel(settings.retrieval),
        "generation": open_channel(settings.generation),
    }


def bootstrap_remote(settings: Settings, channels: Mapping[str, grpc.aio.Channel]) -> Starlette:
    """Wire the gateway to the services behind `channels`."""
    ingest = IngestClient(channels["ingest"])
    return bootstrap(
        settings,
        library=ingest,
        intake=ingest,
        searcher=RetrievalClient(channels["retrieval"]),
        answerer=GenerationClient(channels["generation"]),
        probes={name: HealthClient(channel) for name, channel in channels.items()},
    )


def bootstrap(
    settings: Settings,
    *,
    library: Library,
    intake: Intake,
    searcher: Searcher,
    answerer: Answerer,
    probes: Mapping[str, Probe],
) -> Starlette:
    bodies = JsonBodies(settings.max_body_bytes, settings.body_timeout_s)
    answers = AnswerRoutes(
        Editions(library), searcher, answerer, Turns(settings.answers_at_once), bodies
    )
    endpoints = [
        *answers.endpoints(),
        *BookRoutes(library).endpoints(),
        *EditionRoutes(library, intake).endpoints(),
        *IngestRoutes(
            intake,
            settings.max_upload_mib * 2**20,
            settings.upload_timeout_s,
            settings.upload_pause_s,
        ).endpoints(),
        *FormulaRoutes(bodies).endpoints(),
        *OperationRoutes(probes).endpoints(),
    ]
    routes = [endpoint.route() for endpoint in endpoints]
    return build_app([*routes, _description(endpoints), *page_routes()], answers.admit)


def _description(endpoints: list[Endpoint]) -> Route:
    document = build_document((endpoint.operation for endpoint in endpoints), version("quoth"))

    async def describe(_: Request) -> Response:
        return json_response(document)

    return Route("/openapi.json", describe, methods=["GET"])
