"""The gateway's application over an invented backend that stands for every service."""

from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette

from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.bootstrap import bootstrap
from services.gateway.ports import Probe
from services.gateway.settings import Exposure, Settings
from tests.support.gateway_fakes import FakeBackend
from tests.support.key_fakes import FakeKeys

_DEFAULTS = Settings()


def make_app(
    backend: FakeBackend,
    keys: FakeKeys | None = None,
    *,
    settings: Settings = _DEFAULTS,
    probes: Mapping[str, Probe] | None = None,
    **exposure: Any,
) -> Starlette:
    return bootstrap(
        settings,
        exposure=Exposure(**exposure),
        library=backend,
        intake=backend,
        searcher=backend,
        answerer=backend,
        probes=probes or {},
        keys=keys,
        limits=MovingWindow(),
    )
