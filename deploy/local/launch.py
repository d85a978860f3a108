"""`python -m deploy.local.launch PARENT MODULE`: run MODULE so that it never outlives PARENT."""

import gc
import os
import runpy
import signal
import sys

from deploy.embedded import signal_on_parent_death


def main() -> None:
    parent, module = int(sys.argv[1]), sys.argv[2]
    # Services keep nothing that a kill could spoil; a softer signal could be waited out.
    signal_on_parent_death(signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(f"{module}: the parent process {parent} is gone")
    # What a service loads stays, and looking through it again and again took a tenth of its start.
    # Once it is ready, it has the collector on: libs.garbage.
    gc.disable()
    del sys.argv[1:3]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
