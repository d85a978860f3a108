"""Measure the memory of a running product's processes."""

import asyncio

from tests.benchmarks.figures import Figures
from tests.benchmarks.product import Product

SETTLE_S = 1.0
"""Seconds of rest before memory is read."""


async def measure_memory(figures: Figures, product: Product, moment: str) -> float:
    """Add the memory of each process and of all. Returns the total: shared pages once, if known."""
    await asyncio.sleep(SETTLE_S)
    found = product.memory()
    shared = [memory.shared_once for memory in found.values()]
    resident_mb = sum(memory.resident for memory in found.values()) / 1e6
    for name, memory in found.items():
        figures.add(f"memory.{moment}.resident.{name}", memory.resident / 1e6, "MB")
        if memory.shared_once is not None:
            figures.add(f"memory.{moment}.shared.{name}", memory.shared_once / 1e6, "MB")
    figures.add(f"memory.{moment}.resident.total", resident_mb, "MB")
    if None in shared:
        return resident_mb
    total_mb = sum(share for share in shared if share is not None) / 1e6
    figures.add(f"memory.{moment}.shared.total", total_mb, "MB", guarded=True)
    return total_mb
