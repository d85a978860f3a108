"""A Prometheus that scrapes the product fires the alerts of the shipped file.

They fire at once here; all else of the file is as it is. Skipped without Prometheus.
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from libs.telemetry.readers import EXPORTERS, HOST, PORT
from tests.support.aside import aside, post
from tests.support.ports import free_ports
from tests.support.prometheus import PROGRAM, Prometheus, prometheus
from tests.support.stack import CHECKOUT, QUESTION, SAMPLE, RunningStack, eventually, is_ready

ALERTS = CHECKOUT / "deploy" / "monitoring" / "alerts.yaml"
NOT_COVERED = "What is the capital of France?"
FAILING, NOTHING = "QuothAnswersFailFast", "QuothNothingFound"
QUICK = {"scrape_interval": "500ms", "evaluation_interval": "500ms"}

pytestmark = [
    pytest.mark.stack,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not PROGRAM,
        reason="no prometheus is here (Debian: prometheus); QUOTH_PROMETHEUS may name one",
    ),
]


def scraped(port: int) -> dict[str, str]:
    return {EXPORTERS: "prometheus", HOST: "127.0.0.1", PORT: str(port)}


def watching(folder: Path, ports: dict[int, str]) -> dict[str, Any]:
    """What tells Prometheus to scrape these ports by their jobs, with alerts that do not wait."""
    alerts = yaml.safe_load(ALERTS.read_text("utf-8"))
    for rule in alerts["groups"][0]["rules"]:
        rule["for"] = "0s"
    rules = folder / "alerts.yaml"
    rules.write_text(yaml.safe_dump(alerts), "utf-8")
    jobs: dict[str, list[str]] = {}
    for port, job in ports.items():
        jobs.setdefault(job, []).append(f"127.0.0.1:{port}")
    scrapes = [
        {"job_name": job, "static_configs": [{"targets": targets}]} for job, targets in jobs.items()
    ]
    return {"global": QUICK, "scrape_configs": scrapes, "rule_files": [str(rules)]}


def asked_until(figures: Prometheus, url: str, question: str, alert: str) -> None:
    """Ask until the alert fires: a rate sees a counter grow, not that it is there."""

    def fires() -> bool:
        post(url, SAMPLE, question)
        return alert in figures.firing()

    eventually(fires, f"{alert} does not fire")


def test_alerts_fire_for_answers_that_fail_and_for_what_the_book_does_not_cover(
    sample_stack: RunningStack, tmp_path: Path
) -> None:
    jobs: dict[int, str] = {}
    with ExitStack() as opened:

        def start(service: str, **told: str) -> str:
            port = free_ports(1)
            jobs[port] = f"quoth-{service}"
            return opened.enter_context(aside(sample_stack, service, **told, **scraped(port)))

        generation = start("generation")
        url = start("gateway", GATEWAY_GENERATION=generation)
        failing = start("gateway", GATEWAY_GENERATION=f"127.0.0.1:{free_ports(1)}")
        figures = opened.enter_context(prometheus(tmp_path, watching(tmp_path, jobs)))
        eventually(lambda: is_ready(url), "the gateway is not ready")

        def is_counted() -> bool:
            assert post(url, SAMPLE, QUESTION).status_code == 200
            answered = figures.ask('rate(quoth_answers_total{quoth_outcome="answered"}[1m]) > 0')
            measured = figures.ask("rate(http_server_request_duration_seconds_count[1m]) > 0")
            return bool(answered and measured)

        eventually(is_counted, "answers are not counted")
        assert not figures.firing() & {FAILING, NOTHING}

        asked_until(figures, url, NOT_COVERED, NOTHING)
        assert FAILING not in figures.firing()
        asked_until(figures, failing, QUESTION, FAILING)
