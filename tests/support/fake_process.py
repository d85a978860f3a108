"""`python -m tests.support.fake_process`: a process for the supervisor that misbehaves on request.

FAKE_MODE: "serve" (default), "die" (at once, exit 1), "refuse" (exit 2), "stubborn" (ignores
SIGTERM), "mute" (never says that it is ready), "parent" (has a child of its own; prints `child PID`),
"chatty" (warns on and on).
"""

import os
import signal
import subprocess
import sys
import time


def main() -> None:
    mode = os.environ.get("FAKE_MODE", "serve")
    if mode in ("die", "refuse"):
        print("ERROR: this can't work", flush=True)
        sys.exit(1 if mode == "die" else 2)
    if mode == "parent":
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        print(f"child {child.pid}", flush=True)
    number = signal.SIGTERM
    signal.signal(number, signal.SIG_IGN if mode == "stubborn" else lambda *_: sys.exit(0))
    while mode == "mute":
        signal.pause()
    print(
        f"ready {os.environ.get('FAKE_ADDRESS', 'here')} {os.environ.get('NEEDED', '')}", flush=True
    )
    while mode == "chatty":
        print("WARNING of nothing in particular", flush=True)
        time.sleep(0.002)
    while True:
        signal.pause()


main()
