"""Run a benchmark on a running product, or on one started for the purpose."""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deploy.evaluation.benchmarks.jobs import Job
from deploy.evaluation.product import Product
from deploy.evaluation.profile_changes import Settings, Sweep, changed_tables, load_tables
from deploy.evaluation.progress import Progress
from deploy.evaluation.report.result import Measured, Result, finish, hash_data
from deploy.evaluation.session import Session
from deploy.evaluation.stack import run_stack

MEASURED = "measured"
"""Name of the profile that a changed setting makes."""


class NotOurStackError(Exception):
    """A product that runs elsewhere can't be started anew, as the options would need."""


@dataclass(frozen=True)
class RunOptions:
    """How to run a job. An empty `url` means a product started for the purpose."""

    url: str = ""
    profile: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    sweep: Sweep | None = None
    seed: int = 0
    concurrency: int = 1
    progress: Progress = field(default_factory=Progress)


@dataclass(frozen=True)
class Variant:
    """One profile to measure: its name, its settings, what was changed, and the swept value."""

    profile: str
    tables: dict[str, Settings]
    changed: dict[str, Any]
    value: Any = None


def variants(options: RunOptions) -> list[Variant]:
    """Return what is to be measured, one for each swept value."""
    changes = dict(options.changes)
    if options.sweep is not None:
        values = options.sweep.values
        changed = [{**changes, options.sweep.key: value} for value in values]
        return [
            Variant(f"{MEASURED}-{number}", changed_tables(options.profile, held), held, value)
            for number, (held, value) in enumerate(zip(changed, values, strict=True), start=1)
        ]
    if changes:
        return [Variant(MEASURED, changed_tables(options.profile, changes), changes)]
    return [Variant(options.profile, {} if options.url else load_tables(options.profile), {})]


def run_job(job: Job, options: RunOptions) -> list[tuple[Variant, Result]]:
    """Measure every variant, all on one product.

    Raises NotOurStackError when the options need a product of their own, but name another.
    """
    _check_stack(job, options)
    options = replace(options, changes={**job.changes, **options.changes})
    todo = variants(options)
    data = {str(path): hash_data(path) for path in job.data}
    results = []
    with _product_url(job, options, todo) as url:
        for variant in todo:
            started = time.monotonic()
            measured = asyncio.run(_measure(job, url, variant, options))
            result = finish(
                job.benchmark,
                measured,
                seed=options.seed,
                settings=_settings(variant, options),
                data=data,
                took_s=time.monotonic() - started,
            )
            results.append((variant, result))
    return results


def _check_stack(job: Job, options: RunOptions) -> None:
    if not options.url:
        return
    if job.needs_own_product:
        raise NotOurStackError(
            f"{job.benchmark} starts a product of its own, with a model that obeys; leave out --url."
        )
    if options.changes or options.sweep:
        raise NotOurStackError(
            "--set and --sweep change the settings of a product that quoth eval starts for itself; "
            "leave out --url, or choose one of the running product's profiles by --profile."
        )


@contextmanager
def _product_url(job: Job, options: RunOptions, todo: Sequence[Variant]) -> Iterator[str]:
    if options.url or not job.needs_product:
        yield options.url
        return
    own = {variant.profile: variant.tables for variant in todo if variant.changed}
    options.progress.begin("starting the product", None)
    with job.environment() as environment, run_stack(own, environment) as url:
        options.progress.end()
        yield url


async def _measure(job: Job, url: str, variant: Variant, options: RunOptions) -> Measured:
    async with Product(url) as product:
        session = Session(
            product, variant.profile, options.seed, options.concurrency, options.progress
        )
        return await job.measure(session)


def _settings(variant: Variant, options: RunOptions) -> dict[str, Any]:
    return {
        "profile": options.profile or "default",
        "changed": variant.changed,
        "tables": variant.tables,
        "embedder": _embedder(options),
        "url": options.url or None,
        "concurrency": options.concurrency,
    }


def _embedder(options: RunOptions) -> str | None:
    """Name the model of a product started here, as the environment chooses it."""
    if options.url:
        return None
    names = ("QUOTH_EMBEDDER", "QUOTH_EMBEDDER_MODEL", "QUOTH_EMBEDDER_DIR")
    chosen = [os.environ.get(name, "") for name in names]
    return " ".join(Path(name).name for name in chosen if name) or "local"
