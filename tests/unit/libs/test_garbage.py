"""What the garbage collector looks through in a service, and when."""

import subprocess
import sys

_SHOWS = """
import gc
gc.disable()
import services.gateway.__main__
from libs.garbage import freeze_imported, freeze_loaded

class Ring:
    count = 0

    def __init__(self):
        self.itself = self

    def __del__(self):
        Ring.count += 1

freeze_imported()
Ring()
seen = len(gc.get_objects())
freeze_loaded()
print(seen < 1000, Ring.count, len(gc.get_objects()) < 100, gc.isenabled())
"""


def test_imports_are_left_alone_and_garbage_of_the_start_is_found() -> None:
    """In a process of its own: freezing all that the other tests have made would keep it."""
    told = subprocess.run(
        [sys.executable, "-c", _SHOWS], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["True", "1", "True", "True"]
