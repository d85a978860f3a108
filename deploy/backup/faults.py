"""Say in a sentence what is wrong with a place for backups, without its address and its keys."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import BaseError

from deploy.backup.manifest import BackupError

# The client has one class for most faults; what happened stands in its text alone, beside addresses.
_NO_BUCKET = re.compile("NoSuchBucket|ContainerNotFound|bucket does not exist")
# The first that fits counts; {} is what the group has.
_FAULTS = (
    (
        re.compile("Unable to recognise URL"),
        "A backup goes to a folder, or to s3://bucket/prefix, gs://… or az://….",
    ),
    (
        re.compile(r"169\.254\."),
        "No keys for the bucket are named: for S3, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    ),
    (_NO_BUCKET, "There is no such bucket: make it first, or look at its name and its region."),
    (
        re.compile("status code: (401|403)"),
        "The bucket refuses these keys ({}): are they right, and may they list, read and write there?",
    ),
    (re.compile(r"status code: (5\d\d)"), "The bucket's server fails ({}). Try again later."),
    (
        re.compile(r"status code: (\d+)"),
        "The bucket's server refuses this ({}): look at bucket, region and endpoint.",
    ),
    (
        re.compile("HTTP error: builder error"),
        "The bucket's endpoint can't be asked: one with http:// wants AWS_ALLOW_HTTP=true.",
    ),
    (
        re.compile("HTTP error"),
        "The bucket's server does not answer: look at its address, AWS_ENDPOINT_URL for S3.",
    ),
)
_SYSTEM = re.compile(r"\(os error (\d+)\)")


@contextmanager
def translated_faults(*, missing: bool = False) -> Iterator[None]:
    """Turn a store's errors into BackupError, but with `missing` FileNotFoundError for a file."""
    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        absent = isinstance(error, FileNotFoundError) and not _NO_BUCKET.search(str(error))
        if missing and absent:
            raise
        raise BackupError(_explain(str(error))) from error


def _explain(text: str) -> str:
    for pattern, sentence in _FAULTS:
        if found := pattern.search(text):
            return sentence.format(*found.groups())
    if system := _SYSTEM.search(text):
        return f"The folder of the backup can't be used: {os.strerror(int(system[1]))}."
    return "The place of the backup can't be used: look at its address, its keys and its room."
