"""The product from its images: four services, each confined as a pod is, and the command `quoth`."""

import contextlib
import json
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.images.engine import ROOT, TAG, UID, Engine, confined
from tests.images.stores import tcp_postgres, tcp_qdrant
from tests.support.pdf_files import scan_of, text_at

READY_S = 180.0
STOP_S = 20
BOOK = "physical-ai"
QUESTION = "What is passive compliance?"
SCANNED = "The gearbox takes four litres of oil, which is changed every winter."
MEMORY = {"gateway": "256m", "retrieval": "768m", "generation": "512m", "ingest": "3g"}
"""The limits of the chart's values."""
TOOLS_MEMORY = "1g"
HEALTH_PORTS = {"ingest": 8091, "retrieval": 8092, "generation": 8093}
"""All containers share the machine's network, so each is given a port of its own."""
PORTS = {"gateway": 8080, "ingest": 8081, "retrieval": 8082, "generation": 8083}


@dataclass(frozen=True)
class Product:
    """Two stores, and the engine that services and commands are run by."""

    engine: Engine
    dsn: str
    qdrant_url: str
    qdrant_key: str
    folder: str
    key: str

    def start(self, service: str, target: str) -> str:
        """Start a service and return its container's name."""
        name = f"quoth-{service}-{secrets.token_hex(3)}"
        told = {**self._stores(), f"{service.upper()}_LISTEN": f"127.0.0.1:{PORTS[service]}"}
        if service in HEALTH_PORTS:
            told["QUOTH_HEALTH_LISTEN"] = f"127.0.0.1:{HEALTH_PORTS[service]}"
        if service == "gateway":
            told = {"QUOTH_POSTGRES_DSN": self.dsn, "QUOTH_REQUIRE_KEYS": "true"}
        image = TAG.format(target)
        self.engine.call("run", "--detach", "--name", name, *confined(told, MEMORY[service]), image)
        return name

    def await_ready(self, service: str, container: str) -> None:
        """Ask as the image's own check does, until it says yes."""
        check: tuple[str, ...] = ("healthcheck", "run", container)
        if service in HEALTH_PORTS:
            address = f"127.0.0.1:{HEALTH_PORTS[service]}"
            check = ("exec", container, "python", "-m", "libs.rpc.check", address)
        until = time.monotonic() + READY_S
        while self.engine.try_call(*check).returncode != 0:
            if time.monotonic() > until:
                raise SystemExit(f"{service} is not healthy")
            time.sleep(1)

    def log(self, container: str) -> str:
        """What a container said last."""
        said = self.engine.try_call("logs", "--tail", "25", container)
        return said.stdout + said.stderr

    def stop(self, container: str) -> int:
        """Ask it to end; returns the exit code, 137 where it had to be killed."""
        self.engine.call("stop", f"--time={STOP_S}", container)
        said = self.engine.call("inspect", "--format", "{{.State.ExitCode}}", container)
        self.engine.call("rm", "--force", container)
        return int(said.stdout)

    def quoth(self, *arguments: str, **told: str) -> str:
        """Run the command `quoth` from its image and return what it printed."""
        mounts = [f"{ROOT}/deploy/samples:/samples:ro", f"{self.folder}:/kept"]
        options = confined({**self._stores(), **told}, TOOLS_MEMORY, mounts)
        return self.engine.call("run", "--rm", *options, TAG.format("tools"), *arguments).stdout

    def _stores(self) -> dict[str, str]:
        return {
            "QUOTH_POSTGRES_DSN": self.dsn,
            "QUOTH_QDRANT_URL": self.qdrant_url,
            "QUOTH_QDRANT_API_KEY": self.qdrant_key,
        }


@contextlib.contextmanager
def running(engine: Engine, folder: str, targets: Mapping[str, str]) -> Iterator[Product]:
    """The product, ready, from the images of `targets` by service; ends with each one's exit code."""
    with tcp_postgres() as dsn, tcp_qdrant() as (url, key):
        product = Product(engine, dsn, url, key, folder, write_key(folder))
        # Without a key the gateway does not start.
        product.quoth("migrate", "--first-key", "/kept/key")
        containers: dict[str, str] = {}
        codes: dict[str, int] = {}
        try:
            for service, target in targets.items():
                containers[service] = product.start(service, target)
            for service, container in containers.items():
                product.await_ready(service, container)
                print(f"{service}: ready as uid {UID}, with a root that is read only")
            yield product
        except BaseException:
            for service, container in containers.items():
                print(f"{service} said:", product.log(container), sep="\n")
            raise
        finally:
            for service, container in reversed(containers.items()):
                codes[service] = product.stop(container)
        print(f"ended on SIGTERM with {codes}")
        if any(codes.values()):
            raise SystemExit("a service did not end by itself")


def write_key(folder: str) -> str:
    """Write the first key where `quoth migrate` finds it, as a Secret is mounted; returns it."""
    text = f"quoth_{secrets.token_hex(6)}_{secrets.token_hex(32)}"
    Path(folder, "key").write_text(text, "ascii")
    return text


def ask(product: Product) -> dict[str, Any]:
    """Put a book in and ask it, all by the command's image; returns the answer."""
    key = {"QUOTH_KEY": product.key}
    product.quoth("ingest", f"/samples/{BOOK}", "--book", BOOK, **key)
    answer: dict[str, Any] = json.loads(
        product.quoth("ask", "--book", BOOK, QUESTION, "--json", **key)
    )
    product.quoth("backup", "/kept/backup")
    product.quoth("audit", "retain", "--archive", "/kept/archive", "--dsn", product.dsn)
    rows = product.quoth(
        "audit",
        "query",
        "SELECT count(*) AS n FROM audit_logs",
        "--json",
        "--archive",
        "/kept/archive",
        "--dsn",
        product.dsn,
    )
    print(f"backed up; the record was packed, and asked: {rows.strip()}")
    return answer


def read_scan(product: Product) -> None:
    """Put a scanned page in and find what stands on it: what the variant with OCR is for."""
    page = [text_at(72, 700, "Chapter One", 22), text_at(72, 640, SCANNED, 11)]
    Path(product.folder, "scan.pdf").write_bytes(scan_of(page))
    key = {"QUOTH_KEY": product.key}
    product.quoth("ingest", "/kept/scan.pdf", "--book", "scan", **key)
    found = product.quoth("search", "--book", "scan", "gearbox oil", "--json", **key)
    if SCANNED not in found:
        raise SystemExit(f"the scanned page was not read: {found}")
    print("a scanned page was read")
