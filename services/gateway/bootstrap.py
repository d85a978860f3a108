"""Wire the gateway together: the only module that picks adapters."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, Protocol

import grpc
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from libs.rpc.channel import open_channel
from libs.rpc.transport import OPEN, Transport
from services.gateway.access import Cors, Guard
from services.gateway.access.token_budget import TokenBudget
from services.gateway.adapters.code_process import CodeProcess
from services.gateway.adapters.formula_process import FormulaProcess
from services.gateway.adapters.moving_window import open_window
from services.gateway.adapters.postgres_keys import PostgresKeys
from services.gateway.clients import (
    GenerationClient,
    HealthClient,
    IngestClient,
    RetrievalClient,
)
from services.gateway.concurrency import ConcurrencyLimiter
from services.gateway.openapi import build_document
from services.gateway.pipeline import CurrentEditionCache
from services.gateway.ports import (
    AnsweringService,
    Intake,
    KeyStore,
    Library,
    Probe,
    RateLimits,
    Searcher,
    TokenBudgets,
)
from services.gateway.routes.answers import AnswerRoutes
from services.gateway.routes.asking import Asking
from services.gateway.routes.bodies import JsonBodies
from services.gateway.routes.books import BookRoutes
from services.gateway.routes.code import CodeRoutes
from services.gateway.routes.editions import EditionRoutes
from services.gateway.routes.endpoint import Endpoint, json_response
from services.gateway.routes.formulas import FormulaRoutes
from services.gateway.routes.images import ImageRoutes
from services.gateway.routes.ingests import IngestRoutes
from services.gateway.routes.keys import KeyRoutes
from services.gateway.routes.openai_chat import ChatRoutes
from services.gateway.routes.operations import OperationRoutes
from services.gateway.routes.page import page_routes
from services.gateway.routes.printed_pages import PageRoutes
from services.gateway.routes.records import RecordRoutes
from services.gateway.routes.reference import render_reference
from services.gateway.routes.review import ReviewRoutes
from services.gateway.routes.sessions import SessionRoutes
from services.gateway.routes.textbook_chat import TextbookRoutes
from services.gateway.routes.words import WordRoutes
from services.gateway.server import build_app
from services.gateway.settings import Exposure, Settings

OPEN_HERE = Exposure()
"""On loopback, without keys."""


class KeysAndBudgets(KeyStore, TokenBudgets, Protocol):
    """Where keys and budgets are kept together."""


def open_channels(settings: Settings, transport: Transport = OPEN) -> dict[str, grpc.aio.Channel]:
    """Open a channel to each of the three services; each connects when it is first used.

    Raises SettingsError for certificates or a token that can't be used.
    """
    return {
        "ingest": open_channel(settings.ingest, transport),
        "retrieval": open_channel(settings.retrieval, transport),
        "generation": open_channel(settings.generation, transport),
    }


def bootstrap_remote(
    settings: Settings,
    channels: Mapping[str, grpc.aio.Channel],
    exposure: Exposure = OPEN_HERE,
    keys: KeysAndBudgets | None = None,
    limits: RateLimits | None = None,
) -> Starlette:
    """Wire the gateway to the services behind `channels`."""
    ingest = IngestClient(channels["ingest"])
    return bootstrap(
        settings,
        exposure=exposure,
        library=ingest,
        intake=ingest,
        searcher=RetrievalClient(channels["retrieval"]),
        answerer=GenerationClient(channels["generation"]),
        probes={name: HealthClient(channel) for name, channel in channels.items()},
        keys=keys,
        limits=limits,
    )


def bootstrap(
    settings: Settings,
    *,
    library: Library,
    intake: Intake,
    searcher: Searcher,
    answerer: AnsweringService,
    probes: Mapping[str, Probe],
    exposure: Exposure = OPEN_HERE,
    keys: KeysAndBudgets | None = None,
    limits: RateLimits | None = None,
) -> Starlette:
    keys = keys or PostgresKeys(settings.postgres_dsn)
    limits = limits or open_window(settings.redis_url)
    guard = Guard(exposure, keys, limits)
    bodies = JsonBodies(settings.max_body_bytes, settings.body_timeout_s)
    turns = ConcurrencyLimiter(settings.answers_at_once)
    tokens = TokenBudget(keys, settings.reserved_tokens)
    editions = CurrentEditionCache(library)
    asking = Asking(editions, searcher, answerer, suggester=answerer, turns=turns, tokens=tokens)
    answers = AnswerRoutes(asking, bodies, answerer)
    endpoints = [
        *answers.endpoints(),
        *RecordRoutes(answerer, bodies).endpoints(),
        *ReviewRoutes(answerer, bodies).endpoints(),
        *SessionRoutes(library, answerer).endpoints(),
        *BookRoutes(library, probes.get("ingest")).endpoints(),
        *_picture_routes(library),
        *WordRoutes.of(library, bodies).endpoints(),
        *EditionRoutes(library, intake, bodies).endpoints(),
        *_ingest_routes(intake, settings).endpoints(),
        *_drawing_routes(bodies),
        *ChatRoutes(library, asking, bodies).endpoints(),
        *TextbookRoutes(asking, bodies).endpoints(),
        *KeyRoutes(keys, guard, bodies, settings.reserved_tokens).endpoints(),
        *OperationRoutes(probes, limits).endpoints(),
    ]
    routes = [endpoint.route(guard) for endpoint in endpoints]
    served = [*routes, *_descriptions(endpoints), *page_routes()]
    return build_app(served, answers.admit, exposure, Cors(exposure, keys))


def _picture_routes(library: Library) -> list[Endpoint]:
    return [*ImageRoutes(library).endpoints(), *PageRoutes.of(library).endpoints()]


def _drawing_routes(bodies: JsonBodies) -> list[Endpoint]:
    formulas, code = FormulaProcess(), CodeProcess()
    return [*FormulaRoutes(bodies, formulas).endpoints(), *CodeRoutes(bodies, code).endpoints()]


def _ingest_routes(intake: Intake, settings: Settings) -> IngestRoutes:
    return IngestRoutes(
        intake,
        settings.max_upload_mib * 2**20,
        settings.upload_timeout_s,
        settings.upload_pause_s,
    )


def _descriptions(endpoints: list[Endpoint]) -> list[Route]:
    @cache
    def document() -> dict[str, Any]:
        return build_document((endpoint.operation for endpoint in endpoints), version("quoth"))

    @cache
    def page() -> str:
        return render_reference(document())

    async def describe(_: Request) -> Response:
        return json_response(document())

    async def show(_: Request) -> Response:
        return HTMLResponse(page())

    return [
        Route("/openapi.json", describe, methods=["GET"]),
        Route("/docs", show, methods=["GET"]),
    ]
