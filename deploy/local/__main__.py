"""`python -m deploy.local`: run the product as `quoth up --no-sample` does, for who starts it.

With `--parent-pid` it ends with the process that started it.
"""

import argparse
import asyncio
import os
import sys

from deploy.embedded import StartError, follow_parent
from deploy.local.check import check_settings
from deploy.local.child import GaveUpError
from deploy.local.report import LastingConsole, PlainReport
from deploy.local.settings import LocalSettings
from deploy.local.supervisor import leave_books, run_local
from libs.settings import SettingsError, load_settings


def main() -> None:
    parser = argparse.ArgumentParser(prog="quoth local", description=__doc__)
    parser.add_argument("--parent-pid", type=int, help="end when this parent process does")
    options = parser.parse_args()
    try:
        if options.parent_pid is not None:
            follow_parent(options.parent_pid)
        check_settings(os.environ)
        settings = load_settings(LocalSettings, os.environ)
        asyncio.run(run_local(settings, PlainReport(LastingConsole()), leave_books))
    except (SettingsError, StartError, GaveUpError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
