"""`python -m deploy.cli`: the same as `quoth`."""

from deploy.cli import main

main()
