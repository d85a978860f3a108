"""Build the images and run the product from them: `make check-images BASE=an-image`.

Wants an engine, and a base with Python 3.11 or later; both are the machine's own, so this is no part
of `make test`. Ports 8080 to 8083 on loopback must be free.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.images.engine import TAG, Engine
from tests.images.product import ask, read_scan, running

TARGETS = ("gateway", "ingest", "ingest-ocr", "retrieval", "generation", "tools")
SERVICES = {one: one for one in ("ingest", "retrieval", "generation", "gateway")}


def main() -> int:
    options = _options()
    engine = Engine(options.build, options.run)
    if not options.built:
        for target in TARGETS:
            print(f"building {target}", flush=True)
            engine.build_image(target, options.base)
    base = engine.size(options.base)
    print(f"base: {base / 1e6:.0f} MB")
    for target in TARGETS:
        size = engine.size(TAG.format(target))
        print(f"{target}: {size / 1e6:.0f} MB, {(size - base) / 1e6:.0f} MB more than the base")
    for ingest in ("ingest", "ingest-ocr"):
        _try({**SERVICES, "ingest": ingest}, engine)
    return 0


def _try(targets: dict[str, str], engine: Engine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Whoever the container is writes its backup here.
        Path(folder).chmod(0o777)
        with running(engine, folder, targets) as product:
            answer = ask(product)
            if targets["ingest"] == "ingest-ocr":
                read_scan(product)
    print(answer["text"])
    if not answer["citations"]:
        raise SystemExit("the answer has no citation")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", help="image to build on")
    parser.add_argument("--build", default="docker build", help="command that builds")
    parser.add_argument("--run", default="docker", help="command that runs containers")
    parser.add_argument("--built", action="store_true", help="the images are built already")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
