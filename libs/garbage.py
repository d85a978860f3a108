"""Spare a process that serves calls the search for garbage that there is none of."""

import gc

_ALLOCATIONS = 20_000
"""Objects that came and stayed before the collector looks through them; Python's own number is 700."""


def freeze_imported() -> None:
    """Freeze what the imports of a service have left, as it is.

    Of ingest's 180,000 objects 1,000 are garbage, and finding them takes 0.1 s of its start.
    """
    gc.freeze()


def freeze_loaded() -> None:
    """Freeze loaded objects so that the garbage collector skips them: a tenth of a call's time.

    To be called once a process has loaded what it needs.
    """
    gc.collect()
    gc.freeze()
    # Nearly all that a call makes goes with its last reference. By Python's own number the collector
    # came twice a search, which was a tenth of its CPU time.
    gc.set_threshold(_ALLOCATIONS)
    gc.enable()  # who starts a service may have turned it off, as deploy.local.launch does
