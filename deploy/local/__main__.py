"""`python -m deploy.local`: run the product as `quoth up --no-sample` does, for who starts it."""

import asyncio
import os
import sys

from deploy.embedded import StartError
from deploy.local.check import check_settings
from deploy.local.child import GaveUpError
from deploy.local.report import LastingConsole, PlainReport
from deploy.local.settings import LocalSettings
from deploy.local.supervisor import leave_books, run_local
from libs.settings import SettingsError, load_settings


def main() -> None:
    try:
        check_settings(os.environ)
        settings = load_settings(LocalSettings, os.environ)
        asyncio.run(run_local(settings, PlainReport(LastingConsole()), leave_books))
    except (SettingsError, StartError, GaveUpError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
